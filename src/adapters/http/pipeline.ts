import { isAscii } from 'node:buffer';
import { Readable } from 'node:stream';
import type { AuthenticationService } from '../../application/access/authentication.ts';
import type { IdempotencyService } from '../../application/shared/idempotency.ts';
import { type Caller, mustBeAdmin, mustWrite } from '../../domain/caller.ts';
import { DomainError, invalid, type ValidationError } from '../../domain/errors.ts';
import { type AnyCodec, fieldsOf } from '../../wire/kit/codec.ts';
import { decodeAt, Repeated } from '../../wire/kit/errors.ts';
import { bodyHeaderError, readBody, typeOfBody } from './body.ts';
import { etagOf, isNotModified, names } from './conditional.ts';
import type { Context, Middleware } from './context.ts';
import { CHECK_MS, watchCredential, whileAllowed } from './credential-watch.ts';
import { callerOf, mustHaveScope } from './credentials.ts';
import { type Egress, forward, isCounted } from './egress.ts';
import { stoppedByHangUp } from './errors.ts';
import type { eventStreams } from './event-streams.ts';
import { answerOnce, keyHeaders, type OnceTerms } from './keyed-requests.ts';
import type { Limits } from './limits.ts';
import {
  type Access,
  API,
  BodyText,
  EventStream,
  type Input,
  type Operation,
  represent,
  representWith,
  type Services,
  WithHeaders,
  WithTexts,
} from './operation.ts';
import { partsOf } from './text-parts.ts';

/** Whether decoding yields what the client wrote: `URLSearchParams` replaces what is not UTF-8. */
const isPercentEncodedUtf8 = (query: string): boolean => {
  if (!query.includes('%')) return true;
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
};

/** The query parameters in one pass: the time of Koa's own parser grows with the square of their number. */
const queryOf = ({ querystring }: Context): Readonly<Record<string, string | Repeated>> => {
  const query: Record<string, string | Repeated> = Object.create(null);
  if (querystring === '') return query;
  for (const [name, value] of new URLSearchParams(querystring)) {
    const known = query[name];
    if (known === undefined) query[name] = value;
    else if (typeof known === 'string') query[name] = Repeated.of(known, value) as Repeated;
    else known.push(value);
  }
  return query;
};

export interface Dependencies {
  readonly services: Services;
  readonly authentication: AuthenticationService;
  readonly idempotency: IdempotencyService;
  readonly limits: Limits;
  readonly egress: Egress;
  readonly openStream: ReturnType<typeof eventStreams>;
  /** How often the credential of a request that waits is checked again. */
  readonly checkMs?: number;
}

/** The caller, counted and authorized. Requests without a valid credential count by address. */
const admit = async (
  ctx: Context,
  op: Operation,
  { authentication, limits, egress }: Dependencies,
): Promise<Caller | null> => {
  if (op.access === 'public') {
    await limits.perAddress(ctx);
    return null;
  }
  const caller = await callerOf(authentication, ctx, op.access).catch(async (error: unknown) => {
    if (error instanceof DomainError && error.kind === 'unauthenticated') await limits.perAddress(ctx);
    throw error;
  });
  if (!isCounted(ctx, egress)) await limits.perCaller(ctx, caller, op.limits);
  mustHaveScope(caller, op.access);
  if (op.writes) mustWrite(caller);
  if (op.adminOnly) mustBeAdmin(caller);
  return caller;
};

const EVENTS = 'text/event-stream';

class Call implements Input<Access, unknown, unknown, unknown, unknown, unknown> {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  idempotencyKey: string | null = null;
  /** The field of the body that it is, if it is one alone. */
  field: string | null = null;
  readonly caller: Caller;
  readonly knows: ((data: unknown) => boolean) | null;
  readonly streams: boolean;
  readonly #ctx: Context;
  #stop: AbortController | null = null;

  constructor(ctx: Context, op: Operation, caller: Caller | null, knows: ((data: unknown) => boolean) | null) {
    this.#ctx = ctx;
    this.streams = op.stream !== null && ctx.method !== 'HEAD' && ctx.accepts('application/json', EVENTS) === EVENTS;
    this.caller = caller as Caller;
    this.knows = knows;
  }

  /** What aborts the signal. */
  get stop(): AbortController {
    this.#stop ??= stoppedByHangUp(this.#ctx, this.streams);
    return this.#stop;
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }
}

const mayWait = ({ longRead }: Operation, { query, streams }: Call) =>
  longRead || (!streams && ((query as { wait?: number } | undefined)?.wait ?? 0) > 0);

/** The body, as JSON or as another media type of the operation. */
const readInto = async (
  ctx: Context,
  { body: usual, otherBodies, specified }: Operation,
  call: Call,
  errors: ValidationError[],
) => {
  const others = otherBodies?.types ?? {};
  const refused = bodyHeaderError(ctx, Object.keys(others));
  if (refused && !specified) throw new DomainError('unsupported', `${refused.path} ${refused.message}`);
  if (refused) return void errors.push(refused);
  const before = errors.length;
  const body = await readBody(ctx, errors);
  const other = others[typeOfBody(ctx)];
  if (other) call.field = otherBodies?.field ?? null;
  if (errors.length === before) call.body = decodeAt('body', (other?.codec ?? usual) as AnyCodec, body, errors);
};

