/** Lets other work run between slices of a long loop: `const pause = pace(); if (pause) await pause;`. Rejects with the reason once aborted. */
export type Pace = () => Promise<void> | null;

const SLICE_MS = 8;

export const pacer = (signal?: AbortSignal): Pace => {
  let count = 0;
  let since = performance.now();
  const rest = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    since = performance.now();
  };
  return () => {
    count += 1;
    return count % 64 === 0 && performance.now() - since > SLICE_MS ? rest() : null;
  };
};
