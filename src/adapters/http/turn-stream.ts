import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, TurnObserver } from '../../application/conversations/exchange.ts';
import type { ShownMessage } from '../../application/ports/storage.ts';
import type { Delta } from '../../application/turns/drafted-message.ts';
import type { JsonObject } from '../../domain/json.ts';
import { turnEvents } from '../../wire/thread.ts';
import { detailOf } from './errors.ts';
import { type EventFrame, EventStream } from './operation.ts';

type TurnEvent =
  | { readonly type: 'message.delta'; readonly data: Delta }
  | { readonly type: 'message'; readonly data: ShownMessage }
  | { readonly type: 'done'; readonly data: Omit<Exchange, 'messages'> };

/** So many characters of one message wait for a client that reads slowly; it gets the others with the whole message. */
const MOST_WAITING = 64 * 1024;
/** After so long a stream begins without an event: a proxy could close a connection on which nothing comes. */
const PATIENCE_MS = 10_000;

const frameOf = ({ type, data }: TurnEvent): EventFrame => ({
  id: null,
  type,
  data: turnEvents[type].encode(data as never),
});

/** What waits for the client: messages, which the turn holds as well, and behind them the text by which one grows. The turn never waits. */
const waitingRoom = (signal: AbortSignal) => {
  const waiting: TurnEvent[] = [];
  /** The message of which the client gets no more deltas. */
  let skipped: string | null = null;
  let news = Promise.withResolvers<void>();

  const push = (event: TurnEvent) => {
    // A message that is whole, or begins again, makes its deltas useless.
    if (waiting.at(-1)?.type === 'message.delta') waiting.pop();
    if (!signal.aborted) waiting.push(event);
    news.resolve();
  };

  const onDelta = ({ id, text }: Delta) => {
    if (id === skipped) return;
    const last = waiting.at(-1);
    const before = last?.type === 'message.delta' && last.data.id === id ? last.data.text : '';
    if (before.length + text.length > MOST_WAITING) skipped = id;
    else push({ type: 'message.delta', data: { id, text: before + text } });
  };

  const frames = async function* () {
    for (;;) {
      const event = waiting.shift();
      if (signal.aborted) return;
      if (event) yield frameOf(event);
      if (event?.type === 'done') return;
      if (waiting.length > 0) continue;
      await news.promise;
      news = Promise.withResolvers();
    }
  };

  const leave = () => {
    waiting.length = 0;
    news.resolve();
  };
  signal.addEventListener('abort', leave, { once: true });
  return {
    push,
    onDelta,
    onMessage: (data: ShownMessage) => push({ type: 'message', data }),
    frames,
    first: news.promise,
  };
};

/** The events of a turn that is over, from the answer that it had. */
export const framesOfTurn = ({ messages, ...end }: JsonObject): readonly EventFrame[] => [
  ...(messages as readonly JsonObject[]).map((data) => ({ id: null, type: 'message', data })),
  { id: null, type: 'done', data: end },
];

/** A turn as a stream of events, which the signal ends. An error before the first event is an ordinary one; later, `done` has it. */
export const turnStream = async (
  conversationId: string,
  send: (observer: TurnObserver) => Promise<Exchange>,
  signal: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<EventStream> => {
  const room = waitingRoom(signal);
  const work = send(room);
  const end = (error: string | null) => room.push({ type: 'done', data: { conversationId, error } });
  const answered = work.then(({ error }) => end(error));
  const patience = new AbortController();
  await Promise.race([room.first, answered, sleep(patienceMs, undefined, { signal: patience.signal })]).finally(() =>
    patience.abort(),
  );
  answered.catch((error) => end(detailOf(error)));
  return new EventStream(room.frames(), work);
};
