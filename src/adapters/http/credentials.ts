import type { IncomingHttpHeaders } from 'node:http';
import type { AuthenticationService, Credentials } from '../../application/access/authentication.ts';
import type { Caller } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Context } from './context.ts';
import type { Access } from './operation.ts';
import { trustRequest } from './unauthenticated.ts';

const BEARER = /^bearer +(\S+) *$/i;

const single = (header: string | string[] | undefined): string | null => (header === undefined ? null : String(header));

/** The credentials of a request; an Authorization of another scheme is a credential that matches no caller. */
const credentialsIn = (headers: IncomingHttpHeaders): Credentials => {
  const { authorization } = headers;
  return {
    apiKey: single(headers['x-api-key']),
    bearer: authorization === undefined ? null : (BEARER.exec(authorization)?.[1] ?? ''),
  };
};

export const hasCredentials = (headers: IncomingHttpHeaders): boolean =>
  headers['x-api-key'] !== undefined || headers.authorization !== undefined;

/** RFC 6750 section 3: the challenge names an error only if the request has a credential. */
export const challenge = (headers: IncomingHttpHeaders): string =>
  hasCredentials(headers) ? 'Bearer realm="portico", error="invalid_token"' : 'Bearer realm="portico"';

/** RFC 6750 section 3.1: the challenge names the missing scope, if there is one. */
export const scopeChallenge = (scope: string | undefined): string =>
  `Bearer realm="portico", error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`;

export const unsupported = (detail: string) => new DomainError('unauthenticated', detail);

export const noScopeGrants = (what: string) =>
  new DomainError('forbidden', `No scope grants ${what}: it needs an API key that is not limited to scopes.`, {
    code: 'missing_scope',
  });

/** What the command line calls itself. Any program can say so, and gains nothing by it. */
const isCommandLine = ({ 'user-agent': program = '' }: IncomingHttpHeaders): boolean =>
  program.startsWith('portico-cli/');

/** The caller behind a request. */
export const authenticated = async (
  authentication: AuthenticationService,
  { req, ip: address }: Context,
): Promise<Caller> => {
  const caller = await authentication.authenticate(credentialsIn(req.headers));
  trustRequest(req);
  return { ...caller, address, ...(isCommandLine(req.headers) && { door: 'command' as const }) };
};

/** The caller behind a request, if the operation accepts its kind of credential. */
export const callerOf = async (
  authentication: AuthenticationService,
  ctx: Context,
  access: Access,
): Promise<Caller> => {
  const caller = await authenticated(authentication, ctx);
  if (caller.boundToAgent !== null)
    throw unsupported('This token works on the tool endpoint of its agent and nowhere else.');
  // A token without scopes is the console's.
  if (access === 'api-key' && caller.credential.kind !== 'api_key' && caller.scopes !== null) {
    throw unsupported('This operation takes an API key, not an access token.');
  }
  return caller;
};

/** A credential with a list of scopes may call the operations of these scopes, and no operation without a scope. */
export const mustHaveScope = ({ scopes }: Caller, access: Access): void => {
  if (scopes === null || access === 'public' || access === 'credential') return;
  if (access === 'api-key') throw noScopeGrants('this operation');
  if (scopes.has(access.scope) || (access.or !== undefined && scopes.has(access.or))) return;
  throw new DomainError('forbidden', `The credential lacks the scope ${access.scope}.`, {
    code: 'missing_scope',
    extra: { required_scope: access.scope },
  });
};
