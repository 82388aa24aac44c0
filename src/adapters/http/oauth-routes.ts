import { clientKey } from './client-address.ts';
import type { Context, Middleware } from './context.ts';
import type { Limits } from './limits.ts';
import { requireTls } from './request-lifecycle.ts';

/** A request to the authorization server; `client` is the key under which its sender is counted. */
const requestOf = ({ req, res, method, path, ip }: Context) => ({ req, res, method, path, ip, client: clientKey(ip) });

/** The authorization server, as far as this adapter knows it. */
export interface OAuthServer {
  /** The name of the route for the log; null for a path of another part of the server. */
  routeOf(path: string): Promise<string | null>;
  serve(request: ReturnType<typeof requestOf>, count: () => Promise<void>): Promise<void>;
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
    await server.serve(requestOf(ctx), () => limits.perAddress(ctx, 'oauth'));
  };
