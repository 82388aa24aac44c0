import { later } from '../../application/shared/later.ts';

export type Stopper = ReturnType<typeof stopper>;

/** Ends work whose caller leaves, or whose time is up. Timer and listener end with `clear`. */
export const stopper = (signal: AbortSignal) => {
  const controller = new AbortController();
  const forward = () => controller.abort(signal.reason);
  let stopClock = () => {};
  if (signal.aborted) forward();
  signal.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    /** Aborts with this error once the time is up; replaces the clock that was set before. */
    setClock(milliseconds: number, late: () => Error) {
      stopClock();
      stopClock = later(milliseconds, () => controller.abort(late()));
    },
    clear() {
      stopClock();
      signal.removeEventListener('abort', forward);
    },
  };
};
