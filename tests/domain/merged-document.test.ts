import { expect } from 'chai';
import fc from 'fast-check';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { isObject, type JsonObject, type JsonValue, resolvePointer } from '../../src/domain/json.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import {
  type DocumentPart,
  mergeDocuments,
  NOTHING_MERGED,
  withEmptyValues,
} from '../../src/domain/merged-document.ts';

interface Claim {
  readonly pointer: string;
  readonly quote: string;
}

/** Evidence for every leaf, which quotes the leaf itself. */
const claimsOf = (value: JsonValue, pointer = ''): readonly Claim[] => {
  if (value === null) return [];
  const members = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : null;
  if (members === null) return [{ pointer, quote: JSON.stringify(value) }];
  return members.flatMap(([key, each]) => claimsOf(each as JsonValue, `${pointer}/${key}`));
};

const part = (data: JsonObject): DocumentPart<Claim> => ({ data, evidence: claimsOf(data) });
const merged = (...parts: readonly JsonObject[]) => parts.map(part).reduce(mergeDocuments<Claim>, NOTHING_MERGED);

const scalar = fc.oneof(fc.integer(), fc.string({ minLength: 1 }), fc.boolean());
const row = fc.dictionary(fc.constantFrom('a', 'b/c', 'd~e'), fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })));

/** Documents of which each window has a stretch of every list, and each scalar stands in one or several of them. */
const windows = fc
  .record({
    total: scalar,
    name: scalar,
    lines: fc.array(row, { maxLength: 12 }),
    tags: fc.array(scalar, { maxLength: 6 }),
  })
  .chain((whole) =>
    fc.record({
      whole: fc.constant(whole),
      cuts: fc.array(
        fc.record({
          lines: fc.nat(12),
          tags: fc.nat(6),
          total: fc.boolean(),
          name: fc.constantFrom('value', 'null', 'absent'),
        }),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
    }),
  )
  .map(({ whole, cuts }) => {
    const stretch = <T>(list: readonly T[], ends: readonly number[], at: number) => {
      const sorted = ends.map((end) => Math.min(end, list.length)).toSorted((x, y) => x - y);
      return list.slice(at === 0 ? 0 : sorted[at - 1], at === sorted.length - 1 ? list.length : sorted[at]);
    };
    const parts = cuts.map((cut, at): JsonObject => {
      const isLast = at === cuts.length - 1;
      const lines = stretch(
        whole.lines,
        cuts.map((each) => each.lines),
        at,
      );
      const tags = stretch(
        whole.tags,
        cuts.map((each) => each.tags),
        at,
      );
      const said = isLast ? 'value' : cut.name;
      const supplier: JsonObject = said === 'absent' ? {} : { name: said === 'null' ? null : whole.name };
      return { ...(cut.total || isLast ? { total: whole.total } : {}), supplier: { ...supplier, tags }, lines };
    });
    return {
      parts,
      whole: { total: whole.total, supplier: { name: whole.name, tags: whole.tags }, lines: whole.lines },
    };
  });

describe('a document of several parts', () => {
  it('is that of the whole, with all of its evidence, however the files are split', () => {
    fc.assert(
      fc.property(windows, ({ parts, whole }) => {
        const { data, evidence, disagreements } = merged(...parts);
        expect(data).to.deep.equal(whole);
        expect(evidence).to.have.deep.members(claimsOf(whole));
        expect(disagreements).to.deep.equal([]);
      }),
    );
  });

  it('puts rows in the order of the parts and keeps those that are the same', () => {
    const { data, evidence } = merged(
      { lines: [{ n: 1 }, { n: 2 }] },
      { lines: [] },
      { lines: [{ n: 2 }, { n: 3, of: [7, 8] }] },
    );
    expect(data).to.deep.equal({ lines: [{ n: 1 }, { n: 2 }, { n: 2 }, { n: 3, of: [7, 8] }] });
    expect(evidence.map(({ pointer }) => pointer)).to.deep.equal([
      '/lines/0/n',
      '/lines/1/n',
      '/lines/2/n',
      '/lines/3/n',
      '/lines/3/of/0',
      '/lines/3/of/1',
    ]);
  });

  it('takes a scalar from the first part that has it, and notes once that a later one differs', () => {
    const { data, evidence, disagreements } = merged(
      { total: null, at: { x: 1 } },
      { total: 5, at: { x: 1 } },
      { total: 6 },
      { total: 7, at: 'here' },
    );
    expect(data).to.deep.equal({ total: 5, at: { x: 1 } });
    expect(evidence).to.deep.equal([
      { pointer: '/at/x', quote: '1' },
      { pointer: '/total', quote: '5' },
    ]);
    expect(disagreements).to.deep.equal([
      { pointer: '/total', first: 5, later: 6, evidence: { pointer: '/total', quote: '6' } },
      { pointer: '/at', first: { x: 1 }, later: 'here', evidence: { pointer: '/at', quote: '"here"' } },
    ]);
  });

  it('takes no difference in case, blanks or the way a number is written for one', () => {
    const same = merged({ name: 'Alder Street', net: jsonNumber('84.00') }, { name: 'ALDER  STREET ', net: 84 });
    expect(same.disagreements).to.deep.equal([]);
    expect(same.data.name).to.equal('Alder Street');
  });

  it('takes the evidence of a later part for the same value if there was none', () => {
    const first: DocumentPart<Claim> = { data: { total: 5 }, evidence: [] };
    const both = [first, part({ total: 5 })].reduce(mergeDocuments<Claim>, NOTHING_MERGED);
    expect(both.evidence).to.deep.equal([{ pointer: '/total', quote: '5' }]);
  });
});

describe('what no part of a document gave', () => {
  const schemas = ajvSchemas();
  const schema = {
    type: 'object',
    properties: {
      note: { type: ['string', 'null'] },
      lines: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
      supplier: { type: 'object', properties: { name: { type: ['string', 'null'] } }, required: ['name'] },
      total: { type: 'number' },
      kept: { type: ['number', 'null'] },
    },
    required: ['note', 'lines', 'supplier'],
    additionalProperties: false,
  };
  const empty = (data: JsonObject) => withEmptyValues(data, async (value) => schemas.errors(schema, value));

  it('is empty in the way that the schema takes it', async () => {
    expect(await empty({})).to.deep.equal({ data: { note: null, lines: [], supplier: { name: null } }, errors: [] });
    expect((await empty({ total: null, kept: null, other: null, lines: null })).data).to.deep.equal({
      kept: null,
      note: null,
      lines: [],
      supplier: { name: null },
    });
  });

  it('stays as it was if the schema takes nothing, and so do values and rows that do not fit', async () => {
    const demanding = { ...schema, required: ['total'] };
    const wrong: JsonObject = { lines: [{ n: 'x' }, {}, { n: null }], kept: 'y' };
    const { data, errors } = await withEmptyValues(wrong, async (value) => schemas.errors(demanding, value));
    expect(data).to.deep.equal(wrong);
    expect(errors.map(({ path }) => path)).to.have.members([
      '/total',
      '/lines/0/n',
      '/lines/1/n',
      '/lines/2/n',
      '/kept',
    ]);
    expect(resolvePointer(data, '/total')).to.equal(undefined);
  });
});
