import { randomUUID } from 'node:crypto';
import sql from 'mssql';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { readAddress } from '../../src/adapters/connectors/sqlserver/address.ts';
import { poolConfig } from '../../src/adapters/connectors/sqlserver/pool-config.ts';
import type { Connection } from '../../src/domain/connection.ts';
import type { ConnectorHarness } from '../contracts/connector/harness.ts';
import { quiet } from './log.ts';
import { type Abilities, abilitiesOf } from './sqlserver-abilities.ts';
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

/** What checks a certificate goes where an option says that none is checked: the two contradict each other. */
export const withAddress = (url: string, change: Change, options: Readonly<Record<string, string>> = {}) => {
  const address = Object.assign(new URL(url), change);
  if (Object.keys(options).length > 0)
    for (const name of ['caFile', 'hostNameInCertificate']) address.searchParams.delete(name);
  for (const [name, value] of Object.entries(options)) address.searchParams.set(name, value);
  return address.href;
};

/** Sessions of the tests' own, which the connectors do not know. */
const openAdmin = async (url: string, size = 4): Promise<sql.ConnectionPool> => {
  const config = poolConfig(readAddress(url), { connectSeconds: 15, acquireSeconds: 30, size });
  const pool = new sql.ConnectionPool({
    ...config,
    requestTimeout: 60_000,
    options: { ...config.options, appName: 'contract' },
  });
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
      // Where it is not known, the sessions of the tests have to be over by themselves.
      await again
        .request()
        .batch(`alter database ${quote(name)} set single_user with rollback immediate`)
        .catch(() => {});
      await again.request().batch(`drop database ${quote(name)}`);
      await again.close();
    },
  };
};

const sessions = `sys.sysprocesses where program_name = N'portico' and dbid = db_id()`;

const numberedTables = `
select s.name as s, t.name as n from sys.tables as t join sys.schemas as s on s.schema_id = t.schema_id
where (select count(*) from sys.columns as c where c.object_id = t.object_id and c.name in (N'id', N'name')) = 2
order by s.name, t.name`;

/** Asks the server once what it can be asked. */
const examined = async (url: string): Promise<Abilities> => {
  const [one, other] = await Promise.all([openAdmin(url, 1), openAdmin(url, 1)]);
  try {
    return await abilitiesOf(one, other, `${quote(SCHEMA)}.attack_log`);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
};

export interface SqlserverHarness extends ConnectorHarness {
  readonly abilities: Abilities;
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
    `create login ${quote(name)} with password = ${literal(password)}`,
    `create user ${quote(name)} for login ${quote(name)}`,
  ];
  await execute(
    `create schema ${quote(SCHEMA)}`,
    `create schema ${quote(OTHER_SCHEMA)}`,
    pause,
    ...preparations(quote(SCHEMA)),
    ...login(reader),
    ...login(blind),
  );
  // A server that folds names may look for a schema in small letters here.
  const grantOn = (schema: string) => execute(`grant select on schema::${quote(schema)} to ${quote(reader)}`);
  await grantOn(SCHEMA).catch(() => grantOn(SCHEMA.toLowerCase()));
  const own = await examined(url);
  const connection = aConnection(url);
  const { server: host, port } = readAddress(url);
  const at = (change: Change, name: string) => aConnection(withAddress(url, change), name);
  const counted = async (text: string) => {
    own.need('sys.sysprocesses');
    return Number((await rowsOf(`select count(distinct spid) as n from ${text}`))[0]?.n);
  };

  const contents = async (): Promise<unknown> => {
    const tables = (await rowsOf(numberedTables)).map(({ s, n }) => `${quote(String(s))}.${quote(String(n))}`);
    const selects = tables.map(
      (table) =>
        `select ${literal(table)} as t, (select count(*) from ${table}) as n, r.id, r.name from (select top (20) id, name from ${table} order by id) as r`,
    );
    return selects.length === 0 ? [] : rowsOf(`${selects.join('\nunion all\n')}\norder by t, id`);
  };

  return {
    abilities: own,
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
    via: (near) => ({
      ...connection,
      id: randomUUID(),
      sealedUrl: withAddress(url, { hostname: '127.0.0.1', port: String(near) }, { trustServerCertificate: 'true' }),
    }),
    open: ({ timeoutSeconds = 60, poolSize = 4 } = {}) => connectors({ sealer, log: quiet, timeoutSeconds, poolSize }),
    execute,
    async fingerprint() {
      const parts: unknown[] = [];
      for (const text of own.traces) parts.push(await rowsOf(text));
      return JSON.stringify(
        [...parts, await contents(), await rowsOf(`select a from ${quote(SCHEMA)}.attack_log`)],
        null,
        1,
      );
    },
    busy: () => counted(`${sessions} and (open_tran > 0 or status not in (${own.idle.map(literal).join(', ')}))`),
    sessions: () => counted(sessions),
    async terminate() {
      own.need('sys.sysprocesses');
      own.need('kill');
      for (const { spid } of await rowsOf(`select distinct spid from ${sessions}`)) {
        // It may have ended by itself meanwhile.
        await execute(`kill ${Number(spid)}`).catch(() => {});
      }
    },
    async block(table) {
      own.need('table hints that lock');
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
