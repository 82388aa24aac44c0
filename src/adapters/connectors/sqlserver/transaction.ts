import { deadline } from '../../../application/shared/async.ts';
import type { Connection } from '../../../domain/connection.ts';
import { codeOf } from '../../../domain/errors.ts';
import type { Purpose } from '../settings.ts';
import type { Session, Transactions } from '../sql/dialect.ts';
import { CommitUnanswered, type Bounds as WorkBounds } from '../unanswered.ts';
import { isLogin, serverErrorOf } from './errors.ts';
import type { Lease, Pools } from './pools.ts';
import { lockMilliseconds, type Parameter, type Run, run, runBatch } from './session.ts';

/** The signal aborts by itself when the time is up. */
interface Bounds extends WorkBounds {
  /** Every statement by itself, without a transaction around them. */
  readonly autocommit?: boolean;
  /** The transaction never commits, and its session is closed: a trigger may have left a lock or a table that is the session's own. */
  readonly rehearsal?: boolean;
}

const FATAL_SEVERITY = 20;

const LOST_CODES = /^(?:ESOCKET|ECLOSE|ECONNCLOSED|EINVALIDSTATE|ECONNRESET|EPIPE)$/;
/** The driver has no code for a connection that ends before an answer begins. */
const LOST_TEXT = 'unexpected end of message stream';

/** The session ended before it was asked anything, as idle ones do when the server restarts. */
const wasStale = (error: unknown): boolean => {
  if (isLogin(error)) return false;
  const answered = serverErrorOf(error);
  if (answered) return answered.class >= FATAL_SEVERITY;
  return LOST_CODES.test(codeOf(error)) || (error instanceof Error && error.message === LOST_TEXT);
};

/**
 * Read committed whatever the database's default: after a wait for a lock a statement must see what the other transaction has committed.
 * The session was opened with xact_abort on, so that any error ends the transaction and not only its statement.
 */
const SETTINGS = (milliseconds: number) =>
  `set nocount on; set transaction isolation level read committed; set lock_timeout ${milliseconds}`;

const ROLLBACK = 'if @@trancount > 0 rollback transaction';
const ROLLBACK_MILLISECONDS = 400;

/** Does work on a session that lives: stale ones are passed over. The work releases its session. */
const onLivingSession = async <T>(
  pools: Pools,
  connection: Connection,
  purpose: Purpose,
  signal: AbortSignal,
  work: (lease: Lease) => Promise<T>,
): Promise<T> => {
  for (let passedOver = 0; ; passedOver += 1) {
    const lease = await pools.lease(connection, purpose, signal);
    try {
      return await work(lease);
    } catch (error) {
      if (signal.aborted || !wasStale(error) || passedOver >= pools.most) throw error;
    }
  }
};

/** One statement outside of a transaction: what only reads may be asked again. */
export const readOnce = <T>(
  pools: Pools,
  connection: Connection,
  signal: AbortSignal,
  work: (lease: Lease) => Promise<T>,
): Promise<T> => onLivingSession(pools, connection, 'work', signal, work);

/** A session with a transaction begun, unless each statement is one. */
export const begin = (pools: Pools, connection: Connection, purpose: Purpose, bounds: Bounds): Promise<Lease> => {
  const { signal, timeoutSeconds, autocommit = false } = bounds;
  const milliseconds = Math.ceil(timeoutSeconds * 1000);
  const settings = SETTINGS(lockMilliseconds(timeoutSeconds));
  return onLivingSession(pools, connection, purpose, signal, async (lease) => {
    try {
      await runBatch(lease.session, autocommit ? settings : `${settings}; begin transaction`, milliseconds, signal);
      return lease;
    } catch (error) {
      lease.release(false);
      throw error;
    }
  });
};

/** Whether nothing is left of the transaction and the session can be used again. One that is closed is rolled back by the server. */
export const rollback = async ({ session }: Lease): Promise<boolean> => {
  const timer = setTimeout(() => session.close(), ROLLBACK_MILLISECONDS);
  const done = runBatch(session, ROLLBACK, 0).then(
    () => true,
    () => false,
  );
  return done.finally(() => clearTimeout(timer));
};

/** The least time that a commit gets, however long the work before it took: its answer is worth more than a look for its rows. */
const LEAST_COMMIT_SECONDS = 5;

/** The transaction had ended before the commit, in a way that this program did not see. */
const NO_TRANSACTION = 3902;

/** Whether the commit failed for certain: the server refused it and kept the session, or the driver had no session to send it to. */
const isCertain = (error: unknown): boolean => {
  const answered = serverErrorOf(error);
  if (answered) return answered.class < FATAL_SEVERITY && answered.number !== NO_TRANSACTION;
  return codeOf(error) === 'EINVALIDSTATE';
};

const commit = ({ session }: Lease, seconds: number): Promise<void> =>
  runBatch(session, 'commit transaction', 0, deadline(seconds)).catch((error: unknown) => {
    throw isCertain(error) ? error : new CommitUnanswered(error);
  });

/**
 * The count is taken by the very next statement, before anything else can change it; results of triggers come before it, and the last
 * result is what is read.
 */
const counted = (text: string) =>
  `set nocount on;\ndeclare @portico_rows int;\n${text};\nset @portico_rows = @@rowcount;\nselect @portico_rows as affected`;

export const writing = (query: Run): Session<Parameter> => ({
  run: query,
  async affected({ text, parameters }) {
    const [row] = await query<{ readonly affected: number }>({ text: counted(text), parameters });
    return row?.affected ?? 0;
  },
});

/**
 * One transaction around the work. An abort before the commit rolls back and rejects with the signal's reason; the commit itself is
 * awaited for what is left of the time, and rejects with CommitUnanswered if no answer comes.
 */
const transact = async <T>(
  pools: Pools,
  connection: Connection,
  bounds: Bounds,
  work: (session: Session<Parameter>) => Promise<T>,
): Promise<T> => {
  const { signal, timeoutSeconds, rehearsal = false } = bounds;
  const start = performance.now();
  const lease = await begin(pools, connection, 'work', bounds);
  let reusable = false;
  try {
    const result = await work(writing((statement) => run(lease.session, statement, signal)))
      .then((done) => {
        signal.throwIfAborted();
        return done;
      })
      .catch(async (error: unknown) => {
        reusable = await rollback(lease).catch(() => false);
        throw signal.aborted ? signal.reason : error;
      });
    if (rehearsal) {
      await rollback(lease);
      return result;
    }
    const left = timeoutSeconds - (performance.now() - start) / 1000;
    await commit(lease, Math.max(left, Math.min(timeoutSeconds, LEAST_COMMIT_SECONDS)));
    reusable = true;
    return result;
  } finally {
    lease.release(reusable);
  }
};

export const transactionsOf = (pools: Pools, connection: Connection): Transactions<Parameter> => ({
  inTransaction: (bounds, work) => transact(pools, connection, bounds, work),
  rolledBack: (bounds, work) => transact(pools, connection, { ...bounds, rehearsal: true }, work),
});
