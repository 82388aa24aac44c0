import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { ACCOUNT, TOOLS } from '../../domain/access.ts';
import { DomainError } from '../../domain/errors.ts';
import { AGENT_OF_CHOICE, API, API_SCOPES, CONSOLE, TOOL_SCOPES } from './authorization-request.ts';
import { type ClientDocuments, MAX_DOCUMENT_BYTES } from './client-documents.ts';
import { normaliseClient } from './clients.ts';
import { consoleClient, consoleGrant, SIGNED_IN } from './console-client.ts';
import type { CookieTerms } from './cookies.ts';
import { errors, hashClientSecrets, interactionPolicy, Provider, setTokenPrefixes } from './oidc-provider.ts';
import { errorPage, showPage } from './pages/error.ts';
import { recordsOf } from './records.ts';
import { serverKeys } from './secrets.ts';
import type { AuthorizationServerSettings } from './settings.ts';
import { userOf } from './subjects.ts';

interface Dependencies extends AuthorizationServerSettings {
  readonly keys: ReturnType<typeof serverKeys>;
  readonly documents: ClientDocuments;
  readonly terms: CookieTerms;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
export const SESSION_SECONDS = DAY;
const REFRESH_SECONDS = 30 * DAY;
/** A grant expires soon if no token is issued from it; a refresh token extends it to its own lifetime. */
export const NEW_GRANT_SECONDS = HOUR + 120;

export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
};

/** Asks for consent every time, but for the console: a program that can start a client on the user's computer must not get tokens unnoticed. */
const policy = () => {
  const { base, Prompt, Check } = interactionPolicy;
  const prompts = base();
  const isAccountMissing = (ctx: KoaContextWithOIDC) =>
    ctx.oidc.session?.accountId !== undefined && ctx.oidc.account === undefined;
  prompts.get('login')?.checks.add(new Check('account_missing', 'the account no longer exists', isAccountMissing));
  prompts.remove('consent');
  const unanswered = ({ oidc }: KoaContextWithOIDC) =>
    oidc.client?.clientId !== CONSOLE && oidc.result?.consent === undefined;
  prompts.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('no_consent', 'consent is asked for every time', unanswered),
    ),
  );
  return prompts;
};

const resourceServer = (scope: string, audience: string) => ({
  scope,
  audience,
  accessTokenFormat: 'opaque' as const,
  accessTokenTTL: HOUR,
});

/** Accepts the API and the agents that the user sees. Before the user has signed in, every agent may exist. */
const resourceServers = ({ issuer, resources, accounts, agents }: Dependencies) => {
  const isVisible = async (subject: string | undefined, agentId: string) => {
    const user = await userOf(accounts, subject);
    if (!user) return true;
    return (await agents.findVisible({ userId: user.id, workspaceId: user.workspaceId }, agentId)) !== null;
  };
  return async (ctx: KoaContextWithOIDC, resource: string, { clientId }: { readonly clientId: string }) => {
    if (resource === API) return resourceServer(clientId === CONSOLE ? ACCOUNT : API_SCOPES.join(' '), issuer);
    if (resource === AGENT_OF_CHOICE) return resourceServer(TOOLS, issuer);
    const agentId = resources.agentIdOf(resource);
    const subject = ctx.oidc.session?.accountId ?? ctx.oidc.entities.Grant?.accountId;
    if (agentId === null || !(await isVisible(subject, agentId)))
      throw new errors.InvalidTarget('there is no such resource');
    return resourceServer(TOOL_SCOPES.join(' '), resource);
  };
};

const features = (dependencies: Dependencies): Configuration['features'] => ({
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
  registration: { enabled: dependencies.registration === 'open', issueRegistrationAccessToken: false },
  revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
  clientIdMetadataDocument: {
    enabled: dependencies.documents.isOn,
    ack: 'draft-02',
    allowFetch: (_ctx, clientId) => dependencies.documents.mayBeDocument(clientId),
    cacheDuration: { min: 60, max: HOUR },
  },
  resourceIndicators: {
    enabled: true,
    useGrantedResource: () => true,
    getResourceServerInfo: resourceServers(dependencies),
  },
});

