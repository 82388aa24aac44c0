import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientKey } from './client-address.ts';
import type { Middleware } from './context.ts';
import type { Limits } from './limits.ts';
import { requireTls } from './transport-security.ts';

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  readonly path: string;
  /** What the client is counted by. */
  readonly client: string;
  readonly ip: string;
}

/** Whatever answers OAuth's own addresses, as far as this server has to know it. */
export interface OAuthServer {
  /** The name of the route for the log; null for a path that is not one of its own. */
  routeOf(path: string): string | null;
  serve(exchange: Exchange, count: () => Promise<void>): Promise<void>;
}

/** Hands OAuth's addresses over. They are counted by address, apart from the API: nobody there has a credential yet. */
export const oauthRoutes =
  (server: OAuthServer, limits: Limits, address: string): Middleware =>
  async (ctx, next) => {
    const route = server.routeOf(ctx.path);
    if (route === null) return next();
    ctx.state.route = route;
    requireTls(ctx, address);
    ctx.respond = false;
    const { req, res, method, path, ip } = ctx;
    await server.serve({ req, res, method, path, ip, client: clientKey(ip) }, () => limits.perAddress(ctx, 'oauth'));
  };
