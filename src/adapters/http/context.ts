import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { TraceContext } from '../../domain/trace-context.ts';

export interface State {
  requestId: string;
  /** The operation or page, for the log; a path of the client's making never gets there. */
  route: string;
  /** The path as it is declared; null outside the operations. */
  template: string | null;
  /** Where a server that this one asks goes on with the trace. */
  trace: TraceContext | null;
  /** What `WWW-Authenticate` says on a 401, where it is not what it says everywhere. */
  challenge?: string;
}

export type Context = ParameterizedContext<State>;
export type Middleware = KoaMiddleware<State>;
