import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { API_SCOPES } from './authorization-request.ts';
import type { RequestContext } from './request-context.ts';
import { METADATA_PATH, pathOf } from './resources.ts';
import type { Routing } from './routing.ts';
import type { AuthorizationServerSettings } from './settings.ts';

/** The version whose insides `oidc-provider.ts` uses and changes. */
const VERSION = '9.13.3';

/** A library that is not installed, or is another than was tested, stops the start and not the first sign-in. */
const checkLibrary = () => {
  const manifest = findPackageJSON('oidc-provider', import.meta.url);
  if (manifest === undefined) throw new Error('oidc-provider is not installed: run npm ci.');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  if (version !== VERSION)
    throw new Error(
      `oidc-provider ${version} is installed, and Portico changes the insides of ${VERSION}: run npm ci, or check oidc-provider.ts first.`,
    );
};

const OURS = /^\/(?:oauth|\.well-known)\//;

/** The first request for one of its paths loads the library: its 230 modules are a sixth of a start, and most processes do without. */
export const authorizationServer = (settings: AuthorizationServerSettings) => {
  const prefix = pathOf(settings.issuer);
  checkLibrary();
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
