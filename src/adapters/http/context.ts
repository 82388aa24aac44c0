import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { Quota } from '../../domain/rate-limit.ts';
import type { TraceContext } from '../../domain/trace-context.ts';

export interface State {
  requestId: string;
  /** The public address of this server. */
  base: string;
  /** The operation or page, for the log: never a path that the client chose. */
  route: string;
  /** The path as it is declared; null outside the operations. */
  template: string | null;
  /** The trace that requests to other servers continue. */
  trace: TraceContext | null;
  /** The limits that have counted the request. */
  limits: readonly Quota[];
  /** The `WWW-Authenticate` of a 401; absent for the usual one. */
  challenge?: string;
}

export type Context = ParameterizedContext<State>;
export type Middleware = KoaMiddleware<State>;

/** Whether a request reads what is at its path; if not, tells as the router does of its paths that these methods alone are taken. */
export const isRead = (ctx: Context): boolean => {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return true;
  ctx.matched = [{ methods: ['GET', 'HEAD'] }];
  return false;
};