/** Reads the whole input of the operation, or refuses it with every error at once. */
const read = async (ctx: Context, op: Operation, call: Call): Promise<void> => {
  const errors: ValidationError[] = [];
  if (op.params) call.params = decodeAt('path', op.params, ctx.params, errors);
  if (op.query) {
    if (!isPercentEncodedUtf8(ctx.querystring))
      errors.push({ path: 'query', message: 'must be percent-encoded UTF-8' });
    call.query = decodeAt('query', op.query, queryOf(ctx), errors);
  }
  if (op.headers) call.headers = decodeAt('headers', op.headers, ctx.headers, errors);
  if (op.idempotent) call.idempotencyKey = decodeAt('headers', keyHeaders, ctx.headers, errors)?.idempotencyKey ?? null;
  if (op.body) await readInto(ctx, op, call, errors);
  if (errors.length > 0) throw invalid(...errors);
};

const tagOf = ({ etag }: Operation, value: unknown, body: () => string): string => etag?.of?.(value) ?? etagOf(body());

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

/** What is not sent yet when the credential ends is not sent: the client sees that its answer breaks off. */
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

const send = async (ctx: Context, op: Operation, result: unknown, sending: Sending): Promise<void> => {
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
    // What a browser keeps is not for the next person who signs in with it.
    if ('Cache-Control' in result.headers) ctx.vary(['Authorization', 'X-API-Key']);
    if (result.isAccepted) ctx.status = 202;
  }
  const data = result instanceof WithHeaders ? result.data : result;
  if (data instanceof Uint8Array) return sendBytes(ctx, op, data);
  if (op.etag?.of && isNotModified(ctx, op.etag.of(data))) return;
  const body = represent(op, data);
  if (!op.etag || op.etag.of || !isNotModified(ctx, etagOf(body))) ctx.body = body;
};

const announce = (ctx: Context, { deprecation }: Operation) => {
  if (!deprecation) return;
  ctx.res.setHeader('Deprecation', `@${Math.floor(deprecation.since.getTime() / 1000)}`);
  ctx.res.setHeader('Sunset', deprecation.sunset.toUTCString());
};

/** Whether the client asked for the stable egress address. */
const wantsEgress = (op: Operation, { headers }: Call) =>
  op.alsoAt !== null && (headers as { xSvcEgress?: boolean } | undefined)?.xSvcEgress === true;

const secondAddress = ({ alsoAt }: Operation, { params }: Context): string =>
  (alsoAt ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** The terms of a request that is answered once, by its key; null for any other one. */
const termsOf = ({ idempotent }: Operation, { idempotencyKey: key }: Call): OnceTerms | null =>
  idempotent === null || idempotent === 'own' || key === null ? null : { ...idempotent, key };

/** Where in the request the field stands that a path begins with; `field`: what the body is alone, if it is one field of it. */
const inRequest = (path: string, { body, query, params }: Operation, field: string | null): string => {
  const [name = ''] = /^\w*/.exec(path) ?? [];
  if (path === '') return 'body';
  if (name === field) return `body${path.slice(name.length)}`;
  const places = Object.entries({ body, query, path: params });
  const [place] = places.find(([, codec]) => codec !== null && fieldsOf(codec).includes(name)) ?? [];
  return place === undefined ? path : `${place}.${path}`;
};

/** A use case says which field is wrong; the client knows it by its place in the request: `body.files[0].file_key`. */
const placedInRequest = (error: unknown, op: Operation, field: string | null): unknown => {
  if (!(error instanceof DomainError) || error.code !== 'invalid_request' || error.errors.length === 0) return error;
  return invalid(...error.errors.map(({ path, message }) => ({ path: inRequest(path, op, field), message })));
};

/** Serves an operation, each in the same order: credential → limits → scope and role → decode → use case → encode. */
export const serve = (op: Operation, dependencies: Dependencies): Middleware => {
  const { services, openStream, checkMs = CHECK_MS } = dependencies;
  const template = API + op.path;
  return async (ctx) => {
    ctx.state.route = op.id;
    ctx.state.template = template;
    announce(ctx, op);
    if (op.acceptPatch) ctx.res.setHeader('Accept-Patch', op.acceptPatch);
    const caller = await admit(ctx, op, dependencies);
    const known = op.etag ? ctx.headers['if-none-match'] : undefined;
    const call = new Call(
      ctx,
      op,
      caller,
      known === undefined
        ? null
        : (data) =>
            names(
              known,
              tagOf(op, data, () => represent(op, data)),
            ),
    );
    await read(ctx, op, call);
    if (wantsEgress(op, call) && !dependencies.egress.isGateway)
      return forward(ctx, dependencies.egress, secondAddress(op, ctx), call.signal);
    /** What may be read no longer ends also while it is under way. */
    const check = async () => {
      const still = await callerOf(dependencies.authentication, ctx, op.access);
      mustHaveScope(still, op.access);
      if (op.adminOnly) mustBeAdmin(still);
    };
    const terms = termsOf(op, call);
    const answered = async (): Promise<EventStream | null> => {
      const result = await op.handle(services, call);
      if (result instanceof EventStream) return result;
      const watch = (onEnd: () => void) => watchCredential(check, checkMs, onEnd);
      await send(ctx, op, result, { isKept: terms !== null, watch });
      return null;
    };
    const work = async (): Promise<EventStream | null> => {
      try {
        return await (mayWait(op, call) ? whileAllowed(check, checkMs, call.stop, answered) : answered());
      } catch (error) {
        throw placedInRequest(error, op, call.field);
      }
    };
    const stream = await (terms ? answerOnce(ctx, op, call, dependencies.idempotency, terms, work) : work());
    if (stream?.frames === null) ctx.status = 204;
    else if (stream) openStream(ctx, stream.frames, { work: stream.work, caller: call.caller, check });
  };
};
