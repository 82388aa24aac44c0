import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Transaction } from 'kysely';
import pg from 'pg';
import type { Log } from '../../../application/ports/runtime.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { type Address, driverAddress } from './address.ts';
import { refusingIfBusy } from './busy.ts';
import { Client } from './client.ts';
import { type Mapper, mapperOf } from './mapper.ts';
import { pipelinedReads } from './pipelined-reads.ts';
import { reached, type Way } from './pooler.ts';
import { type SearchTerms, searchSessions } from './search-sessions.ts';
import { confirmed } from './unconfirmed.ts';

/** A statement that is prepared once on each connection, under a name of its own. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const all = new Map<string, Statement>();

/** Every statement of the modules that are loaded, by its name. */
export const statements: ReadonlyMap<string, Statement> = all;

/** Such a statement of its name and its SQL: ``prepared('users_list')`select …` ``. */
export const prepared =
  (name: string) =>
  (text: TemplateStringsArray, ...parts: readonly (string | number)[]): Statement => {
    if (all.has(name)) throw new Error(`Two statements have the name ${name}.`);
    const statement = { name, text: String.raw({ raw: text }, ...parts) };
    all.set(name, statement);
    return statement;
  };

/** A statement that runs seldom is a text without a name: PostgreSQL plans it each time. */
export type Sql = Statement | string;

/** Runs a statement of a transaction, and answers its rows. */
export type RunSql = <Row extends object>(sql: Sql, values?: readonly unknown[]) => Promise<readonly Row[]>;

interface Session {
  /** Loaded when it is first asked for: its 450 modules are a quarter of a start, and a worker or a command that only reads does without. */
  orm(): Promise<MikroORM>;
  readonly pool: pg.Pool;
  /** For what no request waits for each time: it takes two to three times as long as a statement that is prepared. */
  readonly mapper: Mapper;
  /** Runs `work` with an entity manager of its own in one transaction. */
  transaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
  /** Runs `work` in one transaction of SQL alone. */
  atomically<T>(work: (run: RunSql) => Promise<T>): Promise<T>;
}

export interface Database extends Session {
  /** Runs one statement on a connection of its own: for writes, and for reads that may take long. */
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs one short statement in sessions that no number of requests fills: for leases, which are lost where they are not renewed in time. */
  apart<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs one short read on a connection that many reads share. If the connection breaks, the read runs again on a new one. */
  read<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs one statement that may take long, in a session of those that all searches share. A statement without a name is planned each time. */
  search<Row extends object>(
    statement: Partial<Statement> & { readonly text: string },
    values: readonly unknown[],
    terms: SearchTerms,
  ): Promise<readonly Row[]>;
  /** Runs `work` on connections of its own whose statements have no time limit. */
  withoutTimeouts<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** For connections outside of the pool. */
  readonly connection: pg.ClientConfig;
  /** For the one on which notifications arrive; the same, unless there is an address for it. */
  readonly listening: pg.ClientConfig;
  /** How the server is reached. */
  readonly way: Way;
  close(): Promise<void>;
}

export interface DatabaseOptions extends Address {
  /** Where notifications arrive, if not at `url`. */
  readonly listenUrl?: string | null;
  readonly poolSize: number;
  /** How many sessions there are for searches. */
  readonly searchPoolSize?: number;
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
const TIMESTAMPTZ = 1184;

const int8 = (digits: string): number => {
  const number = Number(digits);
  if (!Number.isSafeInteger(number)) throw new Error(`${digits} is too large for a number`);
  return number;
};

const driversInstant = pg.types.getTypeParser(TIMESTAMPTZ);

/**
 * ECMAScript reads its own form of a time twice as fast as the driver reads the form of PostgreSQL, and a list has many. The driver still
 * reads what the two forms write differently: zones that are no whole hours, long years, years before Christ, and infinity.
 */
export const instant = (text: string): unknown => {
  const sign = text.at(-3);
  return text[10] === ' ' && (sign === '+' || sign === '-')
    ? new Date(`${text.slice(0, 10)}T${text.slice(11)}:00`)
    : driversInstant(text);
};

const connectionOf = async (options: DatabaseOptions): Promise<pg.ClientConfig> => {
  const { connectTimeoutSeconds = 5, statementTimeoutSeconds = 30 } = options;
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, int8);
  types.setTypeParser(JSON_TYPE, parseJson);
  types.setTypeParser(TIMESTAMPTZ, instant);
  return {
    ...(await driverAddress(options)),
    types,
    application_name: 'portico',
    // PostgreSQL overestimates what a search reads, and would compile it for longer than it runs.
    options: '-c jit=off',
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutSeconds * 1000,
    statement_timeout: statementTimeoutSeconds * 1000,
    query_timeout: statementTimeoutSeconds * 1000 + LATER_MS,
    idle_in_transaction_session_timeout: statementTimeoutSeconds * 1000,
  };
};

