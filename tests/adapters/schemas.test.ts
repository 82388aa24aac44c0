import { expect } from 'chai';
import { guarded, TookTooLong } from '../../src/adapters/system/guard.ts';
import { ajvSchemas } from '../../src/adapters/system/schemas.ts';
import { schemaValidatorContract } from '../contracts/schema-validator.ts';

describe('schemas checked by Ajv', () => {
  schemaValidatorContract(() => ajvSchemas({ checkMs: 200 }));

  it('refuses a schema too long to be one', () => {
    expect(ajvSchemas().defect({ description: 'x'.repeat(300_000) })).to.match(/longer than/);
  });

  // On a machine that stands still for a moment: the first schema of a process is stopped wherever it is by then.
  for (const compileMs of [1, 2, 4, 6, 8, 12, 16, 24]) {
    it(`goes on after its first schema was stopped at ${compileMs} ms`, async () => {
      // A module of its own, which has not compiled anything yet.
      const fresh = `../../src/adapters/system/schemas.ts?stopped-at=${compileMs}`;
      const { ajvSchemas: freshSchemas } = (await import(fresh)) as { ajvSchemas: typeof ajvSchemas };
      freshSchemas({ compileMs }).defect({ type: 'object' });
      expect(freshSchemas().defect({ type: 'object', title: 'Another' })).to.equal(null);
    });
  }
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
