import pg from 'pg';
import type { Query } from './columns.ts';
import { SessionRefused } from './errors.ts';
import { isRefusedOption } from './session-settings.ts';
import { sendAll } from './wire.ts';

export const ignore = () => {};

/** The outcome, or the abort where that comes first. */
export const abandonable = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  work.catch(ignore);
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    aborted.promise.catch(ignore);
  }
};

/** Waits for a session, or for the abort: a session that comes too late goes straight back. */
const borrow = async (pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> => {
  signal.throwIfAborted();
  const coming = pool.connect();
  try {
    return await abandonable(coming, signal);
  } catch (error) {
    coming.then((late) => late.release(), ignore);
    if (pool.options.options === undefined || !isRefusedOption(error)) throw error;
    // From now on the pool logs in without them, and each transaction sets what it needs.
    delete pool.options.options;
    return borrow(pool, signal);
  }
};

/** Stops what a session is doing on the server, through a session of its own because the pool may be exhausted. */
export const cancel = async (pool: pg.Pool, pid: number) => {
  const other = new pg.Client({ ...pool.options, connectionTimeoutMillis: 5000, query_timeout: 5000 });
  other.on('error', ignore);
  try {
    await other.connect();
    await other.query('select pg_catalog.pg_cancel_backend($1)', [pid]);
  } finally {
    await other.end();
  }
};

/** The session ended before it was asked anything, as idle ones do where the server was restarted. */
const wasStale = (error: unknown) => !(error instanceof pg.DatabaseError) || /^(08|57P)/.test(error.code ?? '');

export interface Session {
  readonly client: pg.PoolClient;
  /** Asked for in the session, because a pooler in between makes up the one of the handshake. */
  readonly pid: number;
}

const refusedBy = (error: unknown) => (error instanceof pg.DatabaseError ? new SessionRefused(error) : error);

/** A session that answered the first that it was asked. Stale ones are passed over: as many as the pool may hold. */
export const firstAnswer = async <T>(pool: pg.Pool, signal: AbortSignal, ask: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  for (let passedOver = 0; ; passedOver += 1) {
    const client = await borrow(pool, signal).catch((error: unknown) => {
      throw refusedBy(error);
    });
    // Without a listener a session that is lost between two statements would end the process.
    client.on('error', ignore);
    try {
      return await abandonable(ask(client), signal);
    } catch (error) {
      closeSession(client, false);
      if (signal.aborted || !wasStale(error) || passedOver >= pool.options.max) throw refusedBy(error);
    }
  }
};

/** Runs statements that end with one that answers `pid`. */
export const beginBy = async (client: pg.PoolClient, begin: string): Promise<Session> => {
  const results = (await client.query(begin)) as unknown as readonly pg.QueryResult<{ pid: number }>[];
  return { client, pid: results.at(-1)?.rows[0]?.pid ?? 0 };
};

/** A session for which `begin` was run: statements that end with one that answers `pid`. */
export const openSession = (pool: pg.Pool, signal: AbortSignal, begin: string): Promise<Session> =>
  firstAnswer(pool, signal, (client) => beginBy(client, begin));

export const closeSession = (client: pg.PoolClient, reusable: boolean) => {
  client.off('error', ignore);
  client.release(!reusable);
};

const MOST_TIDYING_MILLISECONDS = 5000;

export interface Ending {
  /** Something may still be running, and is cancelled first. */
  readonly running: boolean;
  /** The session cannot be used any more. */
  readonly lost: boolean;
  /** What brings the session back to how it was, where the statement itself was not sent with it. */
  readonly restore: readonly string[];
}

/** Gives a session back as it was lent, or ends it where that cannot be had soon. */
export const endSession = async (pool: pg.Pool, { client, pid }: Session, { running, lost, restore }: Ending): Promise<void> => {
  if (lost) return closeSession(client, false);
  if (!running && restore.length === 0) return closeSession(client, true);
  const tidy = async () => {
    if (running) await cancel(pool, pid);
    await sendAll(client, restore, MOST_TIDYING_MILLISECONDS);
  };
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.reject(new Error('The session does not answer.')), MOST_TIDYING_MILLISECONDS);
  const reusable = await Promise.race([tidy(), late.promise]).then(
    () => true,
    () => false,
  );
  clearTimeout(timer);
  closeSession(client, reusable);
};

/** Statements of this program, which an abort lets go of at once: what it leaves running is cancelled when the session ends. */
export const queryOf =
  ({ client }: Session, signal: AbortSignal): Query =>
  async <Row>(text: string, parameters: readonly unknown[] = []) => {
    const { rows } = await abandonable(client.query(text, [...parameters]), signal);
    return rows as Row[];
  };
