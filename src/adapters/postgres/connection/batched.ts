import { setImmediate } from 'node:timers/promises';
import pg from 'pg';

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

interface Terms {
  /** Items in one batch, at most. */
  readonly most: number;
  /** Batches under way at a time, so that the database works on one while this process makes the next; 1 if left out. */
  readonly lanes?: number;
  /** No item is the cause of an error, and none is tried again. */
  readonly isRead?: boolean;
}

/**
 * Collects items for work that costs the same for many as for one: what comes in one turn of the event loop goes together, and what comes
 * while every lane is busy waits for the next batch. That one begins before the results of the last are handed out, so that the database
 * works while this process answers. `work` returns its results in the order of the items. If the database rejects a batch, and so rolls it
 * back, each item is tried alone: only the one that causes the error fails.
 */
export const batched = <T, R>(
  { most, lanes = 1, isRead = false }: Terms,
  work: (items: readonly T[]) => Promise<readonly R[]>,
) => {
  const waiting: Waiting<T, R>[] = [];
  let busy = 0;
  let collecting = false;

  /** Does the work; answers what hands out its results. */
  const run = async (batch: readonly Waiting<T, R>[]): Promise<() => void> => {
    try {
      const results = await work(batch.map(({ item }) => item));
      return () => {
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      };
    } catch (error) {
      if (batch.length > 1 && !isRead && error instanceof pg.DatabaseError) {
        for (const request of batch) (await run([request]))();
        return () => {};
      }
      return () => {
        for (const { reject } of batch) reject(error);
      };
    }
  };

  const next = async () => {
    busy += 1;
    collecting = true;
    await setImmediate();
    collecting = false;
    while (waiting.length > 0) {
      const handOut = await run(waiting.splice(0, most));
      if (waiting.length === 0) handOut();
      else void setImmediate().then(handOut);
    }
    busy -= 1;
  };

  return (item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!collecting && busy < lanes) void next();
    });
};
