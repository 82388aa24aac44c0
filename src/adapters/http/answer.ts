import { isAscii } from 'node:buffer';
import { Readable } from 'node:stream';
import { etagOf, isNotModified, names } from './conditional.ts';
import type { Context } from './context.ts';
import { BodyText, type Operation, represent, representWith, WithHeaders, WithTexts } from './operation.ts';
import { partsOf } from './text-parts.ts';

const tagOf = ({ etag }: Operation, value: unknown, body: () => string): string => etag?.of?.(value) ?? etagOf(body());

/** Tells whether the client has a payload already (`If-None-Match`); null if the request names none. */
export const knownBy = ({ headers }: Context, op: Operation): ((payload: unknown) => boolean) | null => {
  const known = op.etag ? headers['if-none-match'] : undefined;
  if (known === undefined) return null;
  return (payload) => {
    const tag = tagOf(op, payload, () => represent(op, payload));
    return names(known, tag);
  };
};

/** Up to this size an answer goes out as a whole, because a stream costs several times as much. */
const WHOLE_BYTES = 64 * 1024;

/** A short answer leaves in one piece with its headers if it is a string, which saves half of what sending costs. */
const LONGEST_STRING = 8 * 1024;

const wholeOf = (bytes: Buffer): Buffer | string =>
  bytes.length <= LONGEST_STRING && isAscii(bytes) ? bytes.toString('latin1') : bytes;

/** Begins to read before the status is sent, so that a failure until then is an ordinary error. */
const begun = async (chunks: Exclude<BodyText['chunks'], string>): Promise<Buffer | string | Readable> => {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let length = 0; length < WHOLE_BYTES; length += first.at(-1)?.length ?? 0) {
    const step = await iterator.next();
    if (step.done) return wholeOf(Buffer.concat(first));
    first.push(typeof step.value === 'string' ? Buffer.from(step.value) : step.value);
  }
  const next = async (): Promise<IteratorResult<string | Uint8Array>> => {
    const value = first.shift();
    return value ? { done: false, value } : iterator.next();
  };
  const end = async () => (await iterator.return?.()) ?? { done: true as const, value: undefined };
  return Readable.from({ [Symbol.asyncIterator]: () => ({ next, return: end }) }, { objectMode: false });
};

const sendBytes = (ctx: Context, { etag, success }: Operation, bytes: Uint8Array): void => {
  if (etag && isNotModified(ctx, etagOf(bytes))) return;
  ctx.body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  ctx.res.setHeader('Content-Type', success.binary ?? 'application/octet-stream');
};

interface Sending {
  /** Whether the answer is kept for a repetition, as one text. */
  readonly isKept: boolean;
  /** Calls back once the credential has ended; answers what ends the watch. */
  readonly watch: (onEnd: () => void) => () => void;
}

/** Stops sending when the credential ends: the client sees that its answer breaks off. */
const sendWatched = (ctx: Context, body: Buffer | string | Readable, watch: Sending['watch']): void => {
  ctx.body = body;
  if (!(body instanceof Readable)) return;
  const leave = watch(() => void ctx.res.destroy());
  body.once('close', leave);
};

/** A long answer is encoded in parts, between which the process answers other requests. */
const sendTexts = async (ctx: Context, op: Operation, result: WithTexts<unknown>, { isKept, watch }: Sending) => {
  if (op.etag?.of && isNotModified(ctx, op.etag.of(result.data))) return;
  const { data, texts } = await result.read();
  if (op.etag?.of && isNotModified(ctx, op.etag.of(data))) return;
  const pieces = representWith(op, data, texts);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const isWhole = isKept || length <= WHOLE_BYTES;
  sendWatched(ctx, isWhole ? pieces.join('') : Readable.from(partsOf(pieces), { objectMode: false }), watch);
  ctx.res.setHeader('Content-Type', 'application/json');
};

/** Sends what the use case answers, as its operation declares it. */
export const sendAnswer = async (ctx: Context, op: Operation, result: unknown, sending: Sending): Promise<void> => {
  ctx.res.setHeader('Content-Type', 'application/json');
  ctx.status = op.success.status;
  if (result instanceof BodyText) {
    sendWatched(ctx, typeof result.chunks === 'string' ? result.chunks : await begun(result.chunks), sending.watch);
    ctx.res.setHeader('Content-Type', result.type);
    return;
  }
  if (result instanceof WithTexts) return sendTexts(ctx, op, result, sending);
  if (result instanceof WithHeaders) {
    ctx.set(result.headers);
    // A browser must not show an answer that it keeps to the next person who signs in with it.
    if ('Cache-Control' in result.headers) ctx.vary(['Authorization', 'X-API-Key']);
    if (result.isAccepted) ctx.status = 202;
  }
  const data = result instanceof WithHeaders ? result.data : result;
  if (data instanceof Uint8Array) return sendBytes(ctx, op, data);
  if (op.etag?.of && isNotModified(ctx, op.etag.of(data))) return;
  const body = represent(op, data);
  if (!op.etag || op.etag.of || !isNotModified(ctx, etagOf(body))) ctx.body = body;
};
