import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from 'kysely';
import pg from 'pg';
import type { Log } from '../../application/ports/runtime.ts';
import { parseJson } from '../../domain/json-number.ts';
import { type Address, driverAddress } from './address.ts';
import { entities } from './entities.ts';
import { migrations } from './migrations/index.ts';
import { pipelinedReads } from './pipelined-reads.ts';

/** A statement that is prepared once on each connection, under a name of its own. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

interface Session {
  readonly orm: MikroORM;
  readonly pool: pg.Pool;
  /** Runs `work` with an entity manager of its own in one transaction. */
  transaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
}

export interface Database extends Session {
  /** Runs one statement on a connection of its own: for writes, and for reads that may take long. */
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs one short read on a connection that many reads share. If the connection breaks, the read runs again on a new one. */
  read<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs `work` on connections of its own whose statements have no time limit. */
  withoutTimeouts<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** For connections outside of the pool. */
  readonly connection: pg.ClientConfig;
  close(): Promise<void>;
}

export interface DatabaseOptions extends Address {
  readonly poolSize: number;
  readonly connectTimeoutSeconds?: number;
  readonly statementTimeoutSeconds?: number;
  /** A connection is closed after so long without use. */
  readonly idleSeconds?: number;
  readonly log: Log;
}

/** The server times a statement out first; the client does so this much later, if the server has fallen silent. */
const LATER_MS = 5_000;
const INT8 = 20;
const JSON_TYPE = 114;

const int8 = (digits: string): number => {
  const number = Number(digits);
  if (!Number.isSafeInteger(number)) throw new Error(`${digits} is too large for a number`);
  return number;
};

const connectionOf = async (options: DatabaseOptions): Promise<pg.ClientConfig> => {
  const { connectTimeoutSeconds = 5, statementTimeoutSeconds = 30 } = options;
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, int8);
  types.setTypeParser(JSON_TYPE, parseJson);
  return {
    ...(await driverAddress(options)),
    types,
    application_name: 'portico',
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutSeconds * 1000,
    statement_timeout: statementTimeoutSeconds * 1000,
    query_timeout: statementTimeoutSeconds * 1000 + LATER_MS,
    idle_in_transaction_session_timeout: statementTimeoutSeconds * 1000,
  };
};

/**
 * Removes a connection from the pool if it broke or fell silent. Kysely does not release a connection whose `begin` or `rollback` failed:
 * this releases it after the first, and lets the second succeed, because the server has rolled back what it would undo.
 */
const guarded = (client: pg.PoolClient): PostgresPoolClient => {
  let broken: Error | undefined;
  let released = false;
  const release = () => {
    if (!released) client.release(broken);
    released = true;
  };
  const query = async <R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> => {
    try {
      if (broken) throw broken;
      const { command, rowCount, rows } = await client.query(text, [...values]);
      return { command: command as PostgresQueryResult<R>['command'], rowCount: rowCount ?? 0, rows: rows as R[] };
    } catch (error) {
      const ends = text === 'rollback';
      if (ends || !(error instanceof pg.DatabaseError)) broken ??= error as Error;
      if (/^(begin|start transaction)/.test(text)) release();
      if (!ends) throw error;
      return { command: 'SELECT', rowCount: 0, rows: [] };
    }
  };
  return { query: query as PostgresPoolClient['query'], release };
};

const openOrm = (pool: pg.Pool, dbName: string) => {
  const shared = { options: pool.options, connect: async () => guarded(await pool.connect()), end: async () => {} };
  return MikroORM.init({
    driverOptions: new PostgresDialect({ pool: shared }),
    dbName,
    entities,
    extensions: [Migrator],
    migrations: { migrationsList: [...migrations], tableName: 'schema_migrations', snapshot: false, silent: true },
    discovery: { inferDefaultValues: false },
    metadataCache: { enabled: false },
    debug: false,
  });
};

const openSession = async (config: pg.PoolConfig, log: Log): Promise<Session> => {
  const pool = new pg.Pool(config);
  pool.on('connect', (client) => client.on('error', (error) => log.warn({ reason: error.message }, 'a database connection broke')));
  pool.on('error', () => {});
  const orm = await openOrm(pool, new pg.Client(config).database ?? 'postgres');
  return { orm, pool, transaction: (work) => orm.em.fork().transactional((em) => work(em as EntityManager)) };
};

const closeSession = async ({ orm, pool }: Session) => {
  await orm.close(true);
  await pool.end();
};

const noTimeouts = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 };

export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const { log, poolSize, idleSeconds = 10 } = options;
  const connection = await connectionOf(options);
  const pooled = await openSession({ ...connection, max: poolSize, idleTimeoutMillis: idleSeconds * 1000 }, log);
  const reads = pipelinedReads(connection, log);

  return {
    ...pooled,
    connection,
    query: async <Row extends object>({ name, text }: Statement, values: readonly unknown[]) =>
      (await pooled.pool.query<Row>({ name, text, values: [...values] })).rows,
    read: reads.read,
    async withoutTimeouts(work) {
      const session = await openSession({ ...connection, ...noTimeouts, max: 2 }, log);
      return work(session).finally(() => closeSession(session));
    },
    close: async () => {
      await Promise.all([reads.close(), closeSession(pooled)]);
    },
  };
};