/** SQL in the entity manager's transaction, with arrays as parameters. */
export const sqlIn = async <Row>(
  em: EntityManager,
  text: string,
  values: readonly unknown[],
): Promise<readonly Row[]> => {
  const { CompiledQuery } = await import('kysely');
  const transaction: Transaction<unknown> | undefined = em.getTransactionContext();
  if (!transaction) throw new Error('There is no transaction.');
  return (await transaction.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
};

const atomically =
  (pool: pg.Pool): Session['atomically'] =>
  async (work) => {
    const client = await pool.connect();
    const run: RunSql = async <Row extends object>(sql: Sql, values: readonly unknown[] = []) => {
      const statement = typeof sql === 'string' ? { text: sql } : sql;
      return (await client.query<Row>({ ...statement, values: [...values] })).rows;
    };
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const done = await work(run);
      await confirmed(() => client.query('commit'));
      return done;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  };

/** A read may be asked again, whatever became of it. */
const STORES = /\b(?:insert|update|delete)\b/i;

/** Runs one statement, which commits by itself. */
const alone = async <Row extends object>(
  pool: pg.Pool,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<readonly Row[]> => {
  const client = await pool.connect();
  let broken: Error | undefined;
  const ask = () => client.query<Row>({ name, text, values: [...values] });
  try {
    return (await (STORES.test(text) ? confirmed(ask) : ask())).rows;
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
};

const openSession = (config: pg.PoolConfig, log: Log): Session & { close(): Promise<void> } => {
  const pool = new pg.Pool({ ...config, Client });
  const sessions = new Set<Promise<void>>();
  pool.on('connect', (client) => {
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    sessions.add(ended);
    void ended.then(() => sessions.delete(ended));
    client.on('error', (error) => log.warn({ reason: error.message }, 'a database connection broke'));
  });
  pool.on('error', () => {});
  let opened: Promise<MikroORM> | null = null;
  const orm = () => {
    opened ??= import('./orm.ts').then(({ openOrm }) => openOrm(pool, new pg.Client(config).database ?? 'postgres'));
    return opened;
  };
  return {
    orm,
    pool,
    mapper: mapperOf(orm),
    atomically: (work) => refusingIfBusy(() => atomically(pool)(work)),
    transaction: (work) =>
      refusingIfBusy(async () => (await orm()).em.fork().transactional((em) => work(em as EntityManager))),
    async close() {
      await (await opened)?.close(true);
      await pool.end();
      // The pool does not wait for the server's answer to its goodbye; a server that stops before it has read that breaks the connection.
      await Promise.all(sessions);
    },
  };
};

const SEARCH_SECONDS = 5;
const APART_SESSIONS = 2;

const noTimeouts = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 };

export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const { log, poolSize, searchPoolSize = 4, idleSeconds = 10 } = options;
  const { connection, way } = await reached(await connectionOf(options));
  const listening =
    typeof options.listenUrl === 'string'
      ? (await reached(await connectionOf({ ...options, url: options.listenUrl }))).connection
      : connection;
  const pooled = openSession({ ...connection, max: poolSize, idleTimeoutMillis: idleSeconds * 1000 }, log);
  const apart = openSession({ ...connection, max: APART_SESSIONS, idleTimeoutMillis: idleSeconds * 1000 }, log);
  const reads = pipelinedReads(connection, log);
  const searching = openSession(
    {
      ...connection,
      max: searchPoolSize,
      idleTimeoutMillis: idleSeconds * 1000,
      // A pooler that refuses settings leaves the time of a search to this side.
      ...(connection.statement_timeout !== undefined && { statement_timeout: SEARCH_SECONDS * 1000 }),
      query_timeout: SEARCH_SECONDS * 1000 + LATER_MS,
    },
    log,
  );
  const searches = searchSessions(searching.pool, searchPoolSize);

  return {
    ...pooled,
    connection,
    listening,
    way,
    query: (statement, values) => refusingIfBusy(() => alone(pooled.pool, statement, values)),
    apart: (statement, values) => refusingIfBusy(() => alone(apart.pool, statement, values)),
    search: (statement, values, terms) =>
      refusingIfBusy(() => searches.search({ ...statement, values: [...values] }, terms)),
    read: (statement, values) => refusingIfBusy(() => reads.read(statement, values)),
    async withoutTimeouts(work) {
      const session = openSession({ ...connection, ...noTimeouts, max: 2 }, log);
      return work(session).finally(() => session.close());
    },
    close: async () => {
      await Promise.all([reads.close(), pooled.close(), apart.close(), searching.close()]);
    },
  };
};
