import { randomUUID } from 'node:crypto';
import sql from 'mssql';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { readAddress } from '../../src/adapters/connectors/sqlserver/address.ts';
import { poolConfig } from '../../src/adapters/connectors/sqlserver/pool-config.ts';
import type { Connection } from '../../src/domain/connection.ts';
import type { ConnectorHarness } from '../contracts/connector/harness.ts';
import { quiet } from './log.ts';
import { preparations } from './sqlserver-attacks.ts';
import { literal, OTHER_SCHEMA, pause, quote, SCHEMA } from './sqlserver-dialect.ts';

export const sealer = { seal: (plain: string) => plain, open: (sealed: string) => sealed };

export const aConnection = (url: string, name = 'ledger'): Connection => ({
  id: randomUUID(),
  workspaceId: randomUUID(),
  name,
  type: 'sqlserver',
  sealedUrl: url,
  visibleTo: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

type Change = Partial<Pick<URL, 'hostname' | 'port' | 'username' | 'password' | 'pathname'>>;

export const withAddress = (url: string, change: Change, options: Readonly<Record<string, string>> = {}) => {
  const address = Object.assign(new URL(url), change);
  for (const [name, value] of Object.entries(options)) address.searchParams.set(name, value);
  return address.href;
};

/** Sessions of the tests' own, which the connectors do not know. */
const openAdmin = async (url: string): Promise<sql.ConnectionPool> => {
  const config = poolConfig(readAddress(url), { connectSeconds: 15, acquireSeconds: 30, size: 4 });
  const pool = new sql.ConnectionPool({ ...config, requestTimeout: 60_000, options: { ...config.options, appName: 'contract' } });
  pool.on('error', () => {});
  return pool.connect();
};

/** Names are told apart by their bytes there, so that hostile ones that only look the same do not clash. */
const ownDatabase = async (server: string): Promise<{ readonly url: string; drop(): Promise<void> }> => {
  const name = `portico_${randomUUID().slice(0, 8)}`;
  const master = await openAdmin(server);
  try {
    await master.request().batch(`create database ${quote(name)} collate Latin1_General_100_BIN2`);
  } finally {
    await master.close();
  }
  return {
    url: withAddress(server, { pathname: `/${name}` }),
    async drop() {
      const again = await openAdmin(server);
      await again.request().batch(`alter database ${quote(name)} set single_user with rollback immediate; drop database ${quote(name)}`);
      await again.close();
    },
  };
};

const sessions = `sys.sysprocesses where program_name = N'portico' and dbid = db_id()`;

/** What the attacks aim at; the rows of tables are looked at by themselves. */
const fingerprints = [
  `select s.name as s, o.name as n, o.type as t from sys.objects as o join sys.schemas as s on s.schema_id = o.schema_id where o.is_ms_shipped = 0 order by s.name, o.name`,
  'select object_id as o, name as n from sys.columns where object_id in (select object_id from sys.tables) order by object_id, column_id',
  'select name as n, convert(nvarchar(40), current_value) as v from sys.sequences order by name',
  'select name as n from sys.database_principals order by name',
  'select name as n from sys.server_principals order by name',
  'select name as n, convert(nvarchar(20), value_in_use) as v from sys.configurations order by name',
  'select is_read_only as r from sys.databases where database_id = db_id()',
  "select count(*) as n from sys.dm_tran_locks where resource_type = N'APPLICATION'",
  "select count(*) as n from tempdb.sys.objects where name like N'#attack%'",
];

const numberedTables = `
select s.name as s, t.name as n from sys.tables as t join sys.schemas as s on s.schema_id = t.schema_id
where (select count(*) from sys.columns as c where c.object_id = t.object_id and c.name in (N'id', N'name')) = 2
order by s.name, t.name`;

export interface SqlserverHarness extends ConnectorHarness {
  readonly admin: sql.ConnectionPool;
  readonly url: string;
  readonly readerLogin: string;
  rowsOf(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  drop(): Promise<void>;
}

export const sqlserverHarness = async (server: string): Promise<SqlserverHarness> => {
  const { url, drop } = await ownDatabase(server);
  const admin = await openAdmin(url);
  const rowsOf = async (text: string) => (await admin.request().batch<Record<string, unknown>>(text)).recordset ?? [];
  const execute = async (...statements: readonly string[]) => {
    for (const statement of statements) await admin.request().batch(statement);
  };
  const suffix = randomUUID().slice(0, 8);
  const [reader, blind] = [`reader_${suffix}`, `blind_${suffix}`];
  const password = `Aa1${randomUUID()}`;
  const login = (name: string) => [
    `create login ${quote(name)} with password = ${literal(password)}, check_policy = off`,
    `create user ${quote(name)} for login ${quote(name)}`,
  ];
  await execute(
    `create schema ${quote(SCHEMA)}`,
    `create schema ${quote(OTHER_SCHEMA)}`,
    pause,
    ...preparations(quote(SCHEMA)),
    ...login(reader),
    ...login(blind),
    `grant select on schema::${quote(SCHEMA)} to ${quote(reader)}`,
  );
  const connection = aConnection(url);
  const { server: host, port } = readAddress(url);
  const at = (change: Change, name: string) => aConnection(withAddress(url, change), name);
  const counted = async (text: string) => Number((await rowsOf(`select count(distinct spid) as n from ${text}`))[0]?.n);

  const contents = async (): Promise<unknown> => {
    const tables = (await rowsOf(numberedTables)).map(({ s, n }) => `${quote(String(s))}.${quote(String(n))}`);
    const selects = tables.map(
      (table) =>
        `select ${literal(table)} as t, (select count(*) from ${table}) as n, r.id, r.name from (select top (20) id, name from ${table} order by id) as r`,
    );
    return selects.length === 0 ? [] : rowsOf(`${selects.join('\nunion all\n')}\norder by t, id`);
  };

  return {
    admin,
    url,
    readerLogin: reader,
    rowsOf,
    schema: SCHEMA,
    otherSchema: OTHER_SCHEMA,
    connection,
    reader: at({ username: reader, password }, 'readers'),
    blind: at({ username: blind, password }, 'blind'),
    unreachable: at({ port: '1' }, 'nowhere'),
    unnamed: at({ hostname: 'nowhere.invalid' }, 'unnamed'),
    wrongPassword: at({ username: blind, password: 'not-the-password' }, 'locked'),
    address: { host, port: port ?? 1433 },
    via: (own) => ({
      ...connection,
      id: randomUUID(),
      sealedUrl: withAddress(url, { hostname: '127.0.0.1', port: String(own) }, { trustServerCertificate: 'true' }),
    }),
    open: ({ timeoutSeconds = 60, poolSize = 4, queryPoolSize = 2 } = {}) =>
      connectors({ sealer, log: quiet, timeoutSeconds, poolSize, queryPoolSize }),
    execute,
    async fingerprint() {
      const parts: unknown[] = [];
      for (const text of fingerprints) parts.push(await rowsOf(text));
      return JSON.stringify([...parts, await contents(), await rowsOf(`select a from ${quote(SCHEMA)}.attack_log`)], null, 1);
    },
    busy: () => counted(`${sessions} and (open_tran > 0 or status not in (N'sleeping', N'dormant', N'background'))`),
    sessions: () => counted(sessions),
    async terminate() {
      for (const { spid } of await rowsOf(`select distinct spid from ${sessions}`)) {
        // It may have ended by itself meanwhile.
        await execute(`kill ${Number(spid)}`).catch(() => {});
      }
    },
    async block(table) {
      const transaction = new sql.Transaction(admin);
      await transaction.begin();
      await transaction.request().batch(`select count(*) as n from ${table} with (tablockx, holdlock)`);
      return () => transaction.rollback();
    },
    async drop() {
      await admin.close();
      await drop();
      const master = await openAdmin(server);
      await master.request().batch(`drop login ${quote(reader)}; drop login ${quote(blind)}`);
      await master.close();
    },
  };
};
