import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientKey } from './client-address.ts';
import type { Middleware } from './context.ts';
import type { Limits } from './limits.ts';
import { requireTls } from './request-lifecycle.ts';

/** A request to the authorization server. */
interface OAuthRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  readonly path: string;
  /** The key under which the client is counted. */
  readonly client: string;
  readonly ip: string;
}

/** The authorization server, as far as this adapter knows it. */
export interface OAuthServer {
  /** The name of the route for the log; null for a path of another part of the server. */
  routeOf(path: string): Promise<string | null>;
  serve(request: OAuthRequest, count: () => Promise<void>): Promise<void>;
}

/** Hands the paths of OAuth to the authorization server. They count by address and apart from the API, because no client has a credential there yet. */
export const oauthRoutes =
  (server: OAuthServer, limits: Limits, address: string): Middleware =>
  async (ctx, next) => {
    const route = await server.routeOf(ctx.path);
    if (route === null) return next();
    ctx.state.route = route;
    requireTls(ctx, address);
    ctx.respond = false;
    const { req, res, method, path, ip } = ctx;
    await server.serve({ req, res, method, path, ip, client: clientKey(ip) }, () => limits.perAddress(ctx, 'oauth'));
  };
