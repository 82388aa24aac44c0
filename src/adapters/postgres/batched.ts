import pg from 'pg';

interface Asked<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Work that takes many items for the price of one: what is asked for while `atOnce` batches are under way goes into the next one,
 * `most` items at a time. `work` answers the results in the order of its items. If the database refuses a batch, which it then has
 * rolled back, each item is tried alone: only the one at fault fails.
 */
export const batched = <T, R>(atOnce: number, most: number, work: (items: readonly T[]) => Promise<readonly R[]>) => {
  const waiting: Asked<T, R>[] = [];
  let underWay = 0;

  const run = async (batch: readonly Asked<T, R>[]): Promise<void> => {
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
