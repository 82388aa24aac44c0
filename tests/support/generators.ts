/** What a generator returns, once it has done all its work. */
export const drained = <T>(work: Generator<unknown, T>): T => countedTurns(work).result;

/** The same, and how often others could have had their turn in between. */
export const countedTurns = <T>(work: Generator<unknown, T>): { readonly turns: number; readonly result: T } => {
  for (let turns = 0; ; turns += 1) {
    const { done, value } = work.next();
    if (done) return { turns, result: value };
  }
};
