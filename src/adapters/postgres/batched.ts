import pg from 'pg';

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects items for work that costs the same for many as for one: while `atOnce` batches run, new items wait for the next batch of at
 * most `most`. `work` returns its results in the order of the items. If the database rejects a batch, and so rolls it back, each item is
 * tried alone: only the one that causes the error fails.
 */
export const batched = <T, R>(atOnce: number, most: number, work: (items: readonly T[]) => Promise<readonly R[]>) => {
  const waiting: Waiting<T, R>[] = [];
  let underWay = 0;

  const run = async (batch: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      if (batch.length > 1 && error instanceof pg.DatabaseError) {
        for (const asked of batch) await run([asked]);
      } else for (const { reject } of batch) reject(error);
    }
  };

  const next = async () => {
    underWay += 1;
    while (waiting.length > 0) await run(waiting.splice(0, most));
    underWay -= 1;
  };

  return (item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (underWay < atOnce) void next();
    });
};
