/** What a generator returns, once it has done all its work. */
export const drained = <T>(work: Generator<unknown, T>): T => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
};
