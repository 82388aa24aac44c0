import pg from 'pg';
import { CommitUnanswered } from '../unanswered.ts';
import type { Query } from './query.ts';
import { cancel, closeSession, ignore, openSession } from './sessions.ts';

interface Guard {
  readonly query: Query;
  /** Whether the session still answers. */
  readonly alive: () => boolean;
  /** Resolves when no cancellation is under way any more. */
  readonly settle: () => Promise<void>;
}

/** Statements that an abort stops: the running one is cancelled on the server, a further one is not begun. */
const guarded = (pool: pg.Pool, client: pg.PoolClient, pid: number, signal: AbortSignal): Guard => {
  let cancelling: Promise<void> = Promise.resolve();
  let alive = true;
  const onAbort = () => {
    cancelling = cancel(pool, pid).catch(() => client.end());
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    query: async <Row>(text: string, parameters: readonly unknown[] = []) => {
      signal.throwIfAborted();
      try {
        const { rows } = await client.query(text, [...parameters]);
        return rows as Row[];
      } catch (error) {
        alive = error instanceof pg.DatabaseError;
        throw error;
      }
    },
    alive: () => alive,
    settle: () => {
      signal.removeEventListener('abort', onAbort);
      return cancelling;
    },
  };
};

/** Read committed whatever the database's default: a statement must see what another transaction has committed whose lock it waited for. */
const begin = (timeoutSeconds: number) => {
  const limit = Math.ceil(timeoutSeconds * 1000);
  return `begin isolation level read committed read write; set local statement_timeout = ${limit}; set local lock_timeout = ${limit};
    select pg_catalog.pg_backend_pid() as pid`;
};

/** Errors of a server that goes away, or of its own state: it may have committed. 40003 and 08007 mean just that. */
const GOING_AWAY = /^(?:08|57P|58|F0|XX|40003)/;

/** Whether the commit failed for certain: the server refused it, or the driver had no session to send it to. */
const isCertain = (error: unknown): boolean => {
  if (error instanceof pg.DatabaseError) return error.code !== undefined && !GOING_AWAY.test(error.code);
  return error instanceof Error && error.message.endsWith('is not queryable');
};

const commit = (client: pg.PoolClient) =>
  client.query('commit').catch((error: unknown) => {
    throw isCertain(error) ? error : new CommitUnanswered(error);
  });

export interface Bounds {
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
}

/** Runs the work in a transaction that is still open afterwards; `end` ends it, unless the work has failed, and answers whether the session may be used again. */
const transact = async <T>(
  pool: pg.Pool,
  { signal, timeoutSeconds }: Bounds,
  work: (query: Query) => Promise<T>,
  end: (client: pg.PoolClient) => Promise<boolean>,
): Promise<T> => {
  const { client, pid } = await openSession(pool, signal, begin(timeoutSeconds));
  let reusable = false;
  const rollback = async () => {
    await client.query('rollback');
    reusable = true;
  };
  try {
    const { query, alive, settle } = guarded(pool, client, pid, signal);
    const result = await work(query)
      .finally(settle)
      .then((done) => {
        signal.throwIfAborted();
        return done;
      })
      .catch(async (error: unknown) => {
        if (alive()) await rollback().catch(ignore);
        throw signal.aborted ? signal.reason : error;
      });
    reusable = await end(client);
    return result;
  } finally {
    closeSession(client, reusable);
  }
};

/**
 * One transaction around the work. An abort before the commit rolls back and rejects with the signal's reason; the commit itself is
 * always awaited, and rejects with CommitUnanswered if its answer is lost.
 */
export const inTransaction = <T>(pool: pg.Pool, bounds: Bounds, work: (query: Query) => Promise<T>): Promise<T> =>
  transact(pool, bounds, work, async (client) => {
    await commit(client);
    return true;
  });

/** One transaction that never commits. Its session is closed: a trigger may have left a lock or a table that is the session's own. */
export const rolledBack = <T>(pool: pg.Pool, bounds: Bounds, work: (query: Query) => Promise<T>): Promise<T> =>
  transact(pool, bounds, work, async (client) => {
    await client.query('rollback').catch(ignore);
    return false;
  });
