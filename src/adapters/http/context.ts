import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';

export interface State {
  requestId: string;
  /** The operation or page, for the log; a path of the client's making never gets there. */
  route: string;
}

export type Context = ParameterizedContext<State>;
export type Middleware = KoaMiddleware<State>;
