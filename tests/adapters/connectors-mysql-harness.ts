import { randomUUID } from 'node:crypto';
import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import type { Connection } from '../../src/domain/connection.ts';
import type { ConnectorHarness, Dialect } from '../contracts/connector/harness.ts';
import { quiet } from '../support/log.ts';
import { attacks } from './connectors-mysql-attacks.ts';

export const sealer = { seal: (plain: string) => plain, open: (sealed: string) => sealed };

export const aConnection = (url: string, name = 'ledger'): Connection => ({
  id: randomUUID(),
  workspaceId: randomUUID(),
  name,
  type: 'mysql',
  sealedUrl: url,
  visibleTo: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

export const withAddress = (
  url: string,
  change: Partial<Pick<URL, 'hostname' | 'port' | 'username' | 'password' | 'pathname'>>,
) => Object.assign(new URL(url), change).href;

export const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``;
export const literal = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;

const LONGEST_NAME = 64;
/** The file of a table has five bytes for each character that is no letter or digit. */
const MOST_FILE_BYTES = 240;

/** Names are of the basic plane, and end with no white space. */
const allows = (name: string) =>
  name !== '' &&
  name.length <= LONGEST_NAME &&
  !/\s$/.test(name) &&
  !/[\0\ud800-\udfff\uffff]/.test(name) &&
  [...name].reduce((bytes, character) => bytes + (/\w/.test(character) ? 1 : 5), 0) <= MOST_FILE_BYTES;

export const mysqlDialect: Dialect = {
  writes: true,
  quote,
  allows,
  folded: (name) =>
    name
      .normalize('NFKD')
      .replaceAll(/[^ -~]/g, '?')
      .toLowerCase(),
  comment: '/* nested */',
  literal,
  types: {
    integer: 'int',
    bigint: 'bigint',
    exact: 'decimal(38,10)',
    float: 'double',
    text: 'longtext',
    short: 'varchar(3)',
    boolean: 'boolean',
    date: 'date',
    timestamp: 'datetime',
    uuid: 'char(36)',
    bytes: 'longblob',
    unordered: 'longtext',
  },
  dataTypes: { exact: 'decimal(38,10)', text: 'longtext' },
  values: [
    { declared: 'bigint', literal: '9223372036854775807', json: '9223372036854775807' },
    { declared: 'bigint', literal: '-9223372036854775808', json: '-9223372036854775808' },
    { declared: 'bigint unsigned', literal: '18446744073709551615', json: '18446744073709551615' },
    { declared: 'int unsigned', literal: '4294967295', json: '4294967295' },
    { declared: 'int(8) zerofill', literal: '42', json: '42' },
    { declared: 'mediumint', literal: '-8388608', json: '-8388608' },
    { declared: 'smallint', literal: '-1', json: '-1' },
    { declared: 'tinyint', literal: '-128', json: '-128' },
    { declared: 'year', literal: '2026', json: '2026' },
    {
      declared: 'decimal(65,30)',
      literal: '12345678901234567890123456789012345.678901234567890123456789012345',
      json: '12345678901234567890123456789012345.678901234567890123456789012345',
    },
    { declared: 'decimal(5,2)', literal: '0.10', json: '0.10' },
    { declared: 'decimal(5,2)', literal: '-0.5', json: '-0.50' },
    { declared: 'decimal(8,2) zerofill', literal: '7.5', json: '7.50' },
    { declared: 'double', literal: '0.1', json: '0.1' },
    { declared: 'double', literal: '1e300', json: '1e+300' },
    { declared: 'double', literal: '0.30000000000000004', json: '0.30000000000000004' },
    { declared: 'float', literal: '16777216', json: '16777216' },
    { declared: 'float', literal: '0.1', json: '0.1' },
    { declared: 'float', literal: '1.2345678', json: '1.2345678' },
    { declared: 'boolean', literal: 'true', json: 'true' },
    { declared: 'boolean', literal: 'false', json: 'false' },
    { declared: 'boolean', literal: '2', json: '2' },
    { declared: 'bit(1)', literal: `b'1'`, json: '1' },
    { declared: 'bit(64)', literal: `b'${'1'.repeat(64)}'`, json: '18446744073709551615' },
    { declared: 'text', literal: `''`, json: '""' },
    {
      declared: 'text character set utf8mb4',
      literal: `'"\\\\\\n\\t\u0001/ ☃ 🍎 \u2028'`,
      json: '"\\"\\\\\\n\\t\\u0001/ ☃ 🍎 \u2028"',
    },
    { declared: 'varchar(5) character set latin1', literal: `'äöü'`, json: '"äöü"' },
    { declared: 'text', literal: `'NULL'`, json: '"NULL"' },
    { declared: 'char(5)', literal: `'ab'`, json: '"ab"' },
    { declared: `enum('a','b"c')`, literal: `'b"c'`, json: '"b\\"c"' },
    { declared: `set('a','b')`, literal: `'a,b'`, json: '"a,b"' },
    { declared: 'varbinary(5)', literal: `x'00ff10'`, json: '"AP8Q"' },
    { declared: 'binary(4)', literal: `x'00ff10'`, json: '"AP8QAA=="' },
    { declared: 'blob', literal: `''`, json: '""' },
    { declared: 'longblob', literal: `repeat(x'00', 100)`, json: `"${Buffer.alloc(100).toString('base64')}"` },
    { declared: 'date', literal: `'2026-11-20'`, json: '"2026-11-20"' },
    { declared: 'date', literal: `'0001-01-01'`, json: '"0001-01-01"' },
    { declared: 'date', literal: `'0000-00-00'`, json: '"0000-00-00"' },
    { declared: 'date', literal: `'2026-11-00'`, json: '"2026-11-00"' },
    { declared: 'datetime', literal: `'2026-11-20 09:30:00'`, json: '"2026-11-20T09:30:00"' },
    { declared: 'datetime', literal: `'2026-11-20 00:00:00'`, json: '"2026-11-20T00:00:00"' },
    { declared: 'datetime(6)', literal: `'2026-11-20 09:30:00.123456'`, json: '"2026-11-20T09:30:00.123456"' },
    { declared: 'datetime(3)', literal: `'2026-11-20 09:30:00.120'`, json: '"2026-11-20T09:30:00.12"' },
    { declared: 'datetime', literal: `'0000-00-00 00:00:00'`, json: '"0000-00-00T00:00:00"' },
    { declared: 'timestamp(6)', literal: `'2026-11-20 09:30:00.5'`, json: '"2026-11-20T09:30:00.5+00:00"' },
    { declared: 'timestamp', literal: `'2026-07-01 12:00:00'`, json: '"2026-07-01T12:00:00+00:00"' },
    { declared: 'time(3)', literal: `'09:30:00.5'`, json: '"09:30:00.5"' },
    { declared: 'time', literal: `'-838:59:59'`, json: '"-838:59:59"' },
    { declared: 'json', literal: `'{"a" : [1.0, null], "b": 2}'`, json: '{"a" : [1.0, null], "b": 2}' },
    { declared: 'json', literal: `'{"n": 12345678901234567890.10}'`, json: '{"n": 12345678901234567890.10}' },
    { declared: 'point', literal: 'point(1, 2.5)', json: '{"x":1,"y":2.5}' },
    {
      declared: 'uuid',
      literal: `'0b5a3f2e-1111-4222-8333-444455556666'`,
      json: '"0b5a3f2e-1111-4222-8333-444455556666"',
    },
    { declared: 'inet6', literal: `'::1'`, json: '"::1"' },
  ],
  conversions: [
    { declared: 'int', literal: '7', filter: '7', unconvertible: 'seven' },
    {
      declared: 'bigint unsigned',
      literal: '18446744073709551615',
      filter: '18446744073709551615',
      unconvertible: 'x',
    },
    { declared: 'decimal(10,2)', literal: '7.5', filter: '7.50', unconvertible: '7,5' },
    { declared: 'double', literal: '0.1', filter: '0.1', unconvertible: 'x' },
    { declared: 'float', literal: '0.1', filter: '0.1', unconvertible: 'x' },
    { declared: 'boolean', literal: 'true', filter: 'true', unconvertible: 'maybe' },
    { declared: 'bit(8)', literal: '5', filter: '5', unconvertible: '-5' },
    { declared: 'year', literal: '2026', filter: '2026', unconvertible: 'MMXXVI' },
    { declared: 'date', literal: `'2026-11-20'`, filter: '2026-11-20', unconvertible: '2026-02-30' },
    { declared: 'datetime', literal: `'2026-11-20 09:30'`, filter: '2026-11-20T09:30:00', unconvertible: 'noon' },
    {
      declared: 'timestamp',
      literal: `'2026-11-20 09:30'`,
      filter: '2026-11-20T11:30:00+02:00',
      unconvertible: '2026-11-20T99:00',
    },
    { declared: 'time', literal: `'30:00:00'`, filter: '30:00:00', unconvertible: 'early' },
    { declared: 'varbinary(9)', literal: `x'00ff'`, filter: 'AP8=', unconvertible: 'no base64!' },
    {
      declared: 'uuid',
      literal: `'0b5a3f2e-1111-4222-8333-444455556666'`,
      filter: '0B5A3F2E-1111-4222-8333-444455556666',
      unconvertible: 'no-uuid',
    },
  ],
  series: (count) =>
    `select (a.n - 1) * 1000 + b.n as n from contract_views.many a, contract_views.many b where a.n <= ${Math.ceil(count / 1000)} order by n limit ${count}`,
  slow: (seconds) => `select late from contract_views.sleeps_${seconds}`,
  endless: () =>
    `select a.n, repeat('x', 1000) as filler from contract_views.many a, contract_views.many b, contract_views.many c, contract_views.many d`,
  faulty: { sql: 'select 1 as a,\n  nowhere from information_schema.tables', told: /Unknown column 'nowhere'/ },
  catalogue: ['information_schema.tables', 'INFORMATION_SCHEMA.COLUMNS', 'mysql.db'],
  attacks,
  innocent: (table) => [
    { sql: `select 'delete from x; drop table y' as a`, rows: '[{"a":"delete from x; drop table y"}]' },
    { sql: `select "it''s; /*! x */ -- # " as a`, rows: '[{"a":"it\'\'s; /*! x */ -- # "}]' },
    { sql: 'select 1 as `delete`, 2 as `into`', rows: '[{"delete":1,"into":2}]' },
    { sql: `(select 1 as a) union all (select 2) order by 1`, rows: '[{"a":1},{"a":2}]' },
    { sql: `with a (nextval) as (select 1) select nextval from a`, rows: '[{"nextval":1}]' },
    { sql: `select t.id as sleep from ${table} t where t.id in (2)`, rows: '[{"sleep":2}]' },
    { sql: `select @@session.tx_read_only as a`, rows: '[{"a":1}]' },
    { sql: `select @x is null as a`, rows: '[{"a":1}]' },
    { sql: `select rand() < 2 as a, length(uuid()) as b`, rows: '[{"a":1,"b":36}]' },
    { sql: `select count(*) as n from ${table} # here`, rows: '[{"n":3}]' },
    { sql: `select group_concat(id order by id desc separator '/') as a from ${table}`, rows: '[{"a":"3/2/1"}]' },
    { sql: `select id, rank() over (order by id desc) as r from ${table} limit 1`, rows: '[{"id":3,"r":1}]' },
    { sql: `select case when 1 then interval 1 day + date '2026-01-01' end as a`, rows: '[{"a":"2026-01-02"}]' },
  ],
};

/** $1: the schemas. */
const fingerprints = (schemas: string) => [
  `select table_schema, table_name, table_type, create_time from information_schema.tables where table_schema in (${schemas}) order by 1, 2`,
  `select routine_schema, routine_name, last_altered from information_schema.routines where routine_schema in (${schemas}) order by 1, 2`,
  `select schema_name from information_schema.schemata order by 1`,
  `select user, host from mysql.user order by 1, 2`,
  `select variable_name, variable_value from information_schema.global_variables
   where variable_name in ('SQL_MODE', 'MAX_CONNECTIONS', 'READ_ONLY', 'TX_READ_ONLY', 'GENERAL_LOG', 'EVENT_SCHEDULER') order by 1`,
  `select n from contract_views.written`,
];

export interface MysqlHarness extends ConnectorHarness {
  readonly admin: Pool;
  /** Of the login that owns the schemas. */
  readonly url: string;
  drop(): Promise<void>;
}

export const mysqlHarness = async (server: string): Promise<MysqlHarness> => {
  const suffix = randomUUID().slice(0, 8);
  const [schema, otherSchema] = [`Own schema ${suffix}`, `other_${suffix}`];
  const [owner, reader, blind] = [`owner_${suffix}`, `reader_${suffix}`, `blind_${suffix}`];
  const admin = createPool({
    uri: server,
    connectionLimit: 4,
    charset: 'utf8mb4_general_ci',
    disableEval: true,
  });
  const blocking = new Set<PoolConnection>();
  const run = async (session: Pool | PoolConnection, statement: string) => void (await session.query(statement));
  const execute = async (...statements: readonly string[]) => {
    const session = await admin.getConnection();
    try {
      // What a server of old has let in is part of what is read.
      await run(session, `set session sql_mode = '', time_zone = '+00:00'`);
      for (const statement of statements) await run(session, statement);
    } finally {
      session.release();
    }
  };
  await execute(
    `create database ${quote(schema)} character set utf8mb4`,
    `create database ${quote(otherSchema)} character set utf8mb4`,
    'create database if not exists contract_views character set utf8mb4',
    'create or replace view contract_views.sleeps_60 as select sleep(60) as late',
    'create or replace view contract_views.many as with recursive s (n) as (select 1 union all select n + 1 from s where n < 1000) select n from s',
    'create table if not exists contract_views.written (n int)',
    'drop function if exists contract_views.attack_writes',
    'create function contract_views.attack_writes() returns int begin insert into contract_views.written values (1); return 1; end',
    `create or replace view contract_views.attack_view as select contract_views.attack_writes() as a`,
    ...[owner, reader, blind].map((user) => `create user ${user}@'%' identified by '${user}'`),
    ...[schema, otherSchema, 'contract_views'].map((name) => `grant all on ${quote(name)}.* to ${owner}@'%'`),
    `grant select on mysql.* to ${owner}@'%'`,
    `grant file, process on *.* to ${owner}@'%'`,
    `grant select on ${quote(schema)}.* to ${reader}@'%'`,
  );
  const url = withAddress(server, { username: owner, password: owner });
  const { hostname: host, port } = new URL(url);
  const connection = aConnection(url);
  const at = (change: Parameters<typeof withAddress>[1], name: string) => aConnection(withAddress(url, change), name);
  const own = `information_schema.processlist where user in ('${owner}', '${reader}', '${blind}')`;
  const rowsOf = async (sql: string) => (await admin.query<RowDataPacket[]>(sql))[0];
  const counted = async (sql: string) => Number((await rowsOf(`select count(*) as n from ${sql}`))[0]?.n);

  return {
    admin,
    url,
    schema,
    otherSchema,
    connection,
    reader: at({ username: reader, password: reader }, 'readers'),
    blind: at({ username: blind, password: blind }, 'blind'),
    unreachable: at({ port: '1' }, 'nowhere'),
    unnamed: at({ hostname: 'nowhere.invalid' }, 'unnamed'),
    wrongPassword: at({ password: 'not-the-password' }, 'locked'),
    address: { host, port: Number(port) },
    via: (through) => ({
      ...connection,
      id: randomUUID(),
      sealedUrl: withAddress(url, { hostname: '127.0.0.1', port: String(through) }),
    }),
    open: ({ timeoutSeconds = 60, poolSize = 4 } = {}) => connectors({ sealer, log: quiet, timeoutSeconds, poolSize }),
    execute,
    async fingerprint() {
      const parts = [];
      for (const sql of fingerprints([schema, otherSchema].map(literal).join(', '))) parts.push(await rowsOf(sql));
      return JSON.stringify(parts, null, 1);
    },
    busy: () =>
      counted(
        `${own} and (command <> 'Sleep' or id in (select trx_mysql_thread_id from information_schema.innodb_trx))`,
      ),
    sessions: () => counted(own),
    async terminate() {
      for (const { id } of await rowsOf(`select id from ${own}`)) await admin.query(`kill ${id}`).catch(() => {});
    },
    async block(table) {
      const session = await admin.getConnection();
      blocking.add(session);
      await session.query(`lock tables ${table} write`);
      return async () => {
        blocking.delete(session);
        await session.query('unlock tables');
        session.release();
      };
    },
    async drop() {
      // What a failed test left locked could not be dropped.
      for (const session of blocking) session.destroy();
      await execute(
        ...[schema, otherSchema].map((name) => `drop database ${quote(name)}`),
        ...[owner, reader, blind].map((user) => `drop user ${user}@'%'`),
      );
      await admin.end();
    },
  };
};
