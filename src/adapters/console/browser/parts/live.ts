import { useEffect, useRef } from 'preact/hooks';
import type { EventPattern, PorticoEvent } from '../../../../client/portico.ts';
import { type EventType, matching } from '../../../../domain/event.ts';
import { api, mayAskAgain } from '../api.ts';

/** Many events come at once, and each look costs a request. */
const GAP_MS = 1500;

/**
 * Asks for `change` while something happens: it is called at once, then no more often than the gap allows, as long as the page is open.
 * What was asked for about one thing is not done to the next: `about` says which it is.
 */
export const useThrottled = (change: () => void, gapMs = GAP_MS, about: string | null = null): (() => void) => {
  const state = useRef({ change, last: 0, timer: undefined as ReturnType<typeof setTimeout> | undefined }).current;
  state.change = change;
  useEffect(
    () => () => {
      clearTimeout(state.timer);
      state.timer = undefined;
    },
    [about],
  );
  return () => {
    state.timer ??= setTimeout(
      () => {
        state.timer = undefined;
        state.last = Date.now();
        state.change();
      },
      Math.max(0, state.last + gapMs - Date.now()),
    );
  };
};

type Following = { readonly after?: string; readonly signal: AbortSignal; readonly reconnect: false };

/** Takes events as they happen; where the connection breaks or the server is busy, goes on after the last one once it answers. */
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
      if (signal.aborted || !(await mayAskAgain(error, signal))) return;
    }
  }
};

interface Follower {
  readonly patterns: readonly EventPattern[];
  /** A document, if it asks for the events of one alone. */
  readonly documentId: string | null;
  readonly ask: () => void;
}

const followers = new Set<Follower>();

interface Stream {
  readonly patterns: ReadonlySet<EventPattern>;
  readonly types: ReadonlySet<EventType>;
  readonly end: AbortController;
}

/** The one stream of this window, for all that its parts follow. */
let stream: Stream | null = null;
/** The event that came last: a wider stream goes on behind it. */
let last: string | undefined;

const typesOf = (patterns: Iterable<EventPattern>) => new Set([...patterns].flatMap(matching));

const tell = ({ id, type, document_id: about }: PorticoEvent) => {
  last = id;
  for (const { patterns, documentId, ask } of followers)
    if (typesOf(patterns).has(type) && (documentId === null || documentId === about)) ask();
};

const close = () => {
  stream?.end.abort();
  stream = null;
};

/** A part that is left asks for less, which is no reason to open the stream again. */
const open = () => {
  const wanted = [...followers].flatMap(({ patterns }) => patterns);
  if (document.hidden || [...typesOf(wanted)].every((type) => stream?.types.has(type))) return;
  const patterns = new Set([...(stream?.patterns ?? []), ...wanted]);
  close();
  const end = new AbortController();
  stream = { patterns, types: typesOf(patterns), end };
  void follow((options) => api.events({ types: [...patterns], after: last ?? 'now', ...options }), tell, end.signal);
};

/** A window that is not seen follows nothing; once it is seen again, it looks. */
document.addEventListener('visibilitychange', () => {
  close();
  last = undefined;
  open();
  if (!document.hidden) for (const { ask } of followers) ask();
});

/** Calls `change` after events of these types, of all documents or of one, as long as the page is open and seen. */
export const useLive = (
  patterns: readonly EventPattern[],
  change: () => void,
  documentId: string | null = null,
): void => {
  const ask = useThrottled(change, GAP_MS, documentId);
  useEffect(() => {
    if (patterns.length === 0) return;
    const follower = { patterns, documentId, ask };
    followers.add(follower);
    open();
    return () => {
      followers.delete(follower);
      if (followers.size === 0) close();
    };
  }, [patterns.join(), documentId]);
};
