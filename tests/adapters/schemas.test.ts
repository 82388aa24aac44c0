import { expect } from 'chai';
import { guarded, TookTooLong } from '../../src/adapters/validation/guard.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { OWN_WORK } from '../../src/domain/sharer.ts';
import { schemaValidatorContract } from '../contracts/schema-validator.ts';
import { aSharer } from '../support/builders.ts';

describe('schemas checked by Ajv', () => {
  schemaValidatorContract(() => ajvSchemas({ computeSeconds: 0.2 }));

  it('refuses a schema too long to be one', () => {
    expect(ajvSchemas().defect({ description: 'x'.repeat(300_000) })).to.match(/longer than/);
  });

  // On a machine that stands still for a moment: the first schema of a process is stopped wherever it is by then.
  for (const compileMs of [1, 2, 4, 6, 8, 12, 16, 24]) {
    it(`goes on after its first schema was stopped at ${compileMs} ms`, async () => {
      // A module of its own, which has not compiled anything yet.
      const fresh = `../../src/adapters/validation/schemas.ts?stopped-at=${compileMs}`;
      const { ajvSchemas: freshSchemas } = (await import(fresh)) as { ajvSchemas: typeof ajvSchemas };
      freshSchemas({ compileMs }).defect({ type: 'object' });
      expect(freshSchemas().defect({ type: 'object', title: 'Another' })).to.equal(null);
    });
  }
});

describe('schemas whose checks may take long', () => {
  const schemas = ajvSchemas();
  const schema = {
    type: 'object',
    properties: { code: { type: 'string', pattern: '^(a+)+$' }, tags: { type: 'array', uniqueItems: true } },
  };
  const backtracking = { code: `${'a'.repeat(40)}!` };

  it('are checked in threads, with the same errors and every digit', async () => {
    const exact = { tags: [jsonNumber('9007199254740993'), jsonNumber('9007199254740992')] };
    const values: readonly JsonValue[] = [
      {},
      { code: 'aaa' },
      { code: 1, tags: 'x' },
      { tags: [1, { a: 1 }, { a: 1 }] },
      exact,
    ];
    for (const value of values) {
      expect(await schemas.check(schema, value, OWN_WORK)).to.deep.equal(schemas.errors(schema, value));
    }
  });

  it('answer another user while the values of one take all their time', async () => {
    const order: string[] = [];
    const note = (user: string, value: JsonObject) =>
      schemas
        .check(schema, value, aSharer(user))
        .then((errors) => order.push(`${user} ${errors[0]?.message ?? 'fits'}`));
    await Promise.all([...Array.from({ length: 3 }, () => note('ada', backtracking)), note('ben', { code: 'aaa' })]);
    expect(order[0]).to.equal('ben fits');
    expect(order.slice(1)).to.deep.equal(Array(3).fill('ada cannot be checked: it takes too long against this schema'));
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
