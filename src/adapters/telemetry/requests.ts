import { type Span, SpanKind, TraceFlags } from '@opentelemetry/api';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { RequestEnd, Telemetry, WatchedRequest } from '../../application/ports/telemetry.ts';
import type { TraceContext } from '../../domain/trace-context.ts';
import type { Metrics } from './metrics.ts';
import { type Scope, within } from './scope.ts';
import { markFailed, type Tracing } from './tracing.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);
const CLIENT_CLOSED_REQUEST = 499;

const contextOf = (span: Span): TraceContext => {
  const { traceId, spanId: parentId, traceFlags } = span.spanContext();
  return { traceId, parentId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
};

/** The semantic conventions for HTTP servers, without the path, which may name files and invitations. */
const describe = (span: Span, method: string, { operation, route, status, aborted }: RequestEnd) => {
  if (route !== null) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
  span.setAttribute('portico.operation', operation);
  if (!aborted) span.setAttribute('http.response.status_code', status);
  if (aborted) markFailed(span, 'aborted');
  else if (status >= 500) markFailed(span, String(status));
  span.end();
};

type Count = (method: string, end: RequestEnd) => void;

/** Made for every request, which is why it is a class: its getter and methods are made once. */
class RequestScope implements WatchedRequest {
  readonly context: TraceContext | null;
  readonly #method: string;
  readonly #scope: Scope;
  readonly #count: Count;
  /** The work and the answer: either may end first. */
  #open = 2;

  constructor(method: string, scope: Scope, from: TraceContext | null, count: Count) {
    this.context = scope.span ? contextOf(scope.span) : from;
    this.#method = method;
    this.#scope = scope;
    this.#count = count;
  }

  get traceId(): string | null {
    return this.#scope.traceId;
  }

  async during(work: () => Promise<void>): Promise<void> {
    try {
      await within(this.#scope, work);
    } finally {
      this.#close();
    }
  }

  end(end: RequestEnd): void {
    this.#count(this.#method, end);
    if (this.#scope.span) describe(this.#scope.span, this.#method, end);
    this.#close();
  }

  #close(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#scope.over = true;
  }
}

/** Requests, each a scope for the log, a span, and a count. */
export const requestTelemetry = (tracing: Tracing | null, { count: { requests }, underWay }: Metrics): Telemetry => {
  const count: Count = (method, { operation, status, aborted, seconds }) => {
    underWay(-1);
    requests.observe({ operation, method, status: String(aborted ? CLIENT_CLOSED_REQUEST : status) }, seconds);
  };

  const begin = (method: string, requestId: string, parent: TraceContext | null) => {
    const attributes = { 'http.request.method': method, 'url.scheme': 'http', 'portico.request_id': requestId };
    return tracing?.start({ name: method, kind: SpanKind.SERVER, attributes, parent }) ?? null;
  };

  return {
    request(verb, requestId, from) {
      underWay(1);
      const method = METHODS.has(verb) ? verb : '_OTHER';
      const span = tracing === null ? null : begin(method, requestId, from);
      const traceId = span?.spanContext().traceId ?? from?.traceId ?? null;
      const scope: Scope = { fields: { request_id: requestId }, traceId, span, conversationId: null, over: false };
      return new RequestScope(method, scope, from, count);
    },
  };
};

/** Counts refusals by the name of the limit that is spent. */
export const countedLimiter = (limiter: RateLimiter, { count }: Metrics): RateLimiter => ({
  ...limiter,
  async take(charges) {
    const taken = await limiter.take(charges);
    if (!taken.allowed) {
      const spent = taken.quotas.findIndex(({ remaining }) => remaining === 0);
      count.refusals.inc({ limit: charges[spent]?.name ?? 'unknown' });
    }
    return taken;
  },
});
