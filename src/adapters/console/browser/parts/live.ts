import { useEffect, useRef } from 'preact/hooks';
import type { EventPattern, PorticoEvent } from '../../../../client/portico.ts';
import { api, isUnreachable, untilBack } from '../api.ts';

/** Many events come at once, and each look costs a request. */
const GAP_MS = 1500;

/** Asks for `change` while something happens: it is called at once, then no more often than the gap allows, as long as the page is open. */
export const useThrottled = (change: () => void, gapMs = GAP_MS): (() => void) => {
  const state = useRef({ change, last: 0, timer: undefined as ReturnType<typeof setTimeout> | undefined }).current;
  state.change = change;
  useEffect(() => () => clearTimeout(state.timer), []);
  return () => {
    state.timer ??= setTimeout(
      () => {
        [state.timer, state.last] = [undefined, Date.now()];
        state.change();
      },
      Math.max(0, state.last + gapMs - Date.now()),
    );
  };
};

type Following = { readonly after?: string; readonly signal: AbortSignal; readonly reconnect: false };

/** Takes events as they happen; where the connection breaks, goes on after the last one as soon as the server answers again. */
export const follow = async (
  open: (options: Following) => AsyncIterable<PorticoEvent>,
  take: (event: PorticoEvent) => void,
  signal: AbortSignal,
): Promise<void> => {
  let after: string | undefined;
  while (!signal.aborted) {
    try {
      for await (const event of open({ ...(after && { after }), signal, reconnect: false })) {
        after = event.id;
        take(event);
      }
      return;
    } catch (error) {
      // The page shows what it has, and each of its own requests says what is wrong.
      if (signal.aborted || !isUnreachable(error)) return;
      await untilBack();
    }
  }
};

/** Calls `change` after events of these types, as long as the page is open and seen. */
export const useLive = (types: readonly EventPattern[], change: () => void): void => {
  const ask = useThrottled(change);
  useEffect(() => {
    if (types.length === 0) return;
    let ended = new AbortController();
    const turn = () => {
      ended.abort();
      if (document.hidden) return;
      ended = new AbortController();
      void follow((options) => api.events({ types, after: 'now', ...options }), ask, ended.signal);
    };
    const seen = () => {
      turn();
      if (!document.hidden) ask();
    };
    turn();
    document.addEventListener('visibilitychange', seen);
    return () => {
      ended.abort();
      document.removeEventListener('visibilitychange', seen);
    };
  }, [types.join()]);
};
