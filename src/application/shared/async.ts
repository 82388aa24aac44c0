/** The outcome of the work, or the signal's reason as soon as it aborts; work that does not heed the signal goes on unobserved. */
export const abortable = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

/** Does the work at the first call, and answers what came of it from then on. Work that failed is done again at the next call. */
export const lazily = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let outcome: Promise<T> | null = null;
  return () => {
    outcome ??= work().catch((error: unknown) => {
      outcome = null;
      throw error;
    });
    return outcome;
  };
};

/** Beyond this a timer of Node and of browsers fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** As timers take them: `AbortSignal.timeout` throws for a part of a millisecond. */
const wholeMilliseconds = (seconds: number): number => Math.min(Math.max(0, Math.ceil(seconds * 1000)), LONGEST_MS);

/** Aborts by itself when the time is up; any number of seconds will do, fractions too. */
export const deadline = (seconds: number): AbortSignal => AbortSignal.timeout(wholeMilliseconds(seconds));

export interface Terms {
  readonly seconds: number;
  /** What the work ends with when the time is up. */
  readonly late: () => Error;
  /** Ends the work earlier, with its reason. */
  readonly signal?: AbortSignal;
}

/** A stretch in which this process is busy counts as one slice at most: its own slowness is not taken for that of the work. */
const SLICES = 4;

/** Calls back when the time is up, unless it is stopped before. */
const countDown = (seconds: number, end: () => void): { stop(): void } => {
  const slice = wholeMilliseconds(seconds) / SLICES;
  let left = SLICES;
  let timer: NodeJS.Timeout;
  const wait = () => {
    if (left-- === 0) return end();
    timer = setTimeout(wait, slice);
  };
  wait();
  return { stop: () => clearTimeout(timer) };
};

/**
 * The outcome of the work, or an error once its time is up. The work's own signal aborts with the same error. Timers and listeners end
 * with the work, which `AbortSignal.any` and `deadline` leave to the garbage collector.
 */
export const inTime = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
  { seconds, late, signal }: Terms,
): Promise<T> => {
  signal?.throwIfAborted();
  const end = new AbortController();
  const forward = () => end.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  const clock = countDown(seconds, () => end.abort(late()));
  try {
    return await abortable(work(end.signal), end.signal);
  } finally {
    clock.stop();
    signal?.removeEventListener('abort', forward);
  }
};

/** Works on the items in order, at most `limit` of them at a time; rejects with the first error once no item is under way any more. */
export const concurrently = async <T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> => {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  const errors: unknown[] = [];
  const lane = async () => {
    for (const [index, item] of queue) {
      if (errors.length > 0) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (errors.length > 0) throw errors[0];
  return results;
};

/** Does the work, or answers the last outcome again while it is fresh. */
export const freshFor = <T>(milliseconds: number, work: () => Promise<T>): (() => Promise<T>) => {
  let last: { readonly outcome: Promise<T>; readonly until: number } | null = null;
  return () => {
    const now = performance.now();
    if (last === null || now >= last.until) last = { outcome: work(), until: now + milliseconds };
    return last.outcome;
  };
};

const SLICE_MS = 8;

/** Does the work in slices, between which the process answers its other requests. Rejects with the signal's reason once it aborts. */
export const inSlices = async <T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> => {
  let since = performance.now();
  for (let count = 1; ; count += 1) {
    const { done, value } = work.next();
    if (done) return value;
    if (count % 64 !== 0 || performance.now() - since < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    since = performance.now();
  }
};

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Does one work after the other, whatever came of those before. */
export const oneAtATime = () => {
  let before: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const now = before.then(work);
    before = now.catch(() => {});
    return now;
  };
};
