import { expect } from 'chai';
import type { QueryBounds } from '../../../src/application/ports/connectors.ts';
import { invalid, never, rowsOf, type Suite, textOf } from './suite.ts';

export const plenty: QueryBounds = { schemas: null, maxRows: 10_000, maxBytes: 100_000_000, timeoutSeconds: 60 };
export const unbounded: QueryBounds = { ...plenty, maxRows: 1e12, maxBytes: 1e15 };

export const queryContract = ({ dialect, harness, connector, make, numbered }: Suite) => {
  const query = (text: string, caps: Partial<QueryBounds> = {}) =>
    connector().query(text, { ...plenty, ...caps }, never);

  it('answers columns and rows', async () => {
    const table = await numbered(3);
    const stream = await query(`select id, name from ${table.quoted} where id > 1 order by id desc`);
    expect(stream.columns.map(({ name }) => name)).to.deep.equal(['id', 'name']);
    expect(stream.columns[1]?.dataType).to.equal(dialect.dataTypes.text);
    expect(await rowsOf(stream)).to.deep.equal([
      { id: 3, name: 'row 3' },
      { id: 2, name: 'row 2' },
    ]);
    expect(stream.end()).to.deep.equal({ rowCount: 2, more: false });
  });

  it('answers no rows with their columns', async () => {
    const stream = await query(`select id as a from ${(await numbered(0)).quoted}`);
    expect(stream.columns.map(({ name }) => name)).to.deep.equal(['a']);
    expect(await textOf(stream)).to.equal('[]');
  });

  it('loses no column of two that have one name', async () => {
    const stream = await query('select 1 as a, 2 as b, 3 as a, 4 as a');
    const [row = {}] = await rowsOf(stream);
    expect(Object.values(row)).to.deep.equal([1, 2, 3, 4]);
    expect(Object.keys(row)).to.deep.equal(['a', 'b', 'a_2', 'a_3']);
    expect(stream.columns.map(({ name }) => name)).to.deep.equal(['a', 'b', 'a_2', 'a_3']);
  });

  it('takes comments, trailing semicolons and texts with whatever in them', async () => {
    const text = `it's; -- not /* a "comment"`;
    const sql = `-- first; line\n/* ; */ select ${dialect.literal(text)} as a ${dialect.comment ?? '/* /* nested */ ; */'};\n-- done`;
    expect(await rowsOf(query(sql))).to.deep.equal([{ a: text }]);
  });

  it('refuses what is blank', async () => {
    for (const blank of ['', '  \n\t', ';', ' ; ; ', '-- nothing', '/* nothing */'])
      expect(await invalid(query(blank)), blank).to.match(/blank/);
  });

  it('refuses a text that no system takes', async () => {
    expect(await invalid(query('select 1 as a\0; drop table x'))).to.match(/NUL/);
  });

  it("tells the database's own words about an error, and where it is", async () => {
    expect(await invalid(query(dialect.faulty.sql))).to.match(dialect.faulty.told);
  });

  it('refuses more than one statement', async () => {
    const table = await numbered(1);
    await invalid(query(`select 1 as a; select 2 as b`));
    await invalid(query(`select 1 as a; delete from ${table.quoted}`));
    await invalid(query(`select 1 as a\ndelete from ${table.quoted}`));
    expect(await rowsOf(query(`select count(*) as n from ${table.quoted}`))).to.deep.equal([{ n: 1 }]);
  });

  it('stops at the most rows that it may answer, and says so', async () => {
    const read = async (count: number, maxRows: number) => {
      const stream = await query(dialect.series(count), { maxRows });
      const rows = await rowsOf(stream);
      expect(rows.map(({ n }) => n)).to.deep.equal(
        Array.from({ length: Math.min(count, maxRows) }, (_, index) => index + 1),
      );
      return stream.end();
    };
    expect(await read(9, 10)).to.deep.equal({ rowCount: 9, more: false });
    expect(await read(10, 10)).to.deep.equal({ rowCount: 10, more: false });
    expect(await read(11, 10)).to.deep.equal({ rowCount: 10, more: true });
    expect(await read(20_000, 15_000)).to.deep.equal({ rowCount: 15_000, more: true });
  });

  it('stops at the most bytes that it may answer, at the end of a row', async () => {
    const stream = await query(dialect.endless(), { maxBytes: 300_000, maxRows: 1_000_000 });
    const text = await textOf(stream);
    expect(text.length).to.be.within(250_000, 300_002);
    expect(JSON.parse(text)).to.have.length(stream.end().rowCount);
    expect(stream.end().more).to.equal(true);
  });

  it('is refused when it takes too long, and runs no longer', async () => {
    expect(await invalid(query(dialect.slow(60), { timeoutSeconds: 1 }))).to.match(/longer than 1 second/);
    expect(await invalid(query(dialect.endless(), { ...unbounded, timeoutSeconds: 0.3 }))).to.match(
      /longer than 0\.3 seconds/,
    );
    await harness().execute('select 1');
    expect(await rowsOf(query(dialect.series(1)))).to.deep.equal([{ n: 1 }]);
  });

  it('reads the relations of the schemas it is bound to, and names the first that is outside', async () => {
    const [own, other] = [
      await numbered(2),
      await make({ columns: { id: dialect.types.integer }, schema: harness().otherSchema }),
    ];
    const schemas = [own.schema];
    const bound = (text: string) => query(text, { schemas });
    expect(await rowsOf(bound(`select count(*) as n from ${own.quoted}`))).to.deep.equal([{ n: 2 }]);
    const named = `with a as (select id from ${own.quoted}) select count(*) as n from a join ${own.quoted} b on a.id = b.id`;
    expect(await rowsOf(bound(named))).to.deep.equal([{ n: 2 }]);
    for (const text of [
      `select * from ${other.quoted}`,
      `select 1 as a from ${own.quoted} a, ${other.quoted} b`,
      `select 1 as a from ${own.quoted} a cross join ${other.quoted} b`,
      `select (select count(*) from ${other.quoted}) as a`,
      `with a as (select * from ${other.quoted}) select * from a`,
      `select 1 as a union all select id from ${other.quoted}`,
    ])
      expect(await invalid(bound(text)), text).to.include(`${other.schema}.${other.name}`);
    for (const catalogue of dialect.catalogue)
      expect(await invalid(bound(`select * from ${catalogue}`)), catalogue).to.match(/cannot read/);
    for (const catalogue of dialect.catalogue) await textOf(query(`select count(*) as n from ${catalogue}`));
  });
};
