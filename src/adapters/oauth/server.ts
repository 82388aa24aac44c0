import { API_SCOPES } from './authorization-request.ts';
import type { RequestContext } from './request-context.ts';
import { METADATA_PATH, pathOf } from './resources.ts';
import type { Routing } from './routing.ts';
import type { AuthorizationServerSettings } from './settings.ts';

const OURS = /^\/(?:oauth|\.well-known)\//;

/** The first request for one of its paths loads the library: its 230 modules are a sixth of a start, and most processes do without. */
export const authorizationServer = (settings: AuthorizationServerSettings) => {
  const prefix = pathOf(settings.issuer);
  // A library that is not installed stops the start, not the first sign-in.
  import.meta.resolve('oidc-provider');
  let opened: Promise<Routing> | null = null;
  const open = () => {
    opened ??= import('./routes.ts').then(({ oauthRoutes }) => oauthRoutes(settings, prefix));
    return opened;
  };
  return {
    /** RFC 8414. */
    metadataUrl: `${new URL(settings.issuer).origin}${METADATA_PATH}${prefix}`,
    scopesSupported: API_SCOPES,
    /** The name of the path's route for the log; null if the path is not served here. */
    routeOf: async (path: string) => (OURS.test(path) ? (await open()).routeOf(path) : null),
    /** Calls `count` first, and answers the error that it throws. */
    serve: async (context: RequestContext, count: () => Promise<void>) => (await open()).serve(context, count),
  };
};
