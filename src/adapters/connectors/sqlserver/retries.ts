import pRetry from 'p-retry';
import { isDeadlock, isPassing } from './errors.ts';
import type { Pools } from './pools.ts';

const FIRST_WAIT_MILLISECONDS = 200;
const LONGEST_WAIT_MILLISECONDS = 5000;
/** Of the operation's time, so that its end is the server's reason and not the clock's. */
const SHARE_OF_TIME = 0.9;

/** Waits for a server that lets nobody in at present, as Azure's do while a database moves or wakes up, in the operation's own time. */
export const patient = (pools: Pools, timeoutSeconds: number): Pools => ({
  ...pools,
  lease: (connection, purpose, signal) =>
    pRetry(() => pools.lease(connection, purpose, signal), {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: FIRST_WAIT_MILLISECONDS,
      maxTimeout: LONGEST_WAIT_MILLISECONDS,
      maxRetryTime: timeoutSeconds * 1000 * SHARE_OF_TIME,
      randomize: true,
      shouldRetry: ({ error }) => isPassing(error),
      signal,
    }),
});

/** A deadlock's victim is rolled back as a whole, and may find the way free the next time: it is tried once more. */
export const unlessDeadlocked = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isDeadlock(error) || signal.aborted) throw error;
    return work();
  }
};
