/** Works on the items in order, at most `atOnce` of them at a time; rejects with the first error once none is under way any more. */
export const inBatches = async <T, R>(items: readonly T[], atOnce: number, work: (item: T, index: number) => Promise<R>): Promise<R[]> => {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  const failures: unknown[] = [];
  const lane = async () => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
};
