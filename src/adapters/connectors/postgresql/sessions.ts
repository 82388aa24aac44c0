import pg from 'pg';
import { abortable, inTime } from '../../../application/shared/async.ts';
import { ignore } from '../errors.ts';
import { BoundedClient } from './bounded-client.ts';
import { SessionRefused } from './errors.ts';
import type { Query } from './query.ts';
import { isRefusedOption } from './session-settings.ts';

/** Waits for a session, or for the abort: a session that comes too late is released. */
const checkOut = async (pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> => {
  signal.throwIfAborted();
  const coming = pool.connect();
  try {
    return await abortable(coming, signal);
  } catch (error) {
    coming.then((late) => late.release(), ignore);
    if (pool.options.options === undefined || !isRefusedOption(error)) throw error;
    // From now on the pool logs in without them, and each transaction sets what it needs.
    delete pool.options.options;
    return checkOut(pool, signal);
  }
};

/** Stops what a session is doing on the server, through a session of its own because the pool may be exhausted. */
export const cancel = async (pool: pg.Pool, pid: number) => {
  const other = new BoundedClient({ ...pool.options, connectionTimeoutMillis: 5000, query_timeout: 5000 });
  other.on('error', ignore);
  try {
    await other.connect();
    await other.query('select pg_catalog.pg_cancel_backend($1)', [pid]);
  } finally {
    await other.end();
  }
};

/** The session ended before it was asked anything, as idle ones do if the server was restarted. */
const wasStale = (error: unknown) => !(error instanceof pg.DatabaseError) || /^(08|57P)/.test(error.code ?? '');

export interface Session {
  readonly client: pg.PoolClient;
  /** Asked for in the session, because a pooler in between makes up the one of the handshake. */
  readonly pid: number;
}

const refusedBy = (error: unknown) => (error instanceof pg.DatabaseError ? new SessionRefused(error) : error);

/** The answer of the first session that is not stale; it tries as many as the pool may have. */
export const firstAnswer = async <T>(
  pool: pg.Pool,
  signal: AbortSignal,
  ask: (client: pg.PoolClient) => Promise<T>,
): Promise<T> => {
  for (let stale = 0; ; stale += 1) {
    const client = await checkOut(pool, signal).catch((error: unknown) => {
      throw refusedBy(error);
    });
    // Without a listener a session that is lost between two statements would end the process.
    client.on('error', ignore);
    try {
      return await abortable(ask(client), signal);
    } catch (error) {
      closeSession(client, false);
      if (signal.aborted || !wasStale(error) || stale >= pool.options.max) throw refusedBy(error);
    }
  }
};

/** Begins the session by statements that end with one that answers `pid`. */
export const beginBy = async (client: pg.PoolClient, begin: string): Promise<Session> => {
  const results = (await client.query(begin)) as unknown as readonly pg.QueryResult<{ pid: number }>[];
  return { client, pid: results.at(-1)?.rows[0]?.pid ?? 0 };
};

export const closeSession = (client: pg.PoolClient, reusable: boolean) => {
  client.off('error', ignore);
  client.release(!reusable);
};

const MOST_CLEANUP_SECONDS = 5;

interface Ending {
  /** Something may still be running, and is cancelled first. */
  readonly running: boolean;
  /** The session cannot be used any more. */
  readonly lost: boolean;
  /** What brings the session back to how it was, if it was not sent with the statement. */
  readonly restore: readonly string[];
}

/** Releases a session as it was before, or closes it if that takes too long. */
export const endSession = async (
  pool: pg.Pool,
  { client, pid }: Session,
  { running, lost, restore }: Ending,
): Promise<void> => {
  if (lost || (!running && restore.length === 0)) return closeSession(client, !lost);
  const cleanUp = async () => {
    if (running) await cancel(pool, pid);
    for (const text of restore) await client.query(text);
  };
  const late = () => new Error('the session does not answer');
  const reusable = await inTime(cleanUp, { seconds: MOST_CLEANUP_SECONDS, late }).then(
    () => true,
    () => false,
  );
  closeSession(client, reusable);
};

/** Statements of this program; an abort rejects at once, and what it leaves running is cancelled when the session ends. */
export const queryOf =
  ({ client }: Session, signal: AbortSignal): Query =>
  async <Row>(text: string, parameters: readonly unknown[] = []) => {
    const { rows } = await abortable(client.query(text, [...parameters]), signal);
    return rows as Row[];
  };
