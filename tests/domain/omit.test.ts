import { expect } from 'chai';
import { omit } from '../../src/domain/omit.ts';

describe('what is left of an object', () => {
  it('is all but the properties that are named, as it was', () => {
    const createdAt = new Date();
    const whole = { id: 'a', createdAt, name: undefined, place: 1, last: null };
    expect(omit(whole, 'place', 'last')).to.deep.equal({ id: 'a', createdAt, name: undefined });
    expect(whole).to.have.keys('id', 'createdAt', 'name', 'place', 'last');
  });
});
