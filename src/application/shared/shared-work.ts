import { abortable } from './async.ts';

interface Shared<T> {
  readonly outcome: Promise<T>;
  /** Aborts when no caller waits any more. */
  readonly unwanted: AbortController;
  callers: number;
}

/** Does work of the same name once for all callers that wait for it at the same time. */
export const sharedWork = <T>() => {
  const underWay = new Map<string, Shared<T>>();

  const begin = (name: string, work: (unwanted: AbortSignal) => Promise<T>): Shared<T> => {
    const unwanted = new AbortController();
    const outcome = work(unwanted.signal).finally(() => underWay.delete(name));
    outcome.catch(() => undefined);
    const shared = { outcome, unwanted, callers: 0 };
    underWay.set(name, shared);
    return shared;
  };

  /** Rejects with the signal's reason when that aborts; the work goes on for the others. */
  return async (name: string, work: (unwanted: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> => {
    for (;;) {
      signal.throwIfAborted();
      const shared = underWay.get(name) ?? begin(name, work);
      shared.callers += 1;
      try {
        return await abortable(shared.outcome, signal);
      } catch (error) {
        // The callers before this one gave it up.
        if (error !== shared.unwanted.signal.reason || signal.aborted) throw error;
      } finally {
        shared.callers -= 1;
        if (shared.callers === 0) shared.unwanted.abort(new Error('no caller waits for it any more'));
      }
    }
  };
};
