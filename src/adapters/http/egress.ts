import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Sealer } from '../../application/ports/secrets.ts';
import { DomainError, invalid } from '../../domain/errors.ts';
import { traceparentOf } from '../../domain/trace-context.ts';
import { sentBytes } from './body.ts';
import type { Context } from './context.ts';
import { REPLAYED } from './keyed-requests.ts';
import { repeatLimits } from './limits.ts';

/** The part of this process in the stable egress address. */
export interface Egress {
  /** The address of the gateway; null if none is configured. */
  readonly url: string | null;
  /** Whether this process is the gateway, which forwards to no other. */
  readonly isGateway: boolean;
  /** The API and the gateway have the same ENCRYPTION_KEY: it proves that the API has counted a request. */
  readonly sealer: Sealer;
}

const COUNTED = 'x-portico-counted';
/** Longer than the clocks of one deployment differ. */
const GOOD_FOR_MS = 15 * 60_000;

/** Whether the API has counted this request: a sealed header of the forwarded request proves it. */
export const isCounted = ({ headers }: Context, { isGateway, sealer }: Egress): boolean => {
  const sealed = headers[COUNTED];
  if (!isGateway || typeof sealed !== 'string') return false;
  try {
    const [requestId, at] = sealer.open(sealed).split(' ');
    return requestId === headers['x-request-id'] && Math.abs(Date.now() - Number(at)) < GOOD_FOR_MS;
  } catch {
    return false;
  }
};

const headersOf = (ctx: Context, { sealer }: Egress): Record<string, string> => {
  const {
    'x-api-key': key,
    authorization,
    accept,
    'content-type': type,
    'idempotency-key': idempotencyKey,
  } = ctx.headers;
  return {
    ...(accept && { accept }),
    ...(typeof key === 'string' && { 'x-api-key': key }),
    ...(authorization && { authorization }),
    ...(type && { 'content-type': type }),
    ...(typeof idempotencyKey === 'string' && { 'idempotency-key': idempotencyKey }),
    ...(ctx.state.trace && { traceparent: traceparentOf(ctx.state.trace) }),
    'x-request-id': ctx.state.requestId,
    [COUNTED]: sealer.seal(`${ctx.state.requestId} ${Date.now()}`),
  };
};

/** What an answer of the gateway says in its headers, beside its type. */
const PASSED_ON = [REPLAYED, 'Retry-After', 'WWW-Authenticate'];

/** Sends the counted and checked request through the gateway, and streams the answer back. */
export const forward = async (ctx: Context, egress: Egress, path: string, signal: AbortSignal): Promise<void> => {
  if (egress.url === null) {
    throw invalid({
      path: 'headers.x-svc-egress',
      message: 'cannot be true: no egress gateway is configured on this server',
    });
  }
  const body = sentBytes(ctx);
  const send = { method: ctx.method, headers: headersOf(ctx, egress), redirect: 'error' as const, signal };
  const answer = await fetch(egress.url + path + ctx.search, { ...send, ...(body.length > 0 && { body }) }).catch(
    (cause: unknown) => {
      if (signal.aborted) throw signal.reason;
      throw new DomainError('unavailable', 'The egress gateway could not be reached.', { cause });
    },
  );
  ctx.status = answer.status;
  ctx.res.setHeader('Content-Type', answer.headers.get('content-type') ?? 'application/json');
  for (const name of PASSED_ON) {
    const value = answer.headers.get(name);
    if (value) ctx.res.setHeader(name, value);
  }
  // The limits are counted here, and not by the gateway.
  if (answer.status === 429) repeatLimits(ctx);
  ctx.body = answer.body ? Readable.fromWeb(answer.body as ReadableStream) : '';
};
