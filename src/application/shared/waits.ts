import { linkedList } from './linked-list.ts';

/** The readers of one kind that wait at the moment. */
export const waits = () => {
  const ends = linkedList<() => void>();
  let stopped = false;
  return {
    /**
     * The wait of one reader, over after so many seconds, by the signal, or by `stop`. What happens while it reads wakes it afterwards.
     * `subscribe` takes what to call when there may be news.
     */
    begin(subscribe: (ring: () => void) => () => void, seconds: number, signal: AbortSignal) {
      let rung = Promise.withResolvers<void>();
      let over = stopped || seconds === 0 || signal.aborted;
      const ring = () => rung.resolve();
      const end = () => {
        over = true;
        ring();
      };
      const unsubscribe = subscribe(ring);
      const timer = Number.isFinite(seconds) ? setTimeout(end, seconds * 1000) : undefined;
      signal.addEventListener('abort', end, { once: true });
      const remove = ends.add(end);
      return {
        /** Call before each read. */
        silence(): void {
          rung = Promise.withResolvers();
        },
        /** Resolves once there may be news since `silence`, or the wait is over. */
        news: () => rung.promise,
        isOver: () => over,
        leave(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          remove();
          unsubscribe();
        },
      };
    },

    /** Ends every wait, and from now on each at once. */
    stop() {
      stopped = true;
      for (const end of ends) end();
    },
  };
};
