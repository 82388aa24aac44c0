import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import type { Connection } from '../../src/domain/connection.ts';
import type { ConnectorHarness, Dialect } from '../contracts/connector/harness.ts';
import { quiet } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { attacks, preparations } from './connectors-postgresql-attacks.ts';

const { escapeIdentifier, escapeLiteral } = pg;

export const sealer = { seal: (plain: string) => plain, open: (sealed: string) => sealed };

export const aConnection = (url: string, name = 'ledger'): Connection => ({
  id: randomUUID(),
  workspaceId: randomUUID(),
  name,
  type: 'postgresql',
  sealedUrl: url,
  visibleTo: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

export const withAddress = (
  url: string,
  change: Partial<Pick<URL, 'hostname' | 'port' | 'username' | 'password' | 'pathname'>>,
) => Object.assign(new URL(url), change).href;

const LONGEST_NAME = 63;

const uuid = '0b5a3f2e-1111-4222-8333-444455556666';

export const postgresqlDialect: Dialect = {
  writes: true,
  quote: escapeIdentifier,
  allows: (name) => name !== '' && !name.includes('\0') && Buffer.byteLength(name) <= LONGEST_NAME,
  literal: escapeLiteral,
  types: {
    integer: 'integer',
    bigint: 'bigint',
    exact: 'numeric(38,10)',
    float: 'double precision',
    text: 'text',
    short: 'varchar(3)',
    boolean: 'boolean',
    date: 'date',
    timestamp: 'timestamp',
    uuid: 'uuid',
    bytes: 'bytea',
    unordered: 'xml',
  },
  dataTypes: { exact: 'numeric(38,10)', text: 'text' },
  values: [
    { declared: 'bigint', literal: '9223372036854775807', json: '9223372036854775807' },
    { declared: 'bigint', literal: '-9223372036854775808', json: '-9223372036854775808' },
    { declared: 'smallint', literal: '-1', json: '-1' },
    { declared: 'oid', literal: '4294967295', json: '4294967295' },
    {
      declared: 'numeric',
      literal: '123456789012345678901234567890.000100',
      json: '123456789012345678901234567890.000100',
    },
    { declared: 'numeric(5,2)', literal: '0.10', json: '0.10' },
    { declared: 'numeric', literal: `'NaN'`, json: '"NaN"' },
    { declared: 'double precision', literal: '0.1', json: '0.1' },
    { declared: 'double precision', literal: '1e300', json: '1e+300' },
    { declared: 'double precision', literal: `'-Infinity'`, json: '"-Infinity"' },
    { declared: 'double precision', literal: `'-0'`, json: '-0' },
    { declared: 'real', literal: `'NaN'`, json: '"NaN"' },
    { declared: 'boolean', literal: 'true', json: 'true' },
    { declared: 'boolean', literal: 'false', json: 'false' },
    { declared: 'text', literal: `''`, json: '""' },
    { declared: 'text', literal: `E'"\\\\\\n\\t\\u0001/ ☃ 🍎 \\u2028'`, json: '"\\"\\\\\\n\\t\\u0001/ ☃ 🍎 \u2028"' },
    { declared: 'text', literal: `'NULL'`, json: '"NULL"' },
    { declared: 'char(5)', literal: `'ab'`, json: '"ab   "' },
    { declared: 'uuid', literal: `'${uuid}'`, json: `"${uuid}"` },
    { declared: 'bytea', literal: `'\\x00ff10'`, json: '"AP8Q"' },
    {
      declared: 'bytea',
      literal: `decode(repeat('00', 100), 'hex')`,
      json: `"${Buffer.alloc(100).toString('base64')}"`,
    },
    { declared: 'bytea', literal: `''`, json: '""' },
    { declared: 'date', literal: `'2026-11-20'`, json: '"2026-11-20"' },
    { declared: 'date', literal: `'infinity'`, json: '"infinity"' },
    { declared: 'date', literal: `'0044-03-15 BC'`, json: '"-0043-03-15"' },
    { declared: 'date', literal: `'0001-01-01 BC'`, json: '"0000-01-01"' },
    { declared: 'date', literal: `'12026-01-01'`, json: '"+12026-01-01"' },
    { declared: 'time', literal: `'09:30:00.5'`, json: '"09:30:00.5"' },
    { declared: 'timetz', literal: `'09:30:00+02'`, json: '"09:30:00+02:00"' },
    { declared: 'timetz', literal: `'09:30:00-05:30'`, json: '"09:30:00-05:30"' },
    { declared: 'timestamp', literal: `'2026-11-20 09:30:00.123456'`, json: '"2026-11-20T09:30:00.123456"' },
    { declared: 'timestamp', literal: `'-infinity'`, json: '"-infinity"' },
    { declared: 'timestamptz', literal: `'2026-11-20 09:30:00.123456+02'`, json: '"2026-11-20T07:30:00.123456+00:00"' },
    { declared: 'timestamptz', literal: `'0044-03-15 12:00:00+00 BC'`, json: '"-0043-03-15T12:00:00+00:00"' },
    { declared: 'timestamptz', literal: `'infinity'`, json: '"infinity"' },
    { declared: 'interval', literal: `'1 year 2 mons 3 days 04:05:06.7'`, json: '"P1Y2M3DT4H5M6.7S"' },
    { declared: 'interval', literal: `'-1 day'`, json: '"P-1D"' },
    { declared: 'json', literal: `'{"a" : [1.0, null], "a": 2}'`, json: '{"a" : [1.0, null], "a": 2}' },
    { declared: 'jsonb', literal: `'{"n": 12345678901234567890.10}'`, json: '{"n": 12345678901234567890.10}' },
    { declared: 'jsonb', literal: `'null'`, json: 'null' },
    { declared: 'xml', literal: `'<a b="c"/>'`, json: '"<a b=\\"c\\"/>"' },
    { declared: 'money', literal: `'1234.5'::numeric::money`, json: '"$1,234.50"' },
    { declared: 'inet', literal: `'10.0.0.1/8'`, json: '"10.0.0.1/8"' },
    { declared: 'int4range', literal: `'[1,5)'`, json: '"[1,5)"' },
    { declared: 'point', literal: `'(1,2)'`, json: '"(1,2)"' },
    { declared: 'bit(3)', literal: `B'101'`, json: '"101"' },
    { declared: 'tsvector', literal: `'a:1'`, json: `"'a':1"` },
    { declared: '"char"', literal: `'x'`, json: '"x"' },
    { declared: 'int[]', literal: `'{1,NULL,3}'`, json: '[1,null,3]' },
    { declared: 'int[]', literal: `'{}'`, json: '[]' },
    { declared: 'int[]', literal: `'{{1,2},{3,4}}'`, json: '[[1,2],[3,4]]' },
    { declared: 'int[]', literal: `'[0:1]={7,8}'`, json: '[7,8]' },
    {
      declared: 'text[]',
      literal: `array['a,b', '"', E'\\\\', '', 'NULL', '{x}', null, 'ä ☃', E'\\n']`,
      json: '["a,b","\\"","\\\\","","NULL","{x}",null,"ä ☃","\\n"]',
    },
    { declared: 'boolean[]', literal: `'{t,f}'`, json: '[true,false]' },
    { declared: 'numeric[]', literal: `'{1.50,NaN}'`, json: '[1.50,"NaN"]' },
    { declared: 'bytea[]', literal: `array['\\x00ff'::bytea]`, json: '["AP8="]' },
    {
      declared: 'timestamptz[]',
      literal: `array['2026-11-20 09:30+00'::timestamptz]`,
      json: '["2026-11-20T09:30:00+00:00"]',
    },
    { declared: 'jsonb[]', literal: `array['{"a": "b,c"}'::jsonb]`, json: '[{"a": "b,c"}]' },
    {
      declared: 'box[]',
      literal: `array['(1,1),(0,0)'::box, '(3,3),(2,2)'::box]`,
      json: '["(1,1),(0,0)","(3,3),(2,2)"]',
    },
    { declared: 'mood', literal: `'a "b"'`, json: '"a \\"b\\""' },
    { declared: 'mood[]', literal: `array['ok', 'a "b"']::mood[]`, json: '["ok","a \\"b\\""]' },
    { declared: 'amount', literal: '1.50', json: '1.50' },
    { declared: 'amount[]', literal: `'{1.50}'`, json: '[1.50]' },
    {
      declared: 'pair',
      literal: `row(1, 'a "b", \\ c', '{1,2}')`,
      json: '{"a":1,"b ☃":"a \\"b\\", \\\\ c","c":[1,2]}',
    },
    { declared: 'pair', literal: `row(null, '', null)`, json: '{"a":null,"b ☃":"","c":null}' },
    {
      declared: 'pair[]',
      literal: `array[row(1, 'x,"y"', '{"7"}')::pair, null]`,
      json: '[{"a":1,"b ☃":"x,\\"y\\"","c":[7]},null]',
    },
    {
      declared: 'nested',
      literal: `row(row(1, '(,)', null)::pair, '2026-11-20')`,
      json: '{"p":{"a":1,"b ☃":"(,)","c":null},"d":"2026-11-20"}',
    },
  ],
  conversions: [
    { declared: 'integer', literal: '7', filter: '7', unconvertible: 'seven' },
    { declared: 'smallint', literal: '7', filter: '7', unconvertible: '70000' },
    { declared: 'numeric(10,2)', literal: '7.5', filter: '7.50', unconvertible: '7,5' },
    { declared: 'double precision', literal: '0.1', filter: '0.1', unconvertible: 'x' },
    { declared: 'boolean', literal: 'true', filter: 'true', unconvertible: 'maybe' },
    { declared: 'date', literal: `'2026-11-20'`, filter: '2026-11-20', unconvertible: '2026-02-30' },
    { declared: 'timestamp', literal: `'2026-11-20 09:30'`, filter: '2026-11-20T09:30:00', unconvertible: 'noon' },
    {
      declared: 'timestamptz',
      literal: `'2026-11-20 09:30+00'`,
      filter: '2026-11-20T11:30:00+02:00',
      unconvertible: '2026-11-20T99:00',
    },
    { declared: 'date', literal: `'0044-03-15 BC'`, filter: '-0043-03-15', unconvertible: '-0043-02-30' },
    { declared: 'interval', literal: `'1 day'`, filter: 'P1D', unconvertible: 'P1X' },
    { declared: 'uuid', literal: `'${uuid}'`, filter: uuid.toUpperCase(), unconvertible: 'no-uuid' },
    { declared: 'bytea', literal: `'\\x00ff'`, filter: 'AP8=', unconvertible: 'no base64!' },
    { declared: 'jsonb', literal: `'{"a": 1}'`, filter: '{"a":1.0}', unconvertible: '{a}' },
    { declared: 'mood', literal: `'ok'`, filter: 'ok', unconvertible: 'sad' },
    { declared: 'amount', literal: '1.5', filter: '1.50', unconvertible: 'x' },
    { declared: 'int[]', literal: `'{1,2}'`, filter: '{1,2}', unconvertible: '{x}' },
    { declared: 'inet', literal: `'10.0.0.1'`, filter: '10.0.0.1', unconvertible: 'host' },
  ],
  series: (count) => `select n from generate_series(1, ${count}) as s (n) order by n`,
  slow: (seconds) => `select public.contract_sleeps(${seconds}) as late`,
  endless: () =>
    `with recursive r (n) as (select 1::bigint union all select n + 1 from r) select n, repeat('x', 1000) as filler from r`,
  faulty: { sql: 'select 1 as a,\n  nowhere from pg_class', told: /"nowhere" does not exist \(line 2, column 3\)/ },
  catalogue: ['pg_catalog.pg_class', 'pg_class', 'information_schema.tables', 'pg_tables'],
  attacks,
  innocent: (table) => [
    { sql: `select 'delete from x; drop table y' as a`, rows: '[{"a":"delete from x; drop table y"}]' },
    { sql: `select $x$; delete $$ from$x$ as a`, rows: '[{"a":"; delete $$ from"}]' },
    { sql: `select 1 as "delete", 2 as "into"`, rows: '[{"delete":1,"into":2}]' },
    { sql: `(select 1 as a) union all (select 2) order by 1`, rows: '[{"a":1},{"a":2}]' },
    { sql: `with a (nextval) as (select 1) select nextval from a`, rows: '[{"nextval":1}]' },
    { sql: `select t.id as set_config from ${table} t where t.id in (2)`, rows: '[{"set_config":2}]' },
    { sql: `values (1, 'a')`, rows: '[{"column1":1,"column2":"a"}]' },
    { sql: `show transaction_read_only`, rows: '[{"transaction_read_only":"on"}]' },
    {
      sql: `select current_setting('transaction_isolation') as a, now() is null as b`,
      rows: '[{"a":"read committed","b":false}]',
    },
    { sql: `select random() < 2 as a, length(gen_random_uuid()::text) as b`, rows: '[{"a":true,"b":36}]' },
    { sql: `select count(*) as n from ${table} tablesample system (100)`, rows: '[{"n":3}]' },
    { sql: `select pg_relation_size('pg_class') > 0 as a`, rows: '[{"a":true}]' },
  ],
};

/** Of each table of these schemas, how many rows there are and the last transaction that wrote one of them. */
const contents = `
create function contract_contents(schemas text[]) returns text language plpgsql as $$
declare found record; part record; whole text := '';
begin
  for found in select schemaname, tablename from pg_tables where schemaname = any(schemas) order by 1, 2 loop
    execute format('select count(*) as rows, max(xmin::text::int8) as writer from %I.%I', found.schemaname, found.tablename)
      into part;
    whole := whole || format('%s.%s: %s %s', found.schemaname, found.tablename, part.rows, part.writer) || e'\\n';
  end loop;
  return whole;
end $$`;

/** Stands for a statement that takes long: the server's own function is refused. */
const sleeps = `
create function public.contract_sleeps(seconds float8) returns boolean language plpgsql stable as $$
begin perform pg_sleep(seconds); return false; end $$`;

/** $1: the schemas. */
const fingerprints = [
  `select contract_contents($1::text[]) as contents`,
  `select c.oid::int8, c.relname, c.relkind::text from pg_class c join pg_namespace n on n.oid = relnamespace where n.nspname = any($1::text[]) order by 1`,
  `select proname::text from pg_proc join pg_namespace n on n.oid = pronamespace where n.nspname = any($1::text[]) order by 1`,
  `select count(*) as locks from pg_locks l join pg_stat_activity a using (pid) where l.locktype = 'advisory' and a.application_name = 'portico' and $1::text[] is not null`,
  ...[
    `select sequencename::text, last_value from pg_sequences order by 1`,
    `select rolname::text, rolsuper from pg_roles order by 1`,
    `select oid::int8 from pg_largeobject_metadata order by 1`,
    `select slot_name::text from pg_replication_slots where slot_name = 'attack'`,
    `select name, setting from pg_file_settings order by 1`,
    `select setdatabase::int8, setrole::int8, setconfig::text from pg_db_role_setting order by 1, 2`,
    `select pg_stat_file('/tmp/portico-attack', true) is null as nowhere`,
    `select gid from pg_prepared_xacts`,
  ].map((sql) => `select * from (${sql}) as x where $1::text[] is not null`),
];

/** Is ended, or told something, where an attack gets through. */
const canaryOn = async (url: string) => {
  const canary = new pg.Client({ connectionString: url, application_name: 'canary' });
  let song = 'alive';
  canary.on('error', () => {
    song = 'ended';
  });
  canary.on('notification', ({ payload }) => {
    song = `told ${payload}`;
  });
  await canary.connect();
  await canary.query('listen attack');
  return { song: () => song, close: () => canary.end() };
};

export interface PostgresqlHarness extends ConnectorHarness {
  readonly admin: pg.Pool;
  readonly url: string;
  drop(): Promise<void>;
}

export const postgresqlHarness = async (server: string): Promise<PostgresqlHarness> => {
  const { url, drop } = await emptyDatabase(server);
  const admin = new pg.Pool({ connectionString: url, application_name: 'contract', max: 4 });
  const blocking = new Set<pg.PoolClient>();
  admin.on('error', () => {});
  const execute = async (...statements: readonly string[]) => {
    for (const statement of statements) await admin.query(statement);
  };
  const [schema, otherSchema, suffix] = ['Own "schema"', 'other', randomUUID().slice(0, 8)];
  const [reader, blind] = [`reader_${suffix}`, `blind_${suffix}`];
  const own = escapeIdentifier(schema);
  await execute(
    `create schema ${own}`,
    `create schema ${otherSchema}`,
    `create type mood as enum ('ok', 'a "b"')`,
    'create domain amount as numeric check (value > 0)',
    'create type pair as (a int, "b ☃" text, c int[])',
    'create type nested as (p pair, d date)',
    contents,
    sleeps,
    ...preparations,
    `create role ${reader} login password 'reads'`,
    `create role ${blind} login password 'nothing'`,
    `grant usage on schema ${own} to ${reader}`,
    `alter default privileges in schema ${own} grant select on tables to ${reader}`,
    'revoke create on schema public from public',
  );
  const canary = await canaryOn(url);
  const { hostname: host, port } = new URL(url);
  const connection = aConnection(url);
  const at = (change: Parameters<typeof withAddress>[1], name: string) => aConnection(withAddress(url, change), name);
  const sessions = `pg_stat_activity where application_name = 'portico' and datname = current_database()`;
  const counted = async (sql: string) =>
    Number((await admin.query<{ n: string }>(`select count(*) as n from ${sql}`)).rows[0]?.n);

  return {
    admin,
    url,
    schema,
    otherSchema,
    connection,
    reader: at({ username: reader, password: 'reads' }, 'readers'),
    blind: at({ username: blind, password: 'nothing' }, 'blind'),
    unreachable: at({ port: '1' }, 'nowhere'),
    unnamed: at({ hostname: 'nowhere.invalid' }, 'unnamed'),
    wrongPassword: at({ password: 'not-the-password' }, 'locked'),
    address: { host, port: Number(port) },
    via: (own) => ({
      ...connection,
      id: randomUUID(),
      sealedUrl: withAddress(url, { hostname: '127.0.0.1', port: String(own) }),
    }),
    open: ({ timeoutSeconds = 60, poolSize = 4 } = {}) => connectors({ sealer, log: quiet, timeoutSeconds, poolSize }),
    execute,
    async fingerprint() {
      const parts = [];
      for (const sql of fingerprints) parts.push((await admin.query(sql, [[schema, otherSchema, 'public']])).rows);
      return JSON.stringify([...parts, canary.song()], null, 1);
    },
    busy: () => counted(`${sessions} and state <> 'idle'`),
    sessions: () => counted(sessions),
    terminate: async () => void (await admin.query(`select pg_terminate_backend(pid) from ${sessions}`)),
    async block(table) {
      const client = await admin.connect();
      blocking.add(client);
      await client.query(`begin; lock table ${table} in access exclusive mode`);
      return async () => {
        blocking.delete(client);
        await client.query('rollback');
        client.release();
      };
    },
    async drop() {
      // What a failed test left locked could not be dropped.
      for (const client of blocking) client.release(true);
      await canary.close();
      await execute(`drop owned by ${reader}, ${blind}`, `drop role ${reader}, ${blind}`);
      await admin.end();
      await drop();
    },
  };
};