/** The console's, or the one that the user has just given. */
const grantOf = async (dependencies: Dependencies, { oidc }: KoaContextWithOIDC): Promise<string | undefined> => {
  if (oidc.client?.clientId !== CONSOLE) return oidc.result?.consent?.grantId;
  const user = await userOf(dependencies.accounts, oidc.session?.accountId);
  return user ? consoleGrant(dependencies, user, oidc.session?.acr ?? null) : undefined;
};

/** A token of the console says when its user signed in: some decisions need a person who did so a short while ago. */
const extraTokenClaims: Configuration['extraTokenClaims'] = ({ oidc: { client, entities } }) =>
  client?.clientId === CONSOLE ? { [SIGNED_IN]: entities.AuthorizationCode?.authTime } : undefined;

/** A session that is used ends when it would have ended anyway: the library would begin its day anew with each token that the console renews. */
const sessionSeconds = (_ctx: KoaContextWithOIDC, { exp }: { readonly exp?: number }): number =>
  exp === undefined ? SESSION_SECONDS : Math.max(1, exp - Math.floor(Date.now() / 1000));

const renderError: Configuration['renderError'] = (ctx, shown, error) => showPage(ctx, errorPage(shown, error));

const configuration = (dependencies: Dependencies): Configuration => {
  const { issuer, accounts, documents, terms } = dependencies;
  const { keys } = dependencies;
  const olderKeys = dependencies.olderKeys.map(serverKeys);
  const { names, long, short } = terms;
  return {
    adapter: recordsOf(dependencies),
    routes: ROUTES,
    features: features(dependencies),
    clients: [consoleClient(dependencies.console)],
    scopes: [...API_SCOPES, ACCOUNT],
    claims: {},
    extraTokenClaims,
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'EdDSA',
    },
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (_ctx, _key, _value, metadata) => normaliseClient(metadata),
    },
    pkce: { required: () => true },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    loadExistingGrant: async (ctx) => {
      const grantId = await grantOf(dependencies, ctx);
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    ttl: {
      AccessToken: HOUR,
      AuthorizationCode: 60,
      RefreshToken: REFRESH_SECONDS,
      Interaction: HOUR,
      Session: sessionSeconds,
    },
    interactions: { policy: policy(), url: (_ctx, interaction) => `${issuer}/oauth/interaction/${interaction.uid}` },
    findAccount: async (_ctx, id) =>
      (await userOf(accounts, id)) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
    cookies: {
      names: { session: names.session, interaction: names.interaction, resume: names.resume },
      long,
      short,
      keys: [keys, ...olderKeys].map(({ cookies }) => cookies),
    },
    jwks: { keys: [keys.signing] },
    clockTolerance: 0,
    clientBasedCORS: () => true,
    fetch: documents.fetch,
    fetchResponseBodyLimits: { 'client_id metadata document': MAX_DOCUMENT_BYTES },
    renderError,
  };
};

/** The library's part of the authorization server: the protocol, without the pages. */
export const oauthProvider = (dependencies: Dependencies): Provider => {
  const { log } = dependencies;
  const provider = new Provider(dependencies.issuer, configuration(dependencies));
  setTokenPrefixes(provider);
  hashClientSecrets(provider);
  // `setPublicAddress` writes the X-Forwarded headers, so they can be trusted.
  provider.proxy = true;
  provider.on('server_error', (ctx, err) => {
    if (!(err instanceof DomainError)) log.error({ err, route: ctx.oidc?.route }, 'the authorization server failed');
  });
  provider.on('grant.revoked', (ctx, grantId) =>
    log.info({ grant_id: grantId, route: ctx.oidc.route }, 'a grant was revoked'),
  );
  provider.onerror = (err) => log.warn({ err }, 'a response of the authorization server broke off');
  return provider;
};
