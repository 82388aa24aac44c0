import { abortable, deadline } from '../../../application/shared/async.ts';
import { ignore } from '../errors.ts';
import type { Transactions, Session as WritingSession } from '../sql/dialect.ts';
import { type Bounds, CommitUnanswered } from '../unanswered.ts';
import { isLost } from './errors.ts';
import {
  affectedIn,
  type Ending,
  endSession,
  type Open,
  openSession,
  runIn,
  type Session,
  send,
  type Value,
} from './session.ts';

/** The least time that a commit gets, however long the work before it took: its answer is worth more than a look for its rows. */
const LEAST_COMMIT_SECONDS = 5;

const commit = (session: Session, seconds: number): Promise<unknown> =>
  abortable(send(session, 'commit'), deadline(seconds)).catch((error: unknown) => {
    throw isLost(error) ? new CommitUnanswered(error) : error;
  });

/** One transaction around the work; the session is reset afterwards, which gives back the lock of the document. */
const transact = async <T>(
  open: Open,
  { signal, timeoutSeconds }: Bounds,
  work: (session: WritingSession<Value>) => Promise<T>,
  commits: boolean,
): Promise<T> => {
  const start = performance.now();
  const session = await openSession(open, open.work, timeoutSeconds, signal);
  let ending: Ending = 'running';
  try {
    await abortable(send(session, 'start transaction read write'), signal);
    const result = await work({ run: runIn(session, signal), affected: affectedIn(session, signal) }).catch(
      async (error: unknown) => {
        if (!signal.aborted && !isLost(error)) await send(session, 'rollback').then(() => (ending = 'used'), ignore);
        throw signal.aborted ? signal.reason : error;
      },
    );
    signal.throwIfAborted();
    if (commits) {
      const left = timeoutSeconds - (performance.now() - start) / 1000;
      await commit(session, Math.max(left, Math.min(timeoutSeconds, LEAST_COMMIT_SECONDS)));
    } else await send(session, 'rollback').catch(ignore);
    ending = 'used';
    return result;
  } finally {
    // The next delivery of the document finds its lock free.
    await endSession(open, session, ending);
  }
};

/**
 * An abort before the commit rolls back and rejects with the signal's reason; the commit itself is awaited for what is left of the time,
 * and rejects with CommitUnanswered if no answer comes.
 */
export const transactionsIn = (open: Open): Transactions<Value> => ({
  inTransaction: (bounds, work) => transact(open, bounds, work, true),
  rolledBack: (bounds, work) => transact(open, bounds, work, false),
});
