import { setImmediate } from 'node:timers/promises';
import pg from 'pg';

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** By the server's own clock, above all. */
const CANCELLED = '57014';

/**
 * Collects items for work that costs the same for many as for one, in batches of at most `most`: what comes in one turn of the event loop
 * goes together, and what comes while a batch is under way waits for the next one. `work` returns its results in the order of the items.
 * If the database rejects a batch, and so rolls it back, each item is tried alone: only the one that causes the error fails. A batch that
 * took too long is not tried again.
 */
export const batched = <T, R>(most: number, work: (items: readonly T[]) => Promise<readonly R[]>) => {
  const waiting: Waiting<T, R>[] = [];
  let underWay = false;

  const run = async (batch: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      if (batch.length > 1 && error instanceof pg.DatabaseError && error.code !== CANCELLED) {
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
