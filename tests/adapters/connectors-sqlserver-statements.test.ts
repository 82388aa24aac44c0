import { expect } from 'chai';
import * as pages from '../../src/adapters/connectors/sql/pages.ts';
import { assignmentsOf } from '../../src/adapters/connectors/sql/values.ts';
import { insertRow, insertStatement, rowWriter } from '../../src/adapters/connectors/sql/writer.ts';
import {
  byCodePoint,
  type CatalogueColumn,
  type CatalogueTable,
} from '../../src/adapters/connectors/sqlserver/catalogue.ts';
import { losslessStatement, quoteName, sqlserver } from '../../src/adapters/connectors/sqlserver/dialect.ts';
import type { Row, Run, Statement } from '../../src/adapters/connectors/sqlserver/session.ts';
import { writing } from '../../src/adapters/connectors/sqlserver/transaction.ts';
import type { RecordsQuery, TableQuery } from '../../src/application/ports/connectors.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { Filter, FilterValue } from '../../src/domain/filter.ts';
import type { JsonValue } from '../../src/domain/json.ts';

const aColumn = (name: string, type: string, rest: Partial<CatalogueColumn> = {}): CatalogueColumn => ({
  name,
  position: 1,
  type,
  declared: type,
  length: null,
  precision: 0,
  scale: 0,
  nullable: true,
  default: null,
  collation: null,
  clr: false,
  keyOrdinal: 0,
  uniqueOrdinal: 0,
  ...rest,
});

const aTable = (...columns: readonly CatalogueColumn[]): CatalogueTable => ({
  schema: 'dbo',
  name: 'a]b',
  type: 'table',
  columns,
});

const recordsStatement = (table: CatalogueTable, query: RecordsQuery) =>
  pages.recordsStatement(sqlserver, table, query);
const rowsStatement = (table: CatalogueTable, query: TableQuery) => pages.rowsStatement(sqlserver, table, query);

const text = (value: string): FilterValue => ({ type: 'text', text: value });
const number = (value: string): FilterValue => ({ type: 'number', text: value });

const orders = aTable(
  aColumn('second', 'int', { keyOrdinal: 2, nullable: false }),
  aColumn('first', 'nvarchar', { declared: 'nvarchar(40)', length: 40, keyOrdinal: 1, nullable: false }),
  aColumn('total', 'decimal', { declared: 'decimal(12,2)', precision: 12, scale: 2 }),
  aColumn('code', 'varchar', { declared: 'varchar(10)', length: 10, collation: 'Latin1_General_CI_AS' }),
  aColumn('paid', 'bit'),
  aColumn('doc', 'xml'),
  aColumn('note', 'ntext'),
  aColumn('place', 'geography', { clr: true }),
);

const shown = ({ text: sql, parameters }: Statement) => ({ sql, values: parameters.map(({ value }) => String(value)) });

const where = (filter: Filter) => {
  const { sql, values } = shown(recordsStatement(orders, { entity: 'dbo.a]b', filter, offset: 0, limit: 10 }));
  return {
    sql: sql
      .split('\n')
      .find((line) => line.startsWith('where '))
      ?.slice(6),
    values: values.slice(0, -2),
  };
};

const refusalOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return error.message;
    throw error;
  }
  throw new Error('A refusal was expected.');
};

