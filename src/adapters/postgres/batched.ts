import { setImmediate } from 'node:timers/promises';
import pg from 'pg';

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects items for work that costs the same for many as for one, in batches of at most `most`: what comes in one turn of the event loop
 * goes together, and what comes while a batch is under way waits for the next one. `work` returns its results in the order of the items.
 * If the database rejects a batch, and so rolls it back, each item is tried alone: only the one that causes the error fails. `isRead`: no
 * item is the cause, and none is tried again.
 */
export const batched = <T, R>(most: number, work: (items: readonly T[]) => Promise<readonly R[]>, isRead = false) => {
  const waiting: Waiting<T, R>[] = [];
  let underWay = false;

  const run = async (batch: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      if (batch.length > 1 && !isRead && error instanceof pg.DatabaseError) {
        for (const asked of batch) await run([asked]);
      } else for (const { reject } of batch) reject(error);
    }
  };

  const next = async () => {
    underWay = true;
    while (waiting.length > 0) {
      await setImmediate();
      await run(waiting.splice(0, most));
    }
    underWay = false;
  };

  return (item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!underWay) void next();
    });
};
