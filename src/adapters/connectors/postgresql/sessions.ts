import pg from 'pg';
import type { Query } from './columns.ts';
import { Busy } from './errors.ts';

export const ignore = () => {};

/** Waiting longer in line than this many others helps nobody. */
const MOST_WAITING = 100;

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
  if (pool.waitingCount >= MOST_WAITING) throw new Busy();
  const coming = pool.connect();
  try {
    return await abandonable(coming, signal);
  } catch (error) {
    coming.then((late) => late.release(), ignore);
    throw error;
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

/** A session for which `begin` was run: statements that end with one that answers `pid`. Stale ones are passed over: as many as the pool may hold. */
export const openSession = async (pool: pg.Pool, signal: AbortSignal, begin: string): Promise<Session> => {
  for (let passedOver = 0; ; passedOver += 1) {
    const client = await borrow(pool, signal);
    // Without a listener a session that is lost between two statements would end the process.
    client.on('error', ignore);
    try {
      const results = (await abandonable(client.query(begin), signal)) as unknown as readonly pg.QueryResult<{ pid: number }>[];
      return { client, pid: results.at(-1)?.rows[0]?.pid ?? 0 };
    } catch (error) {
      closeSession(client, false);
      if (signal.aborted || !wasStale(error) || passedOver >= pool.options.max) throw error;
    }
  }
};

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
  /** What brings the session back to how it was. */
  readonly restore: readonly string[];
}

/** Gives a session back as it was lent, or ends it where that cannot be had soon. */
export const endSession = async (pool: pg.Pool, { client, pid }: Session, { running, lost, restore }: Ending): Promise<void> => {
  if (lost) return closeSession(client, false);
  const tidy = async () => {
    if (running) await cancel(pool, pid);
    for (const statement of restore) await client.query(statement);
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
