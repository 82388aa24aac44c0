import { Readable } from 'node:stream';
import type { AuthenticationService } from '../../application/access/authentication.ts';
import { type Caller, mustWrite } from '../../application/access/caller.ts';
import { DomainError, invalid, type ValidationError } from '../../domain/errors.ts';
import { readBody } from './body.ts';
import { etagOf, names } from './conditional.ts';
import type { Context, Middleware } from './context.ts';
import { callerOf, mustHold } from './credentials.ts';
import { type Egress, forward, isCounted } from './egress.ts';
import { ClientGone } from './errors.ts';
import { namedForClient } from './field-names.ts';
import type { Limits } from './limits.ts';
import { type Access, type AnyCodec, API, type Input, JsonText, type Operation, Reply, type Services } from './operation.ts';
import { isPercentEncodedUtf8, queryOf } from './query.ts';
import { decodeAt } from './validation-errors.ts';

export interface Deps {
  readonly services: Services;
  readonly authentication: AuthenticationService;
  readonly limits: Limits;
  readonly egress: Egress;
}

/** Who is asking, counted and entitled. Requests without a valid credential are counted by address. */
const admit = async (ctx: Context, op: Operation, { authentication, limits, egress }: Deps): Promise<Caller | null> => {
  if (op.access === 'public') {
    await limits.perAddress(ctx);
    return null;
  }
  const caller = await callerOf(authentication, ctx.req, op.access).catch(async (error: unknown) => {
    if (error instanceof DomainError && error.kind === 'unauthenticated') await limits.perAddress(ctx);
    throw error;
  });
  if (!isCounted(ctx, egress)) await limits.perCaller(ctx, caller, op.limits);
  mustHold(caller, op.access);
  if (op.writes) mustWrite(caller);
  return caller;
};

class Call implements Input<Access, unknown, unknown, unknown, unknown, unknown> {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  readonly caller: Caller;
  readonly knows: ((data: unknown) => boolean) | null;
  readonly #ctx: Context;
  #signal: AbortSignal | null = null;

  constructor(ctx: Context, caller: Caller | null, knows: ((data: unknown) => boolean) | null) {
    this.#ctx = ctx;
    this.caller = caller as Caller;
    this.knows = knows;
  }

  get signal(): AbortSignal {
    this.#signal ??= hangUpSignal(this.#ctx);
    return this.#signal;
  }
}

const hangUpSignal = ({ res }: Context): AbortSignal => {
  const controller = new AbortController();
  const abort = () => {
    if (!res.writableFinished) controller.abort(new ClientGone());
  };
  if (res.closed) abort();
  else res.once('close', abort);
  return controller.signal;
};

const decode = (place: string, codec: AnyCodec, value: unknown, errors: ValidationError[]): unknown => {
  const decoded = decodeAt(place, codec, value);
  if (decoded.errors) errors.push(...decoded.errors);
  return decoded.value;
};

/** Reads everything the operation takes, and refuses it with every error at once. */
const read = async (ctx: Context, op: Operation, call: Call): Promise<void> => {
  const errors: ValidationError[] = [];
  if (!isPercentEncodedUtf8(ctx.querystring)) errors.push({ path: 'query', message: 'must be percent-encoded UTF-8' });
  if (op.params) call.params = decode('path', op.params, ctx.params, errors);
  if (op.query) call.query = decode('query', op.query, queryOf(ctx), errors);
  if (op.headers) call.headers = decode('headers', op.headers, ctx.headers, errors);
  if (op.body) {
    const before = errors.length;
    const body = await readBody(ctx, errors);
    if (errors.length === before) call.body = decode('body', op.body, body, errors);
  }
  if (errors.length > 0) throw invalid(...errors);
};

const represent = ({ success: { data, envelope } }: Operation, value: unknown): string => {
  const payload = data.encode(value);
  return JSON.stringify(envelope ? { data: payload } : payload);
};

/** A shorter answer goes out as a whole, because a stream costs several times as much. */
const WHOLE_BYTES = 64 * 1024;

/** Begins reading before the status is sent: what fails until then is an ordinary error. */
const begun = async ({ chunks }: JsonText): Promise<Buffer | Readable> => {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let length = 0; length < WHOLE_BYTES; length += first.at(-1)?.length ?? 0) {
    const step = await iterator.next();
    if (step.done) return Buffer.concat(first);
    first.push(typeof step.value === 'string' ? Buffer.from(step.value) : step.value);
  }
  const next = async (): Promise<IteratorResult<string | Uint8Array>> => {
    const value = first.shift();
    return value ? { done: false, value } : iterator.next();
  };
  const end = async () => (await iterator.return?.()) ?? { done: true as const, value: undefined };
  return Readable.from({ [Symbol.asyncIterator]: () => ({ next, return: end }) }, { objectMode: false });
};

const send = async (ctx: Context, op: Operation, result: unknown): Promise<void> => {
  ctx.res.setHeader('Content-Type', 'application/json');
  ctx.status = op.success.status;
  if (result instanceof JsonText) {
    ctx.body = await begun(result);
    return;
  }
  if (result instanceof Reply) ctx.set(result.headers);
  const body = represent(op, result instanceof Reply ? result.data : result);
  if (op.etag) {
    const etag = etagOf(body);
    ctx.res.setHeader('ETag', etag);
    const known = ctx.headers['if-none-match'];
    if (known !== undefined && names(known, etag)) {
      ctx.status = 304;
      return;
    }
  }
  ctx.body = body;
};

const announce = (ctx: Context, { deprecation }: Operation) => {
  if (!deprecation) return;
  ctx.res.setHeader('Deprecation', `@${Math.floor(deprecation.since.getTime() / 1000)}`);
  ctx.res.setHeader('Sunset', deprecation.sunset.toUTCString());
};

/** Whether the client asked for the stable egress address. */
const leaves = (op: Operation, { headers }: Call) =>
  op.alsoAt !== null && (headers as { xSvcEgress?: boolean } | undefined)?.xSvcEgress === true;

const secondAddress = ({ alsoAt }: Operation, { params }: Context): string =>
  (alsoAt ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** The one way every operation is served: credential → limits → scope and role → decode → use case → encode. */
export const serve = (op: Operation, deps: Deps): Middleware => {
  const { services } = deps;
  const template = API + op.path;
  return async (ctx) => {
    ctx.state.route = op.id;
    ctx.state.template = template;
    announce(ctx, op);
    const caller = await admit(ctx, op, deps);
    const known = op.etag ? ctx.headers['if-none-match'] : undefined;
    const call = new Call(ctx, caller, known === undefined ? null : (data) => names(known, etagOf(represent(op, data))));
    await read(ctx, op, call);
    if (leaves(op, call) && !deps.egress.isGateway) return forward(ctx, deps.egress, secondAddress(op, ctx), call.signal);
    try {
      await send(ctx, op, await op.handle(services, call));
    } catch (error) {
      throw namedForClient(error, op);
    }
  };
};
