import type { IncomingMessage } from 'node:http';
import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { DomainError } from '../../domain/errors.ts';
import { checkBody } from './body.ts';
import { showPage, unansweredPage } from './pages/mistake.ts';
import { ROUTES } from './provider.ts';
import type { RequestContext } from './request-context.ts';
import { API_SCOPES, normalised } from './requests.ts';
import type { AgentResources } from './resources.ts';

export const METADATA_PATH = '/.well-known/oauth-authorization-server';

/** The fields of RFC 8414 that hold for us. The rest of what the library tells is OpenID Connect, which we do not speak. */
const told = [
  ...['issuer', 'authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'],
  ...['scopes_supported', 'response_types_supported', 'grant_types_supported', 'code_challenge_methods_supported'],
  ...['token_endpoint_auth_methods_supported', 'revocation_endpoint_auth_methods_supported'],
  ...['authorization_response_iss_parameter_supported', 'client_id_metadata_document_supported'],
];

const metadataOf = (all: Readonly<Record<string, unknown>>, documentation: string) => ({
  ...Object.fromEntries(told.filter((name) => all[name] !== undefined).map((name) => [name, all[name]])),
  scopes_supported: API_SCOPES,
  response_modes_supported: ['query'],
  revocation_endpoint_auth_methods_supported: all.token_endpoint_auth_methods_supported,
  service_documentation: documentation,
});

/** Addresses in answers are made from what a request says of itself: it is made to say where we are, and who the client is. */
const present = (req: IncomingMessage, issuer: string, ip: string) => {
  const { protocol, host, pathname } = new URL(issuer);
  Object.assign(req.headers, {
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-for': ip,
  });
  Object.assign(req, { baseUrl: pathname.replace(/\/$/, '') });
};

/** What an authorization request may say. Everything else, OpenID Connect's parameters too, is ignored (RFC 6749 section 3.1), and not kept. */
const PARAMETERS = new Set([
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'resource', 'prompt', 'login_hint'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri', 'registration'],
]);

/** A request is kept for an hour, and its sender is anyone. */
const LONGEST_PARAMETER_BYTES = 2048;

const bound = (query: URLSearchParams) => {
  for (const name of new Set(query.keys())) if (!PARAMETERS.has(name)) query.delete(name);
  for (const [name, value] of query) {
    if (Buffer.byteLength(value) > LONGEST_PARAMETER_BYTES) {
      const detail = `The program that sent you here made a mistake: its ${name} is longer than ${LONGEST_PARAMETER_BYTES} bytes.`;
      throw new DomainError('invalid', detail);
    }
  }
};

/** An authorization request in its normal form. Answers go into the query: the other ways need a script, or a page to read the fragment. */
const settle = (query: URLSearchParams, resources: AgentResources) => {
  bound(query);
  if (query.has('response_mode') && query.get('response_mode') !== 'query') query.set('response_mode', 'unsupported');
  if (query.getAll('scope').length > 1) return;
  const { scope, resource } = normalised({ scope: query.get('scope') ?? undefined, resource: query.getAll('resource') }, resources);
  query.set('scope', scope);
  query.set('resource', resource);
};

/** The request line as the library is to see it. */
const rewrite = (req: IncomingMessage, path: string, resources: AgentResources) => {
  const query = new URLSearchParams(req.url?.split('?').slice(1).join('?') ?? '');
  if (path === ROUTES.authorization) settle(query, resources);
  req.url = query.size === 0 ? path : `${path}?${query}`;
};

interface Settings {
  readonly provider: Provider;
  readonly issuer: string;
  readonly documentation: string;
  readonly resources: AgentResources;
  readonly mayBeAnswered: (ctx: KoaContextWithOIDC) => Promise<boolean>;
}

/**
 * Errors go back to the client only where the user has allowed it something: anyone can register a client, and could
 * otherwise send browsers from here to any address (RFC 9700 section 4.11.2).
 */
const keepErrorsHere = (provider: Provider, mayBeAnswered: Settings['mayBeAnswered']) => {
  const failed = new WeakMap<object, errors.OIDCProviderError>();
  const note = (ctx: KoaContextWithOIDC, error: Error) => void failed.set(ctx, error as errors.OIDCProviderError);
  provider.on('authorization.error', note);
  provider.on('server_error', note);
  provider.use(async (ctx, next) => {
    await next();
    const error = failed.get(ctx);
    if (error === undefined || ctx.status < 300 || ctx.status >= 400 || (await mayBeAnswered(ctx as KoaContextWithOIDC))) return;
    const { host, protocol } = new URL(ctx.response.get('location'));
    const page = unansweredPage(error, host === '' ? protocol : host);
    ctx.remove('Location');
    ctx.status = 400;
    showPage(ctx, page);
  });
};

/** Hands a request over to the library, and resolves once it has answered. */
export const protocol = ({ provider, issuer, documentation, resources, mayBeAnswered }: Settings) => {
  keepErrorsHere(provider, mayBeAnswered);
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path === METADATA_PATH && ctx.status === 200) {
      ctx.body = metadataOf(ctx.body as Readonly<Record<string, unknown>>, documentation);
      ctx.set('Cache-Control', 'public, max-age=300');
    }
  });
  const callback = provider.callback();
  return {
    present: ({ req, ip }: RequestContext) => present(req, issuer, ip),
    async serve({ req, res, path }: RequestContext): Promise<void> {
      rewrite(req, path, resources);
      checkBody(req);
      await callback(req, res);
    },
  };
};
