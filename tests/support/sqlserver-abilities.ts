import type sql from 'mssql';
import { Lacking } from '../contracts/connector/lacking.ts';

/** What the tests look at and do besides what a connection needs; servers that speak TDS and are no SQL Server may lack some of it. */
export const abilities = ['sys.sysprocesses', 'kill', 'table hints that lock', 'single_user'] as const;

export type Ability = (typeof abilities)[number];

/** What attacks may leave behind, and where it is seen; the rows of tables are looked at by themselves. */
export const traces = {
  objects: `select s.name as s, o.name as n, o.type as t from sys.objects as o join sys.schemas as s on s.schema_id = o.schema_id where o.is_ms_shipped = 0 order by s.name, o.name`,
  columns:
    'select object_id as o, name as n from sys.columns where object_id in (select object_id from sys.tables) order by object_id, column_id',
  sequences: 'select name as n, convert(nvarchar(40), current_value) as v from sys.sequences order by name',
  users: 'select name as n from sys.database_principals order by name',
  logins: 'select name as n from sys.server_principals order by name',
  settings: 'select name as n, convert(nvarchar(20), value_in_use) as v from sys.configurations order by name',
  'the database read-only': 'select is_read_only as r from sys.databases where database_id = db_id()',
  'application locks': "select count(*) as n from sys.dm_tran_locks where resource_type = N'APPLICATION'",
  'temporary tables': "select count(*) as n from tempdb.sys.objects where name like N'#attack%'",
};

export type Trace = keyof typeof traces;

type Execute = (text: string) => Promise<unknown>;

const NOT_A_SESSION = 32767;
/** The server knows the statement, and no such session. */
const NO_SUCH_SESSION = new Set([6101, 6106]);

const numberOf = (error: unknown) => (error instanceof Error && 'number' in error ? Number(error.number) : 0);

/** Each is tried once, on a table that is there for it. */
const probes = (execute: Execute, other: Execute, table: string): Readonly<Record<Ability, () => Promise<boolean>>> => {
  const works = (text: string) =>
    execute(text).then(
      () => true,
      () => false,
    );
  return {
    'sys.sysprocesses': () =>
      works('select top (1) spid, open_tran, status, blocked, program_name, dbid from sys.sysprocesses'),
    kill: () =>
      execute(`kill ${NOT_A_SESSION}`).then(
        () => true,
        (error: unknown) => NO_SUCH_SESSION.has(numberOf(error)),
      ),
    async 'table hints that lock'() {
      if (!(await works(`begin transaction; select count(*) as n from ${table} with (tablockx, holdlock)`)))
        return false;
      const locked = await other(`set lock_timeout 200; select count(*) as n from ${table}`).then(
        () => false,
        () => true,
      );
      await execute('if @@trancount > 0 rollback transaction');
      return locked;
    },
    single_user: () => works('alter database current set multi_user'),
  };
};

export interface Abilities {
  /** What the server lacks, by name. */
  readonly lacking: ReadonlySet<Ability | Trace>;
  /** Throws what makes a test pending where the server lacks it. */
  need(ability: Ability): void;
  /** Those that the server can be asked for. */
  readonly traces: readonly string[];
  /** What the server calls a session that does nothing. */
  readonly idle: readonly string[];
}

const idleOnSqlServer = ['sleeping', 'dormant', 'background'];

/** Servers of other makers have words of their own: one asks what the other, which has nothing to do, is called. */
const idleWords = async (one: sql.ConnectionPool, other: sql.ConnectionPool): Promise<readonly string[]> => {
  const spid = (await other.request().batch<{ spid: number }>('select @@spid as spid')).recordset?.[0]?.spid;
  const text = `select status from sys.sysprocesses where spid = ${Number(spid)}`;
  const found = await one.request().batch<{ status: string | null }>(text);
  const status = found.recordset?.[0]?.status?.trim();
  return status ? [...new Set([...idleOnSqlServer, status])] : idleOnSqlServer;
};

/** Two pools of one session each: what one holds keeps the other out. */
export const abilitiesOf = async (
  one: sql.ConnectionPool,
  other: sql.ConnectionPool,
  table: string,
): Promise<Abilities> => {
  const by =
    (pool: sql.ConnectionPool): Execute =>
    (text) =>
      pool.request().batch(text);
  const lacking = new Set<Ability | Trace>();
  const probe = probes(by(one), by(other), table);
  for (const ability of abilities) if (!(await probe[ability]())) lacking.add(ability);
  for (const [name, text] of Object.entries(traces)) {
    await by(one)(text).catch(() => lacking.add(name as Trace));
  }
  return {
    lacking,
    idle: lacking.has('sys.sysprocesses') ? [] : await idleWords(one, other),
    need(ability) {
      if (lacking.has(ability)) throw new Lacking(ability);
    },
    traces: Object.entries(traces).flatMap(([name, text]) => (lacking.has(name as Trace) ? [] : [text])),
  };
};
