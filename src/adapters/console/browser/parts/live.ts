import { useEffect, useRef } from 'preact/hooks';
import type { EventPattern, PorticoEvent } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { isUnreachable, untilBack } from '../connection.ts';

/** Many events come at once, and each look costs a request. */
const GAP_MS = 1500;

/** Calls `change` now and then while something happens: at once, then no more often than the gap allows. */
export const throttled = (change: () => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const call = () => {
    timer = undefined;
    last = Date.now();
    change();
  };
  return {
    ask: () => {
      timer ??= setTimeout(call, Math.max(0, last + GAP_MS - Date.now()));
    },
    end: () => clearTimeout(timer),
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
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => {
    if (types.length === 0) return;
    let ended = new AbortController();
    const { ask, end } = throttled(() => latest.current());
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
      end();
      document.removeEventListener('visibilitychange', seen);
    };
  }, [types.join()]);
};
