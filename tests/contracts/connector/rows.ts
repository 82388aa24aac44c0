import { expect } from 'chai';
import type { TableQuery } from '../../../src/application/ports/connectors.ts';
import { UNKNOWN_TABLE } from '../../../src/application/ports/connectors.ts';
import { invalid, type Made, never, refusal, rowsOf, type Suite } from './suite.ts';

export const rowsContract = ({ dialect, connector, make, numbered }: Suite) => {
  const rows = ({ schema, name }: Made, query: Partial<TableQuery> = {}) =>
    connector().rows(
      { schema, name, orderBy: null, direction: 'asc', after: null, limit: 100, offset: 0, ...query },
      never,
    );
  const ids = async (table: Made, query: Partial<TableQuery> = {}) =>
    (await rowsOf(rows(table, query))).map(({ id }) => id);

  const events = () =>
    make({
      columns: { id: dialect.types.integer, at: dialect.types.timestamp, size: dialect.types.bigint },
      key: ['id'],
      rows: [
        ['1', dialect.literal('2026-11-20 09:00:00'), '10'],
        ['2', dialect.literal('2026-11-20 10:00:00'), '9'],
        ['3', dialect.literal('2026-11-20 09:00:00'), '9007199254740993'],
        ['4', dialect.literal('2026-11-21 00:00:00'), '9007199254740992'],
      ],
    });

  it('come by primary key where no order is asked for', async () => {
    expect(await ids(await events())).to.deep.equal([1, 2, 3, 4]);
  });

  it('come in the order of a column, ties by primary key', async () => {
    const table = await events();
    expect(await ids(table, { orderBy: 'at' })).to.deep.equal([1, 3, 2, 4]);
    expect(await ids(table, { orderBy: 'at', direction: 'desc' })).to.deep.equal([4, 2, 1, 3]);
    expect(await ids(table, { orderBy: 'size' })).to.deep.equal([2, 1, 4, 3]);
    expect(await ids(table, { orderBy: 'id', direction: 'desc', limit: 2, offset: 1 })).to.deep.equal([3, 2]);
  });

  it('are the same far down the list, in any order', async () => {
    const { integer, text, unordered } = dialect.types;
    const values = Array.from({ length: 1300 }, (_, n) => [
      n % 5 === 0 ? 'null' : dialect.literal(`n${n % 3}`),
      dialect.literal(`<a>${n % 4}</a>`),
      `${n % 13}`,
      `${n}`,
    ]);
    const table = await make({
      columns: { name: text, doc: unordered, b: integer, a: integer },
      key: ['b', 'a'],
      rows: values,
    });
    for (const orderBy of [null, 'name', 'doc', 'a'])
      for (const direction of ['asc', 'desc'] as const) {
        const all = await rowsOf(rows(table, { orderBy, direction, limit: 1300 }));
        expect(await rowsOf(rows(table, { orderBy, direction, limit: 20, offset: 1050 }))).to.deep.equal(
          all.slice(1050, 1070),
        );
        expect(await rowsOf(rows(table, { orderBy, direction, limit: 20, offset: 1290 }))).to.deep.equal(
          all.slice(1290),
        );
      }
    const later = { orderBy: 'a', after: '9', limit: 1300 };
    const all = await rowsOf(rows(table, later));
    expect(await rowsOf(rows(table, { ...later, offset: 1200 }))).to.deep.equal(all.slice(1200));
  });

  it('come only where they are greater than a value of the column, in its own type', async () => {
    const table = await events();
    expect(await ids(table, { orderBy: 'at', after: '2026-11-20T09:00:00' })).to.deep.equal([2, 4]);
    expect(await ids(table, { orderBy: 'size', after: '9' })).to.deep.equal([1, 4, 3]);
    expect(await ids(table, { orderBy: 'size', after: '9007199254740992' })).to.deep.equal([3]);
    expect(await ids(table, { orderBy: 'at', direction: 'desc', after: '2026-11-20T09:00:00' })).to.deep.equal([4, 2]);
    expect(await ids(table, { after: '3' })).to.deep.equal([1, 2, 3, 4]);
  });

  it('are read to the end by their last value, without one twice', async () => {
    const table = await numbered(50);
    const seen: unknown[] = [];
    for (let after: string | null = null; ; after = String(seen.at(-1))) {
      const page = await ids(table, { orderBy: 'id', after, limit: 7 });
      seen.push(...page);
      if (page.length === 0) break;
    }
    expect(seen).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('can be ordered by a column that has no order of its own', async () => {
    const { integer, unordered } = dialect.types;
    const values = ['<b/>', '<a/>'].map((value, index) => [`${index}`, dialect.literal(value)]);
    const table = await make({ columns: { id: integer, doc: unordered }, key: ['id'], rows: values });
    expect(await ids(table, { orderBy: 'doc' })).to.deep.equal([1, 0]);
  });

  it('name what is not there', async () => {
    const table = await events();
    expect(await invalid(rows(table, { orderBy: 'att' }))).to.match(/"att".*Did you mean at/);
    expect(await invalid(rows(table, { orderBy: 'id; drop table x' }))).to.match(/^There is no column/);
    expect(await invalid(rows({ ...table, name: 'nowhere' }))).to.match(/^There is no table/);
    for (const name of ['nowhere', 'x\0'])
      expect((await refusal(rows({ ...table, name }))).code).to.equal(UNKNOWN_TABLE);
    expect(await invalid(rows(table, { orderBy: 'size', after: 'many' })))
      .to.include('"size"')
      .and.include('many');
    expect(await invalid(rows(table, { orderBy: 'at', after: 'some day' })))
      .to.include('"at"')
      .and.include('some day');
  });
};
