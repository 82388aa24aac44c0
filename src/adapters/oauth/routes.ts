import type { RateLimiter } from '../../application/ports/limiter.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Limit } from '../../domain/rate-limit.ts';
import { accountPages } from './account-pages.ts';
import { clientDocumentsOf } from './client-documents.ts';
import { cookieTerms } from './cookies.ts';
import { forms as formsOf } from './forms.ts';
import { interactions as interactionsOf } from './interactions.ts';
import { organisationRoutes } from './organisation.ts';
import { protocol as protocolOf } from './protocol.ts';
import { oauthProvider } from './provider.ts';
import { type RequestContext, sendJson } from './request-context.ts';
import { METADATA_PATH } from './resources.ts';
import { type Handler, type Route, type Routing, routing } from './routing.ts';
import { serverKeys } from './secrets.ts';
import { sessions as sessionsOf } from './sessions.ts';
import type { AuthorizationServerSettings } from './settings.ts';

const notFound = (context: RequestContext) =>
  sendJson(context, 404, { error: 'not_found', error_description: 'There is no such resource.' });

/** Registrations and authorizations are stored for a while, so they have limits of their own. */
const REGISTRATIONS = { name: 'oauth-registrations', limit: 100, windowSeconds: 3600 };
const AUTHORIZATIONS = { name: 'oauth-authorizations', limit: 600, windowSeconds: 3600 };

const SIGN_INS = { name: 'oidc-sign-ins', limit: 600, windowSeconds: 3600 };
const LOGOUTS = { name: 'oidc-logouts', limit: 3000, windowSeconds: 3600 };

/** Limits how much one client address can store. */
const limited =
  (limiter: RateLimiter, limit: Limit, what: string, handler: Handler): Handler =>
  async (context) => {
    const { allowed, quotas } = await limiter.take([{ ...limit, key: context.client }]);
    const wait = quotas[0]?.resetSeconds ?? 60;
    if (!allowed) throw new DomainError('rate_limited', `Too many ${what} from here.`, { retryAfterSeconds: wait });
    await handler(context);
  };

/** What programs call, in JSON. */
const machineRoutes = (settings: AuthorizationServerSettings, protocol: Handler, prefix: string): readonly Route[] => {
  const { resources, limiter, registration } = settings;
  const machine = (name: string, pattern: RegExp, methods: Route['methods']): Route => ({
    name,
    pattern,
    methods,
    machine: true,
  });

  const describe: Handler = (context) => {
    const suffix = context.path.slice(METADATA_PATH.length);
    return suffix === '' || suffix === prefix ? protocol({ ...context, path: METADATA_PATH }) : notFound(context);
  };
  const describeResource: Handler = (context) => {
    const metadata = resources.metadataAt(context.path);
    if (!metadata) return notFound(context);
    context.res.setHeader('Cache-Control', 'public, max-age=300');
    sendJson(context, 200, metadata);
  };
  const register = limited(limiter, REGISTRATIONS, 'clients were registered', protocol);

  return [
    machine('oauth metadata', /^\/\.well-known\/oauth-authorization-server(\/.*)?$/, { GET: describe }),
    machine('oauth resource', /^\/\.well-known\/oauth-protected-resource\/./, { GET: describeResource }),
    machine('oauth token', /^\/oauth\/token$/, { POST: protocol }),
    machine('oauth revoke', /^\/oauth\/revoke$/, { POST: protocol }),
    ...(registration === 'open' ? [machine('oauth register', /^\/oauth\/register$/, { POST: register })] : []),
  ];
};

type Pages = ReturnType<typeof accountPages>;
type Interactions = ReturnType<typeof interactionsOf>;

/** The sign-in at the organisation; nothing where there is none. */
const organisationRoutesOf = (
  routes: ReturnType<typeof organisationRoutes>,
  limiter: RateLimiter,
): readonly Route[] => {
  const begin = limited(limiter, SIGN_INS, 'sign-ins were begun', routes.begin);
  const logout = limited(limiter, LOGOUTS, 'sessions were ended', routes.logout);
  return [
    { name: 'oidc sign-in', pattern: /^\/oauth\/oidc$/, methods: { GET: begin }, machine: false },
    { name: 'oidc callback', pattern: /^\/oauth\/oidc\/callback$/, methods: { GET: routes.callback }, machine: false },
    { name: 'oidc logout', pattern: /^\/oauth\/oidc\/backchannel-logout$/, methods: { POST: logout }, machine: true },
  ];
};

/** What people open in a browser. */
const pageRoutes = (
  protocol: Handler,
  limiter: RateLimiter,
  interactions: Interactions,
  pages: Pages,
): readonly Route[] => {
  const stored = limited(limiter, AUTHORIZATIONS, 'programs asked for access', protocol);
  // With prompt=none nothing is stored but for users who are signed in.
  const authorize: Handler = (context) =>
    /[?&]prompt=none(&|$)/.test(context.req.url ?? '') ? protocol(context) : stored(context);
  const page = (name: string, pattern: RegExp, methods: Route['methods']): Route => ({
    name,
    pattern,
    methods,
    machine: false,
  });
  return [
    page('oauth authorize', /^\/oauth\/authorize$/, { GET: authorize }),
    page('oauth authorize', /^\/oauth\/authorize\/[\w-]{1,64}$/, { GET: protocol }),
    page('oauth interaction', /^\/oauth\/interaction\/[\w-]{1,64}$/, {
      GET: interactions.show,
      POST: interactions.submit,
    }),
    page('oauth sign-in', /^\/oauth\/sign-in$/, { GET: pages.showSignIn, POST: pages.signIn }),
    page('oauth sign-out', /^\/oauth\/sign-out$/, { POST: pages.signOut }),
    page('oauth link', /^\/oauth\/link\/[\w-]{1,128}$/, { GET: pages.showLink, POST: pages.useLink }),
    page('oauth grants', /^\/oauth\/grants$/, { GET: pages.showGrants, POST: pages.removeGrant }),
    page('oauth invitation', /^\/oauth\/invitation\/[\w-]{1,128}$/, {
      GET: pages.showInvitation,
      POST: pages.acceptInvitation,
    }),
  ];
};

/** Everything that the server answers, with the library's part behind it. */
export const oauthRoutes = (settings: AuthorizationServerSettings, prefix: string): Routing => {
  const { organisation } = settings;
  const keys = serverKeys(settings.key);

  const documents = clientDocumentsOf(settings);
  const terms = cookieTerms(settings.issuer);
  const provider = oauthProvider({ ...settings, keys, documents, terms });
  const cookies = ({ req, res }: RequestContext) => provider.createContext(req, res).cookies;
  const sessions = sessionsOf({ ...settings, provider, cookies, terms });
  const forms = formsOf({ key: keys.forms, cookies, terms, sessions });
  const protocol = protocolOf({ ...settings, provider, sessions, documents });
  const interactions = interactionsOf({ ...settings, provider, forms, sessions });
  const pages = accountPages({ ...settings, forms, sessions });

  const routes = [
    ...machineRoutes(settings, protocol.serve, prefix),
    ...(organisation
      ? organisationRoutesOf(
          organisationRoutes({ ...settings, organisation, sessions, cookies, terms }),
          settings.limiter,
        )
      : []),
    ...pageRoutes(protocol.serve, settings.limiter, interactions, pages),
  ];
  const { routeOf, serve } = routing(routes, new URL(settings.issuer).origin, settings.log);
  return {
    routeOf,
    serve(context, count) {
      protocol.setPublicAddress(context);
      return serve(context, count);
    },
  };
};
