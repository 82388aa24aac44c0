import type { TraceContext } from '../../domain/trace-context.ts';

/** What came of a request. */
export interface RequestEnd {
  /** The operation or page: one of a list, never of the client's making. */
  readonly operation: string;
  /** The path as it is declared, without values; null if there is none. */
  readonly route: string | null;
  readonly status: number;
  /** Whether the client went away before the end of the answer. */
  readonly aborted: boolean;
  readonly seconds: number;
}

/** A request, watched from its beginning to the end of its answer. */
export interface WatchedRequest {
  /** The trace that it belongs to; null while there is none. */
  readonly traceId: string | null;
  /** The trace context for other servers that are called on behalf of this request; null if there is none. */
  readonly context: TraceContext | null;
  /** Does the work of the request: what is done meanwhile is part of it. */
  during(work: () => Promise<void>): Promise<void>;
  /** Called once, at the end of the answer. */
  end(end: RequestEnd): void;
}

/** What the operator sees of requests. What happens behind them is watched at the ports. */
export interface Telemetry {
  request(method: string, requestId: string, from: TraceContext | null): WatchedRequest;
}

/** For a server without telemetry. */
export const unwatched: Telemetry = {
  request: (_method, _requestId, from) => ({
    traceId: from?.traceId ?? null,
    context: from,
    during: (work) => work(),
    end() {},
  }),
};
