import pg from 'pg';
import { ignore } from '../errors.ts';
import type { Statement, Transactions, Session as WritingSession } from '../sql/dialect.ts';
import { type Bounds, CommitUnanswered } from '../unanswered.ts';
import { noteParameters, type Parameter } from './query.ts';
import { beginBy, cancel, closeSession, firstAnswer, type Session } from './sessions.ts';

type Send = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;

/** Longer than the server's own statement_timeout, for a server that no longer answers at all. */
const SECOND_LINE_SECONDS = 5;

const sendTo =
  (client: pg.PoolClient, { timeoutSeconds }: Bounds): Send =>
  (text, values = []) =>
    client.query({
      text,
      values: [...values],
      query_timeout: (timeoutSeconds + SECOND_LINE_SECONDS) * 1000,
    } as pg.QueryConfig);

/** Statements that an abort stops: the running one is cancelled on the server, a further one is not begun. */
const guarded = (pool: pg.Pool, { client, pid }: Session, send: Send, signal: AbortSignal) => {
  let cancelling: Promise<void> = Promise.resolve();
  let alive = true;
  const onAbort = () => {
    cancelling = cancel(pool, pid).catch(() => client.end());
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    ask: async ({ text, parameters }: Statement<Parameter>) => {
      signal.throwIfAborted();
      try {
        return await send(
          text,
          parameters.map(({ value }) => value),
        );
      } catch (error) {
        alive = error instanceof pg.DatabaseError;
        noteParameters(error, parameters);
        throw error;
      }
    },
    /** Whether the session still answers. */
    alive: () => alive,
    /** Resolves when no cancellation is under way any more. */
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

const commit = (send: Send) =>
  send('commit').catch((error: unknown) => {
    throw isCertain(error) ? error : new CommitUnanswered(error);
  });

/** Runs the work in a transaction that is still open afterwards; `end` ends it, unless the work has failed, and answers whether the session may be used again. */
const transact = async <T>(
  pool: pg.Pool,
  bounds: Bounds,
  work: (session: WritingSession<Parameter>) => Promise<T>,
  end: (send: Send) => Promise<boolean>,
): Promise<T> => {
  const { signal } = bounds;
  const session = await firstAnswer(pool, signal, (client) => beginBy(client, begin(bounds.timeoutSeconds)));
  const send = sendTo(session.client, bounds);
  let reusable = false;
  const rollback = async () => {
    await send('rollback');
    reusable = true;
  };
  try {
    const { ask, alive, settle } = guarded(pool, session, send, signal);
    const writing: WritingSession<Parameter> = {
      run: async <Row>(statement: Statement<Parameter>) => (await ask(statement)).rows as Row[],
      affected: async (statement) => (await ask(statement)).rowCount ?? 0,
    };
    const result = await work(writing)
      .finally(settle)
      .then((done) => {
        signal.throwIfAborted();
        return done;
      })
      .catch(async (error: unknown) => {
        if (alive()) await rollback().catch(ignore);
        throw signal.aborted ? signal.reason : error;
      });
    reusable = await end(send);
    return result;
  } finally {
    closeSession(session.client, reusable);
  }
};

/** Checks deferred constraints now; PostgreSQL would check them at the commit alone. */
const CHECK_DEFERRED = { text: 'set constraints all immediate', parameters: [] };

export const transactionsOf = (pool: pg.Pool): Transactions<Parameter> => ({
  /** The commit itself is always awaited. */
  inTransaction: (bounds, work) =>
    transact(pool, bounds, work, async (send) => {
      await commit(send);
      return true;
    }),
  /** Its session is closed: a trigger may have left a lock or a table that is the session's own. */
  rolledBack: (bounds, work) => {
    const checked = async (session: WritingSession<Parameter>) => {
      const result = await work(session);
      await session.run(CHECK_DEFERRED);
      return result;
    };
    return transact(pool, bounds, checked, async (send) => {
      await send('rollback').catch(ignore);
      return false;
    });
  },
});
