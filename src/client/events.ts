import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { components, operations } from './openapi.ts';
import { backoff, type Exchange, eitherOf, inMs, patient, pause, type SendOptions, TIMEOUT_SECONDS } from './send.ts';
import { longPoll } from './wait-for-run.ts';

export type PorticoEvent = components['schemas']['LogEvent'];

/** A type of event, or all of a kind; `*` is all but the steps, `unit.*`. */
export type EventPattern =
  | '*'
  | `${'run' | 'document' | 'approval' | 'audit' | 'budget' | 'unit'}.*`
  | PorticoEvent['type'];

export interface FollowOptions extends SendOptions {
  /** Where to begin: behind the event with this `id`, or behind a position. `now`: with what happens from now on. Absent: with all that is kept. */
  readonly after?: string | undefined;
}

export interface EventsOptions extends FollowOptions {
  /** Absent: all types but the steps, `unit.*`. */
  readonly types?: readonly EventPattern[] | undefined;
  /** Only events of this run; they do not end with it. */
  readonly runId?: string | undefined;
  /**
   * Called with a position in the log once every event before it has been taken. It moves on even if no event is of the types that are asked
   * for: kept in place of the `id` of the last event, it does not expire in silence.
   */
  readonly onPosition?: ((position: string) => void) | undefined;
}

type Page = { readonly events: readonly PorticoEvent[]; readonly next: string; readonly has_more: boolean };
type Query = NonNullable<operations['listEvents']['parameters']['query']>;

/** Reads a page of the log. */
type ReadPage = (query: Query, options: SendOptions) => Promise<Page>;
/** Opens the stream of a run: 204 if nothing more is to come. */
export type OpenStream = (
  place: { readonly after?: string; readonly lastEventId?: string },
  options: SendOptions,
) => Promise<Exchange>;

const PAGE = 1000;
/** A busy log is asked so often: waiting fits into 100 requests a minute. */
const GAP_SECONDS = 1;

const ends: ReadonlySet<string> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
] satisfies PorticoEvent['type'][]);

/** The log, page after page, without an end. */
export const followLog = async function* (
  read: ReadPage,
  { after, types, runId, onPosition, ...options }: EventsOptions,
): AsyncGenerator<PorticoEvent, void> {
  const filter = { ...(types && { types: types.join() }), ...(runId && { run_id: runId }) };
  let position = after;
  for (let pages = 0; ; pages++) {
    const askedAt = performance.now();
    // The first answer, which comes at once, settles what `now` means: a wait may break.
    const isSettled = position !== 'now';
    const wait = isSettled ? longPoll(options.timeoutSeconds) : 0;
    const query = { ...filter, ...(position && { after: position }), wait, limit: PAGE };
    const { events, next, has_more: more } = await read(query, { ...(pages > 0 ? patient : {}), ...options });
    yield* events;
    position = next;
    onPosition?.(next);
    if (!more && isSettled)
      await pause(Math.max(0, GAP_SECONDS - (performance.now() - askedAt) / 1000), options.signal);
  }
};

/** The frames of a stream until it ends or breaks, or is silent for too long: which of them, a reader that resumes need not know. */
export const framesOf = async function* (
  body: ReadableStream<Uint8Array>,
  end: () => void,
  { signal, timeoutSeconds = TIMEOUT_SECONDS }: SendOptions,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(end, inMs(timeoutSeconds));
  };
  const parser = new EventSourceParserStream({ onComment: alive });
  const frames = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(parser)
    .getReader();
  alive();
  try {
    for (;;) {
      const { value } = await frames.read().catch(() => ({ value: undefined }));
      signal?.throwIfAborted();
      if (value === undefined) return;
      clearTimeout(timer);
      yield value;
      alive();
    }
  } finally {
    clearTimeout(timer);
    end();
  }
};

/** The events of a run as they happen, until it has ended. A stream that ends before is opened again after its last event. */
export const followRun = async function* (
  open: OpenStream,
  parse: (text: string) => PorticoEvent,
  { after, ...options }: FollowOptions,
): AsyncGenerator<PorticoEvent, void> {
  let lastEventId: string | undefined;
  let idle = 0;
  for (let opened = 0; ; opened++) {
    const connection = new AbortController();
    const signal = eitherOf(options.signal, connection.signal);
    const place = lastEventId === undefined ? { ...(after && { after }) } : { lastEventId };
    const { response } = await open(place, { ...(opened > 0 ? patient : {}), ...options, signal });
    if (response.status === 204 || response.body === null) return;
    for await (const { id, data } of framesOf(response.body, () => connection.abort(), options)) {
      const event = parse(data);
      lastEventId = id;
      idle = 0;
      yield event;
      if (ends.has(event.type)) return;
    }
    const seconds = backoff(idle++);
    options.onRetry?.({ status: null, code: null, seconds });
    await pause(seconds, options.signal);
  }
};