describe('statements for SQL Server', () => {
  it('quote names by doubling the closing bracket, and sort them by code point', () => {
    expect(quoteName('a]; drop table x --')).to.equal('[a]]; drop table x --]');
    expect(['\uff5e', '😀', 'b', 'B', 'a'].sort(byCodePoint)).to.deep.equal(['B', 'a', 'b', '\uff5e', '😀']);
  });

  it('read a page in the order of the primary key, one row more than was asked for', () => {
    expect(shown(recordsStatement(orders, { entity: 'dbo.a]b', filter: null, offset: 20, limit: 10 }))).to.deep.equal({
      sql: [
        'select r.[second] as [second], r.[first] as [first], r.[total] as [total], r.[code] as [code], r.[paid] as [paid], r.[doc] as [doc], r.[note] as [note], r.[place].ToString() as [place]',
        'from [dbo].[a]]b] as r',
        'order by r.[first], r.[second]',
        'offset @p0 rows fetch next @p1 rows only',
      ].join('\n'),
      values: ['20', '11'],
    });
  });

  it('read all columns, also new ones, where none needs another form', () => {
    const table = aTable(aColumn('id', 'int', { keyOrdinal: 1 }), aColumn('doc', 'xml'));
    expect(recordsStatement(table, { entity: '', filter: null, offset: 0, limit: 1 }).text).to.match(/^select r\.\*\n/);
    const json = aTable(aColumn('id', 'int', { keyOrdinal: 1 }), aColumn('doc', 'json'));
    expect(recordsStatement(json, { entity: '', filter: null, offset: 0, limit: 1 }).text).to.include(
      'convert(nvarchar(max), r.[doc]) as [doc]',
    );
  });

  it('read without a primary key in the order of a unique index', () => {
    const table = aTable(
      aColumn('doc', 'xml'),
      aColumn('b', 'int', { uniqueOrdinal: 2 }),
      aColumn('a', 'int', { uniqueOrdinal: 1 }),
    );
    expect(recordsStatement(table, { entity: '', filter: null, offset: 0, limit: 1 }).text).to.include(
      'order by r.[a], r.[b]\n',
    );
    const keyed = aTable(aColumn('id', 'int', { keyOrdinal: 1 }), aColumn('a', 'int', { uniqueOrdinal: 1 }));
    expect(recordsStatement(keyed, { entity: '', filter: null, offset: 0, limit: 1 }).text).to.include(
      'order by r.[id]\n',
    );
  });

  it('read without either in the order of all columns, of large ones by a digest, and of texts by one besides', () => {
    const table = aTable(
      aColumn('n', 'int'),
      aColumn('s', 'nvarchar', { length: 40 }),
      aColumn('v', 'varbinary'),
      aColumn('w', 'varbinary', { length: 8 }),
      aColumn('a', 'nvarchar'),
      aColumn('b', 'xml'),
      aColumn('c', 'image'),
      aColumn('d', 'geometry', { clr: true }),
      aColumn('e', 'hierarchyid', { clr: true }),
    );
    expect(recordsStatement(table, { entity: '', filter: null, offset: 0, limit: 1 }).text).to.include(
      [
        'order by r.[n], r.[s], r.[w], r.[e]',
        "hashbytes('SHA2_256', r.[s])",
        "hashbytes('SHA2_256', r.[v])",
        "hashbytes('SHA2_256', r.[a])",
        "hashbytes('SHA2_256', convert(nvarchar(max), r.[b]))",
        "hashbytes('SHA2_256', convert(varbinary(max), r.[c]))",
        "hashbytes('SHA2_256', r.[d].ToString())\n",
      ].join(', '),
    );
  });

  it('read tables from a value on, ties by primary key and no column twice', () => {
    const query: TableQuery = {
      schema: 'dbo',
      name: 'a]b',
      orderBy: 'total',
      direction: 'desc',
      after: '12.5',
      offset: 0,
      limit: 5,
    };
    const { sql, values } = shown(rowsStatement(orders, query));
    expect(sql).to.include(
      'where r.[total] > convert(decimal(12,2), @p0)\norder by r.[total] desc, r.[first], r.[second]\noffset @p1',
    );
    expect(values).to.deep.equal(['12.5', '0', '6']);
    expect(rowsStatement(orders, { ...query, orderBy: 'first', after: null }).text).to.include(
      'order by r.[first] desc, r.[second]\n',
    );
    expect(rowsStatement(orders, { ...query, orderBy: null }).text).to.not.include('where');
  });

  describe('of a deep page', () => {
    const page = { entity: '', filter: null, offset: 1000, limit: 10 };
    const row = { schema: 'dbo', name: 'a]b', direction: 'desc', after: null, offset: 100_000, limit: 5 } as const;

    it('take its keys from an index before they read its rows', () => {
      const filter: Filter = { kind: 'compare', column: 'total', comparison: 'gt', value: number('1') };
      expect(shown(recordsStatement(orders, { ...page, filter }))).to.deep.equal({
        sql: [
          'select r.[second] as [second], r.[first] as [first], r.[total] as [total], r.[code] as [code], r.[paid] as [paid], r.[doc] as [doc], r.[note] as [note], r.[place].ToString() as [place]',
          'from (select r.[first] as k0, r.[second] as k1',
          'from [dbo].[a]]b] as r',
          'where r.[total] > convert(decimal(12,2), @p0)',
          'order by r.[first], r.[second]',
          'offset @p1 rows fetch next @p2 rows only) as page',
          'join [dbo].[a]]b] as r on r.[first] = page.k0 and r.[second] = page.k1',
          'order by r.[first], r.[second]',
        ].join('\n'),
        values: ['1', '1000', '11'],
      });
    });

    it('keep the order that was asked for, within the keys and of the rows', () => {
      const { sql, values } = shown(rowsStatement(orders, { ...row, orderBy: 'total' }));
      expect(sql.match(/order by r\.\[total\] desc, r\.\[first\], r\.\[second\]/g)).to.have.length(2);
      expect(values).to.deep.equal(['100000', '6']);
    });

    it('take the keys from a unique index, but from none that has nulls', () => {
      const unique = (nullable: boolean) =>
        aTable(aColumn('doc', 'xml'), aColumn('a', 'int', { uniqueOrdinal: 1, nullable }));
      expect(recordsStatement(unique(false), page).text).to.include('as r on r.[a] = page.k0');
      expect(recordsStatement(unique(true), page).text).to.not.include('join');
    });

    it('read the rows at once where there is no key, or the page is not deep', () => {
      expect(recordsStatement(aTable(aColumn('n', 'int')), page).text).to.not.include('join');
      expect(recordsStatement(orders, { ...page, offset: 999 }).text).to.not.include('join');
    });
  });

  it('filter by parameters only, as the types of the columns', () => {
    expect(where({ kind: 'compare', column: 'first', comparison: 'eq', value: text("x' or 1=1 --") })).to.deep.equal({
      sql: 'r.[first] = @p0',
      values: ["x' or 1=1 --"],
    });
    expect(where({ kind: 'in', column: 'second', values: [number('1'), text('2')] })).to.deep.equal({
      sql: 'r.[second] in (convert(int, @p0), convert(int, @p1))',
      values: ['1', '2'],
    });
    expect(
      where({ kind: 'compare', column: 'paid', comparison: 'ne', value: { type: 'boolean', value: true } }),
    ).to.deep.equal({
      sql: 'r.[paid] <> convert(bit, @p0)',
      values: ['1'],
    });
    expect(where({ kind: 'compare', column: 'code', comparison: 'gte', value: text('A') })).to.deep.equal({
      sql: 'r.[code] >= convert(varchar(8000), @p0)',
      values: ['A'],
    });
    expect(where({ kind: 'in', column: 'total', values: [number('1.50'), number('1.005')] })).to.deep.equal({
      sql: 'r.[total] in (convert(decimal(12,2), @p0))',
      values: ['1.5'],
    });
    expect(where({ kind: 'in', column: 'total', values: [number('1.005')] })).to.deep.equal({
      sql: 'r.[total] <> r.[total]',
      values: [],
    });
    expect(where({ kind: 'null', column: 'doc', isNull: false })).to.deep.equal({
      sql: 'convert(nvarchar(max), r.[doc]) is not null',
      values: [],
    });
  });

  it('join conditions with their parentheses', () => {
    const one: Filter = { kind: 'null', column: 'paid', isNull: true };
    expect(where({ kind: 'or', parts: [one, { kind: 'and', parts: [one, { kind: 'not', part: one }] }] }).sql).to.equal(
      '(r.[paid] is null or (r.[paid] is null and not (r.[paid] is null)))',
    );
    expect(where({ kind: 'and', parts: [] }).sql).to.equal('1 = 1');
    expect(where({ kind: 'or', parts: [] }).sql).to.equal('1 = 0');
  });

  it('take % and _ and the backslash in like, and brackets as they are', () => {
    const like = (pattern: string) =>
      where({ kind: 'compare', column: 'note', comparison: 'like', value: text(pattern) });
    expect(like('a%_\\%[b]\\[c')).to.deep.equal({
      sql: "convert(nvarchar(max), r.[note]) like @p0 escape N'\\'",
      values: ['a%_\\%\\[b]\\[c'],
    });
  });

  for (const [what, filter, reason] of [
    [
      'a column that is not there',
      { kind: 'null', column: 'tota', isNull: true },
      'There is no column "tota" in dbo.a]b. Did you mean total?',
    ],
    [
      'a column in other letters',
      { kind: 'null', column: 'FIRST', isNull: true },
      'There is no column "FIRST" in dbo.a]b. Did you mean first?',
    ],
    [
      'a value that does not convert',
      { kind: 'compare', column: 'total', comparison: 'gt', value: text('twelve') },
      'Column "total": "twelve" is not a decimal(12,2).',
    ],
    [
      'a number out of range',
      { kind: 'in', column: 'second', values: [number('99999999999')] },
      'Column "second": 99999999999 is an arithmetic overflow of int.',
    ],
    [
      'like on a number',
      { kind: 'compare', column: 'second', comparison: 'like', value: text('1%') },
      'Column "second" is of type int: like compares texts only.',
    ],
    [
      'a comparison of XML',
      { kind: 'compare', column: 'doc', comparison: 'eq', value: text('<a/>') },
      'Column "doc": "<a/>" cannot be compared with a column of type xml.',
    ],
  ] as const) {
    it(`refuse ${what}, naming it`, () => {
      expect(refusalOf(() => where(filter as Filter))).to.equal(reason);
    });
  }

  it('insert values as parameters, nulls as nulls, and nothing as defaults', () => {
    const assignments = assignmentsOf(
      sqlserver,
      orders,
      Object.entries({ first: 'x', total: '1.5', paid: null, note: [1, { a: 'b' }] } as Record<string, JsonValue>),
    );
    const { text: insert, parameters } = insertStatement(sqlserver, orders, assignments);
    expect(insert).to.equal(
      'insert into [dbo].[a]]b] ([first], [total], [paid], [note]) values (@p0, convert(decimal(12,2), @p1), null, @p2)',
    );
    expect(parameters.map(({ value }) => value)).to.deep.equal(['x', '1.5', '[1,{"a":"b"}]']);
    expect(insertStatement(sqlserver, orders, []).text).to.equal('insert into [dbo].[a]]b] default values');
  });

  it('tell every reason why values cannot be stored', () => {
    const values = Object.entries({ nowhere: 1, total: 'x', first: 'a\0', note: ['\ud800'] });
    expect(() => assignmentsOf(sqlserver, orders, values))
      .to.throw(DomainError)
      .with.property(
        'message',
        'There is no column "nowhere" in dbo.a]b. Column "total": "x" is not a decimal(12,2). ' +
          'Column "first": "a\\u0000" holds a NUL character, which cannot be sent. ' +
          'Column "note": ["\\ud800"] holds half of a surrogate pair, which is not text.',
      );
  });

  /** Answers what is written down, statement by statement: what is tested is which statements are asked, and what is made of the answers. */
  const scripted = (...answers: readonly (readonly Row[])[]) => {
    const asked: string[] = [];
    const left = [...answers];
    const query: Run = async <R extends object>({ text: sql }: Statement) => {
      asked.push(sql);
      return (left.shift() ?? []) as readonly object[] as readonly R[];
    };
    return { asked, query };
  };

  const described = orders.columns.map((column) => ({
    schema_name: 'dbo',
    table_name: 'a]b',
    is_view: 0,
    column_name: column.name,
    base_type: column.type,
    declared_type: column.type,
    is_clr: column.clr,
    max_length: 80,
    precision: column.precision,
    scale: column.scale,
    is_nullable: true,
    collation_name: column.collation,
    default_definition: null,
    key_ordinal: column.keyOrdinal,
    unique_ordinal: null,
  }));

  const update = (values: Record<string, string | null>, ...answers: readonly (readonly Row[])[]) => {
    const { asked, query } = scripted(described, ...answers);
    const writer = rowWriter(sqlserver, async (write) => (await write(writing(query))).make());
    const key = { column: 'second', value: 7 };
    return { asked, done: writer.update('dbo.a]b', key, values, new AbortController().signal) };
  };

  it('change one row, and look first whether it is one', async () => {
    const { asked, done } = update({ first: 'x', paid: null }, [{ found: 1 }], [{ affected: 1 }]);
    expect(await done).to.equal(1);
    expect(asked[1]).to.equal('select top (2) 1 as found from [dbo].[a]]b] as r where r.[second] = convert(int, @p0)');
    expect(asked[2]).to.equal(
      [
        'set nocount on;',
        'declare @portico_rows int;',
        'update [dbo].[a]]b] set [first] = @p0, [paid] = null where [second] = convert(int, @p1);',
        'set @portico_rows = @@rowcount;',
        'select @portico_rows as affected',
      ].join('\n'),
    );
  });

  it('change nothing where there is no row, or more than one', async () => {
    const none = update({ first: 'x' }, []);
    expect(await none.done).to.equal(0);
    expect(none.asked).to.have.length(2);
    const two = update({ first: 'x' }, [{ found: 1 }, { found: 1 }]);
    expect((await two.done.catch((error: Error) => error)).toString()).to.match(
      /More than one row.*"second": nothing was changed/,
    );
    expect(two.asked).to.have.length(2);
    const raced = update({ first: 'x' }, [{ found: 1 }], [{ affected: 2 }]);
    expect((await raced.done.catch((error: Error) => error)).toString()).to.match(/More than one row/);
  });

  it('refuse an update of nothing', async () => {
    expect((await update({}).done.catch((error: Error) => error)).toString()).to.match(/nothing to change/);
  });

  it('ask whether a code page can hold a text, only where it may not', async () => {
    const assigned = (code: string) => assignmentsOf(sqlserver, orders, [['code', code]]);
    const plain = scripted([{ affected: 1 }]);
    expect(await insertRow(sqlserver, orders, assigned('plain'), writing(plain.query))).to.equal(1);
    expect(plain.asked).to.have.length(1);
    expect(losslessStatement(assigned('☃')).text).to.equal(
      'select case when convert(varbinary(max), convert(nvarchar(max), convert(varchar(max), @p0 collate Latin1_General_CI_AS))) = convert(varbinary(max), convert(nvarchar(max), @p0)) then 1 else 0 end as c0',
    );
    const lossy = scripted([{ c0: 0 }]);
    const error = await insertRow(sqlserver, orders, assigned('☃'), writing(lossy.query)).catch(
      (thrown: Error) => thrown,
    );
    expect(String(error)).to.match(/Column "code": the text has characters that the code page/);
    expect(lossy.asked).to.have.length(1);
  });
});
