import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Filter } from '../../../src/domain/filter.ts';
import { invalid, is, type Made, never, number, type Row, refusal, rowsOf, type Suite } from './suite.ts';

export const seeded = (): number => {
  const seed = fc.hash(randomUUID()) | 0;
  console.log(`      property seed ${seed}`);
  return seed;
};

export const recordsContract = ({ dialect, harness, connector, make, numbered, records }: Suite) => {
  const ids = async (coming: ReturnType<typeof records>) => (await rowsOf(coming)).map(({ id }) => id);

  it('answers the rows of a table as objects, by primary key', async () => {
    const { types, literal } = dialect;
    const rows = [
      ['2', literal('b'), '1.5'],
      ['1', literal('a'), 'null'],
    ];
    const table = await make({
      columns: { id: types.integer, name: types.text, amount: types.float },
      key: ['id'],
      rows,
    });
    const stream = await records(table);
    expect(stream.columns.map(({ name }) => name)).to.deep.equal(['id', 'name', 'amount']);
    expect(await rowsOf(stream)).to.deep.equal([
      { id: 1, name: 'a', amount: null },
      { id: 2, name: 'b', amount: 1.5 },
    ]);
    expect(stream.end()).to.deep.equal({ rowCount: 2, more: false });
  });

  it('answers nothing for an empty table', async () => {
    const stream = await records(await numbered(0));
    expect(await rowsOf(stream)).to.deep.equal([]);
    expect(stream.end()).to.deep.equal({ rowCount: 0, more: false });
  });

  it('answers a page, and whether there is more', async () => {
    const table = await numbered(5);
    const page = async (limit: number, offset: number) => {
      const stream = await records(table, null, { limit, offset });
      return { ids: await ids(Promise.resolve(stream)), more: stream.end().more };
    };
    expect(await page(2, 0)).to.deep.equal({ ids: [1, 2], more: true });
    expect(await page(2, 3)).to.deep.equal({ ids: [4, 5], more: false });
    expect(await page(5, 0)).to.deep.equal({ ids: [1, 2, 3, 4, 5], more: false });
    expect(await page(5, 9)).to.deep.equal({ ids: [], more: false });
    expect(await page(5, 2_000_000_000)).to.deep.equal({ ids: [], more: false });
  });

  it('answers a page far down the list, filtered or not, as it answers the others', async () => {
    const { integer, text } = dialect.types;
    const rows = Array.from({ length: 1300 }, (_, n) => [`'n${n % 3}'`, `${n % 13}`, `${n}`]);
    const table = await make({ columns: { name: text, b: integer, a: integer }, key: ['b', 'a'], rows });
    const all = await rowsOf(records(table, null, { limit: 1300 }));
    expect(Object.keys(all[0] ?? {})).to.deep.equal(['name', 'b', 'a']);
    const page = async (filter: Filter | null, offset: number) => {
      const stream = await records(table, filter, { limit: 20, offset });
      return { rows: await rowsOf(stream), more: stream.end().more };
    };
    expect(await page(null, 1050)).to.deep.equal({ rows: all.slice(1050, 1070), more: true });
    expect(await page(null, 1290)).to.deep.equal({ rows: all.slice(1290), more: false });
    const some = all.filter(({ a }) => Number(a) < 1250);
    expect(await page(is('a', 'lt', 1250), 1240)).to.deep.equal({ rows: some.slice(1240), more: false });
  });

  it('orders by every column of a key, in the order of the key', async () => {
    const { integer } = dialect.types;
    const rows = [1, 2, 3].flatMap((a) => [3, 1, 2].map((b) => [`${a}`, `${b}`]));
    const table = await make({ columns: { a: integer, b: integer }, key: ['b', 'a'], rows });
    const found = (await rowsOf(records(table))).map(({ a, b }) => `${b}${a}`);
    expect(found).to.deep.equal(['11', '12', '13', '21', '22', '23', '31', '32', '33']);
  });

  it('reads more than the server sends at a time', async () => {
    const table = await numbered(3000);
    const stream = await records(table, null, { limit: 2999 });
    expect(await ids(Promise.resolve(stream))).to.deep.equal(Array.from({ length: 2999 }, (_, index) => index + 1));
    expect(stream.end()).to.deep.equal({ rowCount: 2999, more: true });
  });

  describe('pages', () => {
    const paged = async (table: Made, size: number): Promise<Row[]> => {
      const all: Row[] = [];
      for (;;) {
        const stream = await records(table, null, { limit: size, offset: all.length });
        const rows = await rowsOf(stream);
        expect(rows).to.have.length(stream.end().rowCount);
        all.push(...rows);
        if (!stream.end().more) return all;
        expect(rows).to.have.length(size);
      }
    };

    it('neither repeat nor skip a row, in a table without a key, whatever its values', async () => {
      const { integer, text, exact, float, unordered } = dialect.types;
      const some = (literals: readonly string[]) => fc.constantFrom('null', ...literals);
      const { literal } = dialect;
      const row = fc.tuple(
        some(['1', '2', '-1']),
        some(['', 'a', 'A', 'ä', 'a ', 'b'].map(literal)),
        some(['1', '1.5', '-2']),
        some(['0', '1.5', '-1.5']),
        some(['<a/>', '<b/>', '<b>1</b>'].map(literal)),
      );
      const columns = { a: integer, b: text, c: exact, d: float, e: unordered };
      await fc.assert(
        fc.asyncProperty(fc.array(row, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), async (rows, size) => {
          const table = await make({ columns, rows });
          const whole = (await rowsOf(records(table, null, { limit: 500 }))).map((found) => JSON.stringify(found));
          const parts = (await paged(table, size)).map((found) => JSON.stringify(found));
          expect(parts).to.deep.equal(whole);
          expect(parts).to.have.length(rows.length);
        }),
        { seed: seeded(), numRuns: 25 },
      );
    });

    it('neither repeat nor skip a row of a table whose order is a unique index', async () => {
      const { integer, text } = dialect.types;
      const rows = Array.from({ length: 17 }, (_, index) => [`${(index * 7) % 17}`, dialect.literal('same')]);
      const table = await make({ columns: { a: integer, b: text }, rows });
      await harness().execute(
        `create unique index ${dialect.quote(`u_${table.name}`)} on ${table.quoted} (${dialect.quote('a')})`,
      );
      const whole = await rowsOf(records(table, null, { limit: 500 }));
      expect(await paged(table, 4)).to.deep.equal(whole);
      expect(whole.map(({ a }) => a)).to.deep.equal(rows.map((_, index) => index));
    });

    it('neither repeat nor skip a row of a view', async () => {
      const table = await numbered(23);
      const view = `v_${randomUUID().slice(0, 8)}`;
      const quoted = `${dialect.quote(table.schema)}.${dialect.quote(view)}`;
      await harness().execute(`create view ${quoted} as select name from ${table.quoted}`);
      const rows = await paged({ ...table, name: view, entity: `${table.schema}.${view}`, quoted }, 5);
      expect(new Set(rows.map(({ name }) => name))).to.have.property('size', 23);
      expect(rows).to.have.length(23);
    });
  });

  describe('an entity', () => {
    it('that is not there is named, with what was probably meant', async () => {
      const table = await make({ columns: { id: dialect.types.integer }, name: 'invoices' });
      const of = (entity: string) => invalid(connector().records({ entity, filter: null, limit: 1, offset: 0 }, never));
      expect(await of(`${table.schema}.invoces`))
        .to.include(`${table.schema}.invoces`)
        .and.include(`${table.schema}.invoices`);
      for (const entity of [
        '',
        'invoices',
        '.',
        `${table.schema}.`,
        'x"; drop table y; --.z',
        `a\0.b`,
        'ä'.repeat(5000),
        '.'.repeat(5000),
      ]) {
        expect(await of(entity), entity.slice(0, 40)).to.match(/^There is no table/);
      }
    });

    it('is found whatever its name', async () => {
      for (const name of [
        'a.b',
        'with space',
        'quo"te',
        "apos'trophe",
        'brack]et',
        'select',
        'Üñï☃',
        '.lead',
        'trail.',
      ]) {
        if (!dialect.allows(name)) continue;
        const table = await make({ columns: { id: dialect.types.integer }, name, rows: [['7']] });
        expect(await ids(records(table)), name).to.deep.equal([7]);
      }
    });

    it('that was changed is read as it is now', async () => {
      const table = await numbered(1);
      await rowsOf(records(table));
      await harness().execute(`alter table ${table.quoted} add ${dialect.quote('extra')} ${dialect.types.integer}`);
      expect(await rowsOf(records(table))).to.deep.equal([{ id: 1, name: 'row 1', extra: null }]);
      expect(await rowsOf(records(table, { kind: 'null', column: 'extra', isNull: true }))).to.have.length(1);
      await harness().execute(`alter table ${table.quoted} drop column ${dialect.quote('name')}`);
      expect(await rowsOf(records(table))).to.deep.equal([{ id: 1, extra: null }]);
      await harness().execute(`drop table ${table.quoted}`);
      expect((await refusal(records(table))).kind).to.equal('invalid');
    });
  });

  describe('a filter', () => {
    const people = async () => {
      const { integer, text } = dialect.types;
      const { literal } = dialect;
      return make({
        columns: { id: integer, name: text, age: integer },
        key: ['id'],
        rows: [
          ['1', literal('Ada'), '36'],
          ['2', literal('Alan'), '41'],
          ['3', literal('Grace'), 'null'],
          ['4', 'null', '85'],
        ],
      });
    };

    it('compares', async () => {
      const table = await people();
      const found = (filter: Parameters<typeof records>[1]) => ids(records(table, filter));
      expect(await found(is('name', 'eq', 'Ada'))).to.deep.equal([1]);
      expect(await found(is('name', 'ne', 'Ada'))).to.deep.equal([2, 3]);
      expect(await found(is('age', 'gt', 36))).to.deep.equal([2, 4]);
      expect(await found(is('age', 'gte', 36))).to.deep.equal([1, 2, 4]);
      expect(await found(is('age', 'lt', 41))).to.deep.equal([1]);
      expect(await found(is('age', 'lte', '41'))).to.deep.equal([1, 2]);
      expect(await found(is('name', 'like', 'A%a%'))).to.deep.equal([1, 2]);
      expect(await found(is('name', 'like', 'A_a'))).to.deep.equal([1]);
      expect(await found({ kind: 'null', column: 'age', isNull: true })).to.deep.equal([3]);
      expect(await found({ kind: 'null', column: 'age', isNull: false })).to.deep.equal([1, 2, 4]);
    });

    it('joins', async () => {
      const table = await people();
      const found = (filter: Parameters<typeof records>[1]) => ids(records(table, filter));
      const [ada, old] = [is('name', 'eq', 'Ada'), is('age', 'gt', 40)];
      expect(await found({ kind: 'or', parts: [ada, old] })).to.deep.equal([1, 2, 4]);
      expect(await found({ kind: 'and', parts: [old, is('name', 'eq', 'Alan')] })).to.deep.equal([2]);
      expect(await found({ kind: 'not', part: { kind: 'or', parts: [ada, old] } })).to.deep.equal([]);
      expect(await found({ kind: 'not', part: { kind: 'null', column: 'name', isNull: true } })).to.deep.equal([
        1, 2, 3,
      ]);
      expect(await found({ kind: 'and', parts: [] })).to.deep.equal([1, 2, 3, 4]);
      expect(await found({ kind: 'or', parts: [] })).to.deep.equal([]);
      expect(await found({ kind: 'not', part: { kind: 'and', parts: [] } })).to.deep.equal([]);
      const values = ['36', '85', '7'].map((text) => ({ type: 'number' as const, text }));
      expect(await found({ kind: 'in', column: 'age', values })).to.deep.equal([1, 4]);
    });

    it('takes as many levels and values as are allowed', async () => {
      const table = await numbered(1200);
      const values = Array.from({ length: 1000 }, (_, index) => ({ type: 'number' as const, text: `${index + 1}` }));
      expect(await ids(records(table, { kind: 'in', column: 'id', values }, { limit: 2000 }))).to.have.length(1000);
      const deep = Array.from({ length: 64 }).reduce<Parameters<typeof records>[1] & object>(
        (part) => ({ kind: 'and', parts: [{ kind: 'not', part }, is('id', 'gt', 0)] }),
        is('id', 'eq', 1),
      );
      expect(await ids(records(table, deep, { limit: 3 }))).to.have.length(1);
    });

    it('compares numbers exactly, beyond what a double holds', async () => {
      const { bigint, exact } = dialect.types;
      const rows = ['9007199254740992', '9007199254740993'].map((value) => [value, `${value}.0000000001`]);
      const table = await make({ columns: { id: bigint, amount: exact }, key: ['id'], rows });
      const count = async (filter: Parameters<typeof records>[1]) => (await rowsOf(records(table, filter))).length;
      expect(await count(number('id', 'eq', '9007199254740993'))).to.equal(1);
      expect(await count(is('id', 'eq', '9007199254740993'))).to.equal(1);
      expect(await count(number('id', 'gt', '9007199254740992'))).to.equal(1);
      expect(await count(number('amount', 'eq', '9007199254740993.0000000001'))).to.equal(1);
      expect(await count(number('amount', 'gt', '9007199254740993.00000000005'))).to.equal(1);
      expect(await count(number('amount', 'lt', '9007199254740993.00000000015'))).to.equal(2);
      expect(await count(number('id', 'eq', '9.007199254740993e15'))).to.equal(1);
    });

    for (const { declared, literal, filter, unconvertible } of dialect.conversions) {
      it(`compares ${declared} as what it is, and tells what is none`, async () => {
        const table = await make({ columns: { v: declared }, rows: [[literal], ['null']] });
        expect(await rowsOf(records(table, is('v', 'eq', filter)))).to.have.length(1);
        expect(await rowsOf(records(table, is('v', 'ne', filter)))).to.have.length(0);
        const message = await invalid(records(table, is('v', 'eq', unconvertible)));
        expect(message).to.include('"v"').and.include(unconvertible);
      });
    }

    it('that names an unknown column is told which, with what was probably meant', async () => {
      const table = await people();
      const message = await invalid(records(table, is('nane', 'eq', 'x')));
      expect(message)
        .to.include('"nane"')
        .and.match(/Did you mean name/);
      for (const column of ['', '*', 'id"', "id'; --", 'ID]', '__proto__', 'x'.repeat(10_000)]) {
        expect(await invalid(records(table, is(column, 'eq', 'x'))), column.slice(0, 20)).to.match(
          /^There is no column/,
        );
      }
    });

    it('refuses values that no system can store, before it is asked', async () => {
      const table = await people();
      expect(await invalid(records(table, is('name', 'eq', 'a\0b')))).to.match(/"name".*NUL/);
      expect(await invalid(records(table, is('name', 'eq', 'a\ud800')))).to.match(/"name".*surrogate/);
    });
  });
};
