import { expect } from 'chai';
import { readConfig } from '../../src/composition/config.ts';

describe('PERSON_HOURS', () => {
  const hours = (value: string) => readConfig({ PERSON_HOURS: value }).personHours;

  it('is twelve unless it is set, and takes fractions', () => {
    expect(hours('')).to.equal(12);
    expect([hours('0.25'), hours('8760')]).to.deep.equal([0.25, 8760]);
  });

  for (const value of ['0', '0.0', '-1', '8761', '1e3', 'twelve', '0x10', '.5', '1,5']) {
    it(`refuses ${value}`, () =>
      expect(() => hours(value)).to.throw(/PERSON_HOURS must be a number above 0, at most 8760/));
  }
});
