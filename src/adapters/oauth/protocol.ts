import type { IncomingMessage } from 'node:http';
import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { DomainError } from '../../domain/errors.ts';
import { CONSOLE, normaliseQuery, TOOL_SCOPES } from './authorization-request.ts';
import { checkBody } from './body.ts';
import type { ClientDocuments } from './client-documents.ts';
import { showPage, withheldErrorPage } from './pages/error.ts';
import { ROUTES } from './provider.ts';
import type { RequestContext } from './request-context.ts';
import { type AgentResources, METADATA_PATH, pathOf } from './resources.ts';
import { sha256 } from './secrets.ts';
import type { Sessions } from './sessions.ts';
import type { AuthorizationServerSettings } from './settings.ts';
import { userIdOf, userOf } from './subjects.ts';

/** The fields of RFC 8414 that apply here. The library adds those of OpenID Connect, which we do not support. */
const METADATA_FIELDS = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'revocation_endpoint_auth_methods_supported',
  'authorization_response_iss_parameter_supported',
];

const metadataOf = (all: Readonly<Record<string, unknown>>, { documentation, documents }: Dependencies) => ({
  ...Object.fromEntries(METADATA_FIELDS.filter((name) => all[name] !== undefined).map((name) => [name, all[name]])),
  scopes_supported: TOOL_SCOPES,
  response_modes_supported: ['query'],
  revocation_endpoint_auth_methods_supported: all.token_endpoint_auth_methods_supported,
  service_documentation: documentation,
  client_id_metadata_document_supported: documents.isAnnounced(),
});

/** The library builds URLs from the headers of a request, so they have to carry the public address and the client's. */
const setPublicAddress = ({ req, ip }: RequestContext, issuer: string) => {
  const { protocol, host } = new URL(issuer);
  Object.assign(req.headers, {
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-for': ip,
  });
  Object.assign(req, { baseUrl: pathOf(issuer) });
};

/** Replaces the request line by the one that the library is to read. */
const rewriteUrl = (req: IncomingMessage, path: string, resources: AgentResources) => {
  const query = new URLSearchParams(req.url?.split('?').slice(1).join('?') ?? '');
  if (path === ROUTES.authorization) normaliseQuery(query, resources);
  req.url = query.size === 0 ? path : `${path}?${query}`;
};

interface Dependencies
  extends Pick<AuthorizationServerSettings, 'issuer' | 'documentation' | 'resources' | 'accounts' | 'store' | 'log'> {
  readonly provider: Provider;
  readonly sessions: Pick<Sessions, 'knownBrowser'>;
  readonly documents: Pick<ClientDocuments, 'isAnnounced'>;
}

/** Whether the user has just decided, or a user who signed in with this browser has a grant for the client. */
const mayReceiveErrors = async (
  ctx: KoaContextWithOIDC,
  { accounts, store, sessions }: Dependencies,
): Promise<boolean> => {
  const { client, session, entities } = ctx.oidc;
  if (entities.Interaction?.result?.error !== undefined) return true;
  if (!client) return false;
  const user = await userOf(accounts, session?.accountId);
  const users = [...(user ? [user.id] : []), ...(sessions.knownBrowser(ctx.cookies)?.users ?? [])];
  return store.hasGrant(users, client.clientId);
};

/**
 * Shows an error on a page of ours unless the user has allowed the client something: anyone can register a client, and could
 * otherwise send browsers from here to any address (RFC 9700 section 4.11.2).
 */
const withholdErrors = (dependencies: Dependencies) => {
  const { provider } = dependencies;
  const failed = new WeakMap<object, errors.OIDCProviderError>();
  const note = (ctx: KoaContextWithOIDC, error: Error) => void failed.set(ctx, error as errors.OIDCProviderError);
  provider.on('authorization.error', note);
  provider.on('server_error', note);
  provider.use(async (ctx, next) => {
    await next();
    const error = failed.get(ctx);
    if (error === undefined || ctx.status < 300 || ctx.status >= 400) return;
    if (await mayReceiveErrors(ctx as KoaContextWithOIDC, dependencies)) return;
    const { host, protocol } = new URL(ctx.response.get('location'));
    ctx.remove('Location');
    ctx.status = 400;
    showPage(ctx, withheldErrorPage(error, host === '' ? protocol : host));
  });
};

/** Finds what refused a request, such as a database that has too much to do: the library answers that as a defect. */
const refusals = ({ provider, store, log }: Dependencies) => {
  const refused = new WeakMap<IncomingMessage, DomainError>();
  provider.on(
    'server_error',
    ({ req }, error: Error) => void (error instanceof DomainError && refused.set(req, error)),
  );
  provider.use(async (ctx, next) => {
    await next();
    if (!refused.has(ctx.req)) return;
    const { AuthorizationCode: code, RotatedRefreshToken: token } = (ctx as KoaContextWithOIDC).oidc?.entities ?? {};
    const used = token ?? code;
    // The program tries again, and what is used twice would end its access.
    if (used)
      await store
        .giveBack(used.kind, sha256(used.jti))
        .catch((err: unknown) => log.warn({ err }, 'a code or token that brought nothing could not be given back'));
    // The answer of the library is not sent, and the browser does not go on to the program with it.
    ctx.remove('Location');
    ctx.status = 503;
    ctx.respond = false;
  });
  return refused;
};

/** Tells the console whose token it gets: another person may have signed in with the browser since its page was opened. */
const tellUser = async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
  await next();
  const { client, entities } = ctx.oidc ?? {};
  if (ctx.path !== ROUTES.token || ctx.status !== 200 || client?.clientId !== CONSOLE) return;
  ctx.body = { ...(ctx.body as object), user_id: userIdOf(entities?.Account?.accountId ?? '') };
};

/** Passes requests on to the library, and restricts what it reads and answers. */
export const protocol = (dependencies: Dependencies) => {
  const { provider, issuer, resources } = dependencies;
  withholdErrors(dependencies);
  const refused = refusals(dependencies);
  provider.use((ctx, next) => tellUser(ctx as KoaContextWithOIDC, next));
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path === METADATA_PATH && ctx.status === 200) {
      ctx.body = metadataOf(ctx.body as Readonly<Record<string, unknown>>, dependencies);
      ctx.set('Cache-Control', dependencies.documents.isAnnounced() ? 'public, max-age=300' : 'no-cache');
    }
    // RFC 7009 asks for no body, and clients that read every answer as JSON stumble on none.
    if (ctx.path === ROUTES.revocation && ctx.status === 200) ctx.body = {};
  });
  const callback = provider.callback();
  return {
    setPublicAddress: (context: RequestContext) => setPublicAddress(context, issuer),
    /** Resolves once the library has answered; rejects with what refused the request, before anything is answered. */
    async serve({ req, res, path }: RequestContext): Promise<void> {
      rewriteUrl(req, path, resources);
      checkBody(req);
      await callback(req, res);
      const refusal = refused.get(req);
      if (refusal) throw refusal;
    },
  };
};
