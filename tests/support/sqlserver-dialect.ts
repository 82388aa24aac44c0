import type { Dialect } from '../contracts/connector/harness.ts';
import { attacksOn } from './sqlserver-attacks.ts';

export const quote = (name: string) => `[${name.replaceAll(']', ']]')}]`;

/** A backslash before the end of a line joins the lines, even within a text: such a text is written as its bytes. */
export const literal = (text: string) =>
  /\\\r?\n/.test(text)
    ? `convert(nvarchar(max), 0x${Buffer.from(text, 'utf16le').toString('hex')})`
    : `N'${text.replaceAll("'", "''")}'`;

export const SCHEMA = 'Own "schema"';
export const OTHER_SCHEMA = 'other';

const LONGEST_NAME = 128;

const guid = '0b5a3f2e-1111-4222-8333-444455556666';

/** A function has no way to wait but to be busy. */
export const pause = [
  `create function ${quote(SCHEMA)}.pause (@seconds int) returns int as begin`,
  'declare @until datetime2(7) = dateadd(second, @seconds, sysutcdatetime());',
  'declare @turns bigint = 0;',
  'while sysutcdatetime() < @until set @turns = @turns + 1;',
  'return 1; end',
].join('\n');

export const sqlserverDialect: Dialect = {
  writes: true,
  quote,
  // Names that differ in spaces at their end are the same to the server.
  allows: (name) => name !== '' && name.length <= LONGEST_NAME && !name.includes('\0') && !/\s$/.test(name),
  literal,
  types: {
    integer: 'int',
    bigint: 'bigint',
    exact: 'decimal(38,10)',
    float: 'float',
    text: 'nvarchar(max)',
    short: 'nvarchar(3)',
    boolean: 'bit',
    date: 'date',
    timestamp: 'datetime2(7)',
    uuid: 'uniqueidentifier',
    bytes: 'varbinary(max)',
    unordered: 'xml',
  },
  dataTypes: { exact: 'decimal(38,10)', text: 'nvarchar(max)' },
  values: [
    { declared: 'tinyint', literal: '255', json: '255' },
    { declared: 'smallint', literal: '-32768', json: '-32768' },
    { declared: 'int', literal: '-2147483648', json: '-2147483648' },
    { declared: 'bigint', literal: '9223372036854775807', json: '9223372036854775807' },
    { declared: 'bigint', literal: '-9223372036854775808', json: '-9223372036854775808' },
    {
      declared: 'decimal(38,10)',
      literal: '-1234567890123456789012345678.0000000001',
      json: '-1234567890123456789012345678.0000000001',
    },
    { declared: 'decimal(38,0)', literal: '9'.repeat(38), json: '9'.repeat(38) },
    { declared: 'numeric(5,2)', literal: '0.10', json: '0.10' },
    { declared: 'decimal(9,4)', literal: '-0.0001', json: '-0.0001' },
    { declared: 'money', literal: '922337203685477.5807', json: '922337203685477.5807' },
    { declared: 'money', literal: '-922337203685477.5808', json: '-922337203685477.5808' },
    { declared: 'smallmoney', literal: '-0.0005', json: '-0.0005' },
    { declared: 'float', literal: '0.1e0', json: '0.1' },
    { declared: 'float', literal: '1e300', json: '1e+300' },
    { declared: 'float', literal: '123456789.12345678e0', json: '123456789.12345678' },
    { declared: 'real', literal: '0.1e0', json: '0.1' },
    { declared: 'bit', literal: '1', json: 'true' },
    { declared: 'bit', literal: '0', json: 'false' },
    { declared: 'nvarchar(40)', literal: "N''", json: '""' },
    { declared: 'nvarchar(40)', literal: "N'\"\\/ ☃ 🍎' + nchar(10) + nchar(1)", json: '"\\"\\\\/ ☃ 🍎\\n\\u0001"' },
    { declared: 'nvarchar(max)', literal: "N'NULL'", json: '"NULL"' },
    { declared: 'varchar(40)', literal: "'plain'", json: '"plain"' },
    { declared: 'char(5)', literal: "'ab'", json: '"ab   "' },
    { declared: 'nchar(3)', literal: "N'é'", json: '"é  "' },
    { declared: 'text', literal: "'old'", json: '"old"' },
    { declared: 'ntext', literal: "N'old ☃'", json: '"old ☃"' },
    { declared: 'uniqueidentifier', literal: `'${guid.toUpperCase()}'`, json: `"${guid}"` },
    { declared: 'varbinary(max)', literal: '0x00ff10', json: '"AP8Q"' },
    { declared: 'varbinary(8)', literal: '0x', json: '""' },
    { declared: 'binary(4)', literal: '0xff', json: '"/wAAAA=="' },
    { declared: 'image', literal: '0x00ff', json: '"AP8="' },
    { declared: 'date', literal: "'2026-11-20'", json: '"2026-11-20"' },
    { declared: 'date', literal: "'0001-01-01'", json: '"0001-01-01"' },
    { declared: 'date', literal: "'9999-12-31'", json: '"9999-12-31"' },
    { declared: 'time(7)', literal: "'09:30:00.1234567'", json: '"09:30:00.1234567"' },
    { declared: 'time(0)', literal: "'23:59:59'", json: '"23:59:59"' },
    { declared: 'datetime2(7)', literal: "'2026-11-20T09:30:00.1234567'", json: '"2026-11-20T09:30:00.1234567"' },
    { declared: 'datetime2(3)', literal: "'2026-11-20T09:30:00.120'", json: '"2026-11-20T09:30:00.12"' },
    { declared: 'datetime', literal: "'2026-11-20T09:30:00.003'", json: '"2026-11-20T09:30:00.003"' },
    { declared: 'datetime', literal: "'1753-01-01T00:00:00.997'", json: '"1753-01-01T00:00:00.997"' },
    { declared: 'smalldatetime', literal: "'2026-11-20T09:30:00'", json: '"2026-11-20T09:30:00"' },
    {
      declared: 'datetimeoffset(7)',
      literal: "'2026-11-20T23:30:00.5000001+02:00'",
      json: '"2026-11-20T23:30:00.5000001+02:00"',
    },
    { declared: 'datetimeoffset(0)', literal: "'2026-01-01T00:30:00-05:30'", json: '"2026-01-01T00:30:00-05:30"' },
    { declared: 'datetimeoffset(3)', literal: "'2026-01-01T00:30:00Z'", json: '"2026-01-01T00:30:00+00:00"' },
    { declared: 'xml', literal: 'N\'<a b="c">☃</a>\'', json: '"<a b=\\"c\\">☃</a>"' },
    {
      declared: 'sql_variant',
      literal: 'convert(decimal(38,3), 12345678901234567.890)',
      json: '12345678901234567.890',
    },
    { declared: 'sql_variant', literal: "N'12.50'", json: '"12.50"' },
    { declared: 'sql_variant', literal: 'convert(bigint, 9223372036854775807)', json: '9223372036854775807' },
    {
      declared: 'sql_variant',
      literal: "convert(datetimeoffset(7), '2026-11-20T09:30:00+02:00')",
      json: '"2026-11-20T09:30:00+02:00"',
    },
  ],
  conversions: [
    { declared: 'int', literal: '7', filter: '7', unconvertible: 'seven' },
    { declared: 'tinyint', literal: '7', filter: '7', unconvertible: '256' },
    { declared: 'bigint', literal: '7', filter: '7', unconvertible: '7.5' },
    { declared: 'decimal(10,2)', literal: '7.5', filter: '7.50', unconvertible: '7,5' },
    { declared: 'money', literal: '7.5', filter: '7.50', unconvertible: '$7' },
    { declared: 'float', literal: '0.1e0', filter: '0.1', unconvertible: 'x' },
    { declared: 'real', literal: '0.1e0', filter: '0.1', unconvertible: 'x' },
    { declared: 'bit', literal: '1', filter: 'true', unconvertible: 'maybe' },
    { declared: 'date', literal: "'2026-11-20'", filter: '2026-11-20', unconvertible: '2026-02-30' },
    { declared: 'time(7)', literal: "'09:30'", filter: '09:30:00', unconvertible: 'noon' },
    {
      declared: 'datetime2(7)',
      literal: "'2026-11-20T09:30:00.1234567'",
      filter: '2026-11-20T09:30:00.1234567',
      unconvertible: 'noon',
    },
    {
      declared: 'datetime',
      literal: "'2026-11-20T09:30:00.003'",
      filter: '2026-11-20T09:30:00.003',
      unconvertible: '1066-10-14',
    },
    {
      declared: 'smalldatetime',
      literal: "'2026-11-20T09:30:00'",
      filter: '2026-11-20T09:30:00',
      unconvertible: 'noon',
    },
    {
      declared: 'datetimeoffset(7)',
      literal: "'2026-11-20T09:30:00Z'",
      filter: '2026-11-20T11:30:00+02:00',
      unconvertible: '2026-11-20T99:00',
    },
    { declared: 'uniqueidentifier', literal: `'${guid}'`, filter: guid.toUpperCase(), unconvertible: 'no-uuid' },
    { declared: 'varbinary(8)', literal: '0x00ff', filter: 'AP8=', unconvertible: 'no base64!' },
  ],
  series: (count) =>
    `select top (${count}) convert(int, row_number() over (order by (select null))) as n from sys.all_columns as a cross join sys.all_columns as b order by n`,
  slow: (seconds) => `select ${quote(SCHEMA)}.pause(${seconds}) as late`,
  endless: () =>
    "with r as (select convert(bigint, 1) as n union all select n + 1 from r) select n, replicate('x', 1000) as filler from r option (maxrecursion 0)",
  faulty: { sql: 'select 1 as a,\n  nowhere from sys.objects', told: /'nowhere' \(line 2\)/ },
  catalogue: ['sys.objects', 'information_schema.tables', 'sysobjects'],
  attacks: (table) => attacksOn(table, quote(SCHEMA)),
  innocent: (table) => [
    { sql: "select 'delete from x; drop table y' as a", rows: '[{"a":"delete from x; drop table y"}]' },
    { sql: 'select 1 as [delete], 2 as "into"', rows: '[{"delete":1,"into":2}]' },
    { sql: '(select 1 as a) union all (select 2) order by 1', rows: '[{"a":1},{"a":2}]' },
    { sql: 'select case when 1 = 1 then 2 else 3 end as a', rows: '[{"a":2}]' },
    { sql: ';with [insert] (a) as (select 1) select a from [insert];', rows: '[{"a":1}]' },
    { sql: `select t.id as set_ from ${table} as t with (nolock) where t.id in (2)`, rows: '[{"set_":2}]' },
    { sql: `select id from ${table} order by id offset 1 rows fetch next 1 rows only`, rows: '[{"id":2}]' },
    { sql: 'select [1] as a from (select 1 as k, 5 as v) as s pivot (sum(v) for k in ([1])) as p', rows: '[{"a":5}]' },
    { sql: "select value as a from openjson(N'[1,2]')", rows: '[{"a":"1"},{"a":"2"}]' },
    { sql: 'select count(*), 2 from sys.schemas where 1 = 0', rows: '[{"column_1":0,"column_2":2}]' },
    {
      sql: `select id from ${table} where id = 1 for json path`,
      rows: '[{"JSON_F52E2B61-18A1-11d1-B105-00805F49916B":"[{\\"id\\":1}]"}]',
    },
    { sql: 'select @@trancount as a', rows: '[{"a":1}]' },
  ],
};
