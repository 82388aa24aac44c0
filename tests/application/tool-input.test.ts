import { expect } from 'chai';
import fc from 'fast-check';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { fitted } from '../../src/application/tools/input.ts';
import type { JsonObject, JsonSchema } from '../../src/domain/json.ts';
import { parseJson } from '../../src/domain/json-number.ts';

const schemas = ajvSchemas();

const schema: JsonSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    limit: { type: 'integer', minimum: 1 },
    kind: { enum: ['a', 'b'] },
    empty: { type: ['string', 'null'] },
    where: {
      type: 'object',
      properties: { deep: { type: 'boolean' } },
      additionalProperties: { type: ['string', 'number'] },
    },
    list: { type: 'array', items: { type: 'integer' } },
    either: { anyOf: [{ type: 'object' }, { type: 'string' }] },
    must: { type: 'integer' },
  },
  required: ['text'],
  additionalProperties: false,
};

const fit = (input: JsonObject) => fitted(input, (each) => schemas.errors(schema, each));
const errorsOf = async (input: JsonObject) =>
  (await fit(input)).errors.map(({ path, message }) => `${path} ${message}`);

describe('the arguments of a tool', () => {
  it('are taken as they are where they fit', async () => {
    const input = { text: '{"a":1}', empty: null, either: '{"a":1}', limit: 3 };
    expect(await fit(input)).to.deep.equal({ input, errors: [] });
    expect((await fit(input)).input).to.equal(input);
  });

  it('may have null for what is optional, at every depth', async () => {
    const input = { text: 'x', limit: null, kind: null, empty: null, where: { deep: null, n: 1 }, list: null };
    expect(await fit(input)).to.deep.equal({ input: { text: 'x', empty: null, where: { n: 1 } }, errors: [] });
  });

  it('may have JSON as text where an object or a list is wanted, with every digit', async () => {
    const { input, errors } = await fit({ text: 'x', where: '{"n":9007199254740993,"deep":null}', list: ' [1,2]' });
    expect(errors).to.deep.equal([]);
    expect(JSON.stringify(input)).to.equal('{"text":"x","where":{"n":9007199254740993},"list":[1,2]}');
  });

  it('may have more nulls and texts than errors are told at a time', async () => {
    const rows: JsonSchema = {
      type: 'object',
      properties: {
        rows: {
          type: 'array',
          items: { type: 'object', properties: { n: { type: 'integer' }, more: { type: 'object' } } },
        },
      },
    };
    const given = Array.from({ length: 300 }, (_, index) => ({ id: index, n: null, more: '{"a":"{}"}' }));
    const { input, errors } = await fitted({ rows: given }, (each) => schemas.errors(rows, each));
    expect(errors).to.deep.equal([]);
    expect(input).to.deep.equal({ rows: given.map(({ id }) => ({ id, more: { a: '{}' } })) });
  });

  it('are refused as they came where that does not help', async () => {
    expect(await errorsOf({ text: null })).to.deep.equal(['/text must be a string, not null']);
    expect(await errorsOf({ text: 'x', list: [null] })).to.deep.equal(['/list/0 must be an integer, not null']);
    expect(await errorsOf({ text: 'x', where: '"{}"' })).to.deep.equal(['/where must be an object, not a string']);
    expect(await errorsOf({ text: 'x', where: '{"deep":1}' })).to.deep.equal([
      '/where must be an object, not a string',
    ]);
    expect(await errorsOf({ text: 'x', must: '7' }), 'a number in text is no object').to.deep.equal([
      '/must must be an integer, not a string',
    ]);
    expect(await errorsOf({ text: 'x', limit: null, kind: 'c' })).to.have.members([
      '/limit must be an integer, not null',
      '/kind must be one of "a", "b"',
    ]);
    expect(await errorsOf({ text: 'x', where: `${'['.repeat(100)}${']'.repeat(100)}` })).to.deep.equal([
      '/where must be an object, not a string',
    ]);
    expect(
      await errorsOf(parseJson('{"text":"x","where":"{\\"__proto__\\":{\\"deep\\":true}}"}') as JsonObject),
    ).to.have.length(1);
  });

  it('never change in what is not at fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (rest) => {
        const input = { ...(rest as JsonObject), text: 'x' };
        const { input: taken, errors } = await fit(input);
        if (errors.length > 0) expect(taken).to.equal(input);
        for (const [name, value] of Object.entries(taken)) {
          const before = input[name as keyof typeof input] as unknown;
          if (typeof before !== 'string' || typeof value === 'string')
            expect(JSON.stringify(value)).to.equal(JSON.stringify(before));
        }
      }),
    );
  });
});
