import { Readable } from 'node:stream';
import type { Log } from '../../application/ports/runtime.ts';
import { openShares } from '../../application/shared/open-shares.ts';
import { type Caller, sharesOf } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Context } from './context.ts';
import { CHECK_MS, watchCredential } from './credential-watch.ts';
import { logError } from './errors.ts';
import type { EventFrame, EventStream } from './operation.ts';

const usualTerms = { keepAliveMs: 15_000, perCredential: 10, checkMs: CHECK_MS };

export type StreamTerms = typeof usualTerms;

interface Reading extends Pick<EventStream, 'work'> {
  readonly caller: Caller;
  /** Throws once the credential may no longer read; the stream ends then. */
  check(): Promise<unknown>;
}

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;
const RETRY_SECONDS = 5;
/** How long a client may read what was sent to it before its stream ended. */
const GRACE_MS = 2000;
/** A client that reads slowly has so much waiting for it here; the rest stays where the events come from. */
const BUFFER_BYTES = 16 * 1024;

const frameOf = ({ id, type, data }: EventFrame) =>
  `${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

const BEAT = Symbol('beat');

/** A beat if the next one takes longer, or the stream has to end. */
const nextOrBeat = <T>(next: Promise<T>, keepAliveMs: number, ended: AbortSignal): Promise<T | typeof BEAT> => {
  const { promise, resolve } = Promise.withResolvers<typeof BEAT>();
  const beat = () => resolve(BEAT);
  const timer = setTimeout(beat, keepAliveMs);
  ended.addEventListener('abort', beat, { once: true });
  return Promise.race([next, promise]).finally(() => {
    clearTimeout(timer);
    ended.removeEventListener('abort', beat);
  });
};

/** The events as text. A comment is one line: with an empty line behind it, some parsers take it for an event without data. In silence a comment now and then keeps proxies from closing the connection. */
const textOf = async function* (frames: AsyncIterable<EventFrame>, keepAliveMs: number, ended: AbortSignal) {
  const iterator = frames[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    yield ': open\n';
    while (!ended.aborted) {
      const step = await nextOrBeat(next, keepAliveMs, ended);
      if (ended.aborted) return;
      if (step === BEAT) yield ': keepalive\n';
      else if (step.done) return;
      else {
        yield frameOf(step.value);
        next = iterator.next();
      }
    }
  } finally {
    next.catch(() => {});
    // The end of the stream does not wait for a source that waits for its next event: the signal of the request ends that one.
    iterator.return?.().catch(() => {});
  }
};

/** Streams of events of this server. Those that follow what others do may be open for long: they are counted by credential and user. */
export const eventStreams = (log: Log, { keepAliveMs, perCredential, checkMs }: StreamTerms = usualTerms) => {
  const open = openShares();

  const refuseMore = (caller: Caller) => {
    const full = open.full(sharesOf(caller, perCredential));
    if (full === null) return;
    const detail = `The ${full.of} has ${full.most} streams open already: close one first.`;
    throw new DomainError('rate_limited', detail, { retryAfterSeconds: RETRY_SECONDS });
  };

  return (ctx: Context, frames: AsyncIterable<EventFrame>, { work, caller, check }: Reading): void => {
    if (work === null) refuseMore(caller);
    work?.catch((error) => logError(ctx, error, log));
    for (const [name, value] of Object.entries(HEADERS)) ctx.res.setHeader(name, value);
    ctx.status = 200;
    const ended = new AbortController();
    const body = Readable.from(textOf(frames, keepAliveMs, ended.signal), {
      objectMode: false,
      highWaterMark: BUFFER_BYTES,
    });
    const leave = watchCredential(check, checkMs, () => {
      ended.abort();
      // A client that does not read would not notice.
      setTimeout(() => body.closed || ctx.res.destroy(), GRACE_MS).unref();
    });
    body.once('close', leave);
    if (work === null) body.once('close', open.enter(sharesOf(caller, perCredential)));
    ctx.body = body;
  };
};
