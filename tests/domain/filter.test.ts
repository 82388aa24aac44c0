import { expect } from 'chai';
import fc from 'fast-check';
import { type Filter, type FilterValue, ofDocuments, readFilter } from '../../src/domain/filter.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';

const filterOf = (root: JsonValue): Filter => {
  const read = readFilter(root, 'filter');
  if ('errors' in read) throw new Error(JSON.stringify(read.errors));
  return read.filter;
};

const errorsOf = (root: JsonValue): readonly string[] => {
  const read = readFilter(root, 'filter');
  return 'errors' in read ? read.errors.map(({ path, message }) => `${path} ${message}`) : [];
};

const text = (value: string): FilterValue => ({ type: 'text', text: value });
const number = (digits: string): FilterValue => ({ type: 'number', text: digits });

describe('a filter of records', () => {
  it('compares a column with a value', () => {
    expect(filterOf({ name: 'Ada' })).to.deep.equal({
      kind: 'compare',
      column: 'name',
      comparison: 'eq',
      value: text('Ada'),
    });
    expect(filterOf({ paid: true })).to.deep.equal({
      kind: 'compare',
      column: 'paid',
      comparison: 'eq',
      value: { type: 'boolean', value: true },
    });
  });

  it('has bounds of its own over the data of documents', () => {
    const errorsOf = (root: JsonValue) => {
      const read = readFilter(root, 'where', ofDocuments);
      return 'errors' in read ? read.errors.map(({ path, message }) => `${path} ${message}`) : [];
    };
    const conditions = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`/a${index}`, { gt: 1, lt: 9 }]));
    expect(errorsOf(conditions(25))).to.deep.equal([]);
    expect(errorsOf({ ...conditions(25), '/b': null })).to.deep.equal(['where has over 50 conditions']);
    const nested = (levels: number): JsonValue => (levels === 1 ? { '/a': 1 } : { not: nested(levels - 1) });
    expect(errorsOf(nested(5))).to.deep.equal([]);
    expect(errorsOf(nested(6))).to.deep.equal(['where.not.not.not.not.not is nested over 5 levels deep']);
    expect(errorsOf({ '/a': { like: '%'.repeat(200) } })).to.deep.equal([]);
    expect(errorsOf({ '/a': { like: '%'.repeat(201) } })).to.deep.equal([
      'where./a.like must be at most 200 characters long',
    ]);
    expect(filterOf(nested(64))).to.be.an('object');
  });

  it('keeps every digit of a number', () => {
    const written = '12345678901234567890.1';
    expect(filterOf({ total: jsonNumber(written) })).to.deep.include({ value: number(written) });
    expect(filterOf({ total: { gt: jsonNumber('-1e400') } })).to.deep.include({
      comparison: 'gt',
      value: number('-1e400'),
    });
  });

  it('takes every operator', () => {
    for (const comparison of ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like'] as const)
      expect(filterOf({ a: { [comparison]: 'x' } })).to.deep.equal({
        kind: 'compare',
        column: 'a',
        comparison,
        value: text('x'),
      });
    expect(filterOf({ a: { in: ['x', 1] } })).to.deep.equal({
      kind: 'in',
      column: 'a',
      values: [text('x'), number('1')],
    });
    expect(filterOf({ a: { is_null: true } })).to.deep.equal({ kind: 'null', column: 'a', isNull: true });
    expect(filterOf({ a: { is_null: false } })).to.deep.equal({ kind: 'null', column: 'a', isNull: false });
  });

  it('takes null as what is null', () => {
    for (const value of [null, { eq: null }])
      expect(filterOf({ a: value })).to.deep.equal({ kind: 'null', column: 'a', isNull: true });
    expect(filterOf({ a: { ne: null } })).to.deep.equal({ kind: 'null', column: 'a', isNull: false });
  });

  it('joins several columns, and several operators of one, by and', () => {
    const [a, b] = [filterOf({ a: 'x' }), filterOf({ b: 'y' })];
    expect(filterOf({ a: 'x', b: 'y' })).to.deep.equal({ kind: 'and', parts: [a, b] });
    const range = filterOf({ a: { gt: 1, lt: 9 } });
    expect(range).to.deep.include({ kind: 'and' });
    expect(range.kind === 'and' && range.parts).to.have.length(2);
  });

  it('nests and, or and not', () => {
    const a = filterOf({ a: 'x' });
    expect(filterOf({ or: [{ a: 'x' }, { not: { a: 'x' } }] })).to.deep.equal({
      kind: 'or',
      parts: [a, { kind: 'not', part: a }],
    });
    expect(filterOf({ and: [] })).to.deep.equal({ kind: 'and', parts: [] });
    expect(filterOf({ or: [] })).to.deep.equal({ kind: 'or', parts: [] });
    expect(filterOf({})).to.deep.equal({ kind: 'and', parts: [] });
  });

  it('does not take an object for a number, whatever it is called', () => {
    expect(errorsOf({ a: { exact: '1' } })).to.deep.equal([
      'filter.a.exact is not an operator: there are eq, ne, gt, gte, lt, lte, like, in and is_null',
    ]);
  });

  it('names every error and where it is', () => {
    const errors = errorsOf({
      a: { greater: 1 },
      b: [],
      or: [{ c: { in: [] } }, 'x'],
      not: { d: { is_null: 'yes' } },
      e: {},
    });
    expect(errors.map((error) => error.split(' ')[0])).to.deep.equal([
      'filter.a.greater',
      'filter.b',
      'filter.or[0].c.in',
      'filter.or[1]',
      'filter.not.d.is_null',
      'filter.e',
    ]);
  });

  it('refuses what is no object, and values that are no scalars', () => {
    for (const root of [null, 'x', true, 1, []]) expect(errorsOf(root)).to.deep.equal(['filter must be a JSON object']);
    for (const operand of [null, [], {}]) expect(errorsOf({ a: { gt: operand } })).to.have.length(1);
    expect(errorsOf({ a: { like: 1 } })).to.have.length(1);
    expect(errorsOf({ a: { in: ['x', null] } })).to.have.length(1);
    expect(errorsOf({ and: { a: 'x' } })).to.deep.equal(['filter.and must be a list of filters']);
  });

  it('is at most 64 levels deep', () => {
    const deep = (levels: number): JsonValue => (levels === 1 ? { a: 'x' } : { not: deep(levels - 1) });
    expect(errorsOf(deep(64))).to.deep.equal([]);
    expect(errorsOf(deep(65))).to.have.length(1);
    expect(errorsOf(deep(65))[0]).to.include('64 levels');
  });

  it('has at most 1,000 values', () => {
    const values = (count: number): JsonValue => ({ a: { in: Array.from({ length: count }, () => 'x') } });
    expect(errorsOf(values(1000))).to.deep.equal([]);
    expect(errorsOf(values(1001))).to.deep.equal(['filter has over 1000 values']);
    expect(errorsOf({ ...(values(1000) as object), b: 'y' })).to.have.length(1);
  });

  it('is read or refused, and never breaks, whatever it is', () => {
    const json = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constant(null),
        fc.boolean(),
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          fc.oneof(fc.constantFrom('and', 'or', 'not', 'a', 'in', 'eq', 'is_null', 'like', '__proto__'), fc.string()),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(json, (root) => {
        const read = readFilter(root, 'filter');
        expect('filter' in read || read.errors.length > 0).to.equal(true);
      }),
      { verbose: true },
    );
  });
});
