import { expect } from 'chai';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { extractionSchema, partialSchema } from '../../src/application/turns/extraction-schemas.ts';
import type { JsonSchema } from '../../src/domain/json.ts';

const schemas = ajvSchemas();
const paths = (schema: JsonSchema, value: unknown) => schemas.errors(schema, value).map(({ path }) => path);

const party = {
  type: 'object',
  properties: { name: { type: 'string' }, parent: { $ref: '#/$defs/party' } },
  required: ['name'],
};
const schema: JsonSchema = {
  type: 'object',
  $defs: { party, choice: { $anchor: 'choice', oneOf: [{ required: ['iban'] }, { required: ['card'] }] } },
  properties: {
    supplier: { $ref: '#/$defs/party' },
    lines: {
      type: 'array',
      minItems: 3,
      items: { type: 'object', properties: { by: { $ref: '#/$defs/party' } }, required: ['by'] },
    },
    total: { type: 'number', minimum: 1 },
    required: { type: 'boolean' },
  },
  allOf: [{ $ref: '#/$defs/choice' }],
  if: { required: ['total'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['supplier'] },
  required: ['supplier', 'lines', 'total', 'iban'],
  additionalProperties: { type: 'string' },
};

describe('the schema of a part of the files', () => {
  const partial = partialSchema(schema);

  it('asks for nothing that may stand in another part', () => {
    for (const value of [{}, { total: 5 }, { supplier: { parent: {} } }, { lines: [] }, { iban: 'x', card: 'y' }]) {
      expect(paths(schema, value), JSON.stringify(value)).to.not.deep.equal([]);
      expect(paths(partial, value), JSON.stringify(value)).to.deep.equal([]);
    }
  });

  it('checks what is there as the whole does, rows down to what they must have', () => {
    expect(paths(partial, { total: 0, iban: 5, required: 'x', supplier: { parent: { name: 7 } } })).to.have.members([
      '/total',
      '/iban',
      '/required',
      '/supplier/parent/name',
    ]);
    expect(paths(partial, { lines: [{}, { by: {} }, { by: { name: 'A' } }] })).to.have.members([
      '/lines/0/by',
      '/lines/1/by/name',
    ]);
  });

  it('can be asked for as any other', () => {
    const asked = extractionSchema(partial);
    expect(schemas.defect(asked)).to.equal(null);
    expect(paths(asked, { document: { lines: [{ by: {} }] }, evidence: [] })).to.deep.equal([
      '/document/lines/0/by/name',
    ]);
    expect(paths(asked, { document: { supplier: {} }, evidence: [] })).to.deep.equal([]);
  });
});
