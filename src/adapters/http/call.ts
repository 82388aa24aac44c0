import type { Caller } from '../../domain/caller.ts';
import { DomainError, invalid, type ValidationError } from '../../domain/errors.ts';
import { type AnyCodec, fieldsOf } from '../../wire/kit/codec.ts';
import { decodeAt, Repeated } from '../../wire/kit/errors.ts';
import { knownBy } from './answer.ts';
import { bodyHeaderError, readBody, typeOfBody } from './body.ts';
import type { Context } from './context.ts';
import { stoppedByHangUp } from './errors.ts';
import { keyHeaders } from './keyed-requests.ts';
import type { Access, Input, Operation } from './operation.ts';

const EVENTS = 'text/event-stream';

/** A request of an operation. `readRequest` fills in what it says. */
export class Call implements Input<Access, unknown, unknown, unknown, unknown, unknown> {
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

  constructor(ctx: Context, op: Operation, caller: Caller | null) {
    this.#ctx = ctx;
    this.streams = op.stream !== null && ctx.method !== 'HEAD' && ctx.accepts('application/json', EVENTS) === EVENTS;
    this.caller = caller as Caller;
    this.knows = knownBy(ctx, op);
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
export const readRequest = async (ctx: Context, op: Operation, call: Call): Promise<void> => {
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
export const placedInRequest = (error: unknown, op: Operation, field: string | null): unknown => {
  if (!(error instanceof DomainError) || error.code !== 'invalid_request' || error.errors.length === 0) return error;
  return invalid(...error.errors.map(({ path, message }) => ({ path: inRequest(path, op, field), message })));
};
