import { expect } from 'chai';
import { guarded, TookTooLong } from '../../src/adapters/system/guard.ts';
import { ajvSchemas } from '../../src/adapters/system/schemas.ts';
import { schemaValidatorContract } from '../contracts/schema-validator.ts';

describe('schemas checked by Ajv', () => {
  schemaValidatorContract(() => ajvSchemas({ checkMs: 200 }));

  it('refuses a schema too long to be one', () => {
    expect(ajvSchemas().defect({ description: 'x'.repeat(300_000) })).to.match(/longer than/);
  });
});

describe('guarded work', () => {
  it('answers what the work answers, also nothing, and passes its errors on', () => {
    expect(guarded(100, () => 7)).to.equal(7);
    expect(guarded(100, () => undefined)).to.equal(undefined);
    expect(() =>
      guarded(100, () => {
        throw new RangeError('own');
      }),
    ).to.throw(RangeError, 'own');
  });

  it('is stopped when its time is up, be it a loop or a regular expression', () => {
    expect(() =>
      guarded(20, () => {
        for (;;);
      }),
    ).to.throw(TookTooLong);
    expect(() => guarded(20, () => /^(a+)+$/.test(`${'a'.repeat(60)}!`))).to.throw(TookTooLong);
  });
});
