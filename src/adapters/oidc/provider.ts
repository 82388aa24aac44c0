import * as client from 'openid-client';
import {
  type EndedSessions,
  type Identity,
  IdentityFailure,
  type IdentityProvider,
  type PendingSignIn,
} from '../../application/ports/identity-provider.ts';
import type { Outbound } from '../../application/ports/outbound.ts';
import { lazily } from '../../application/shared/async.ts';
import { type Claims, identityOf, isLacking, mergedClaims } from './claims.ts';
import { guardedFetch } from './fetch.ts';
import { signatures } from './signatures.ts';

export interface OpenIdConnectSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** null: a public client. */
  readonly clientSecret: string | null;
  readonly scopes: string;
  readonly groupsClaim: string;
  /** Whether the groups matter, so that they are looked for in UserInfo too. */
  readonly needsGroups: boolean;
  /** Where the browser comes back to. */
  readonly redirectUri: string;
  readonly outbound: Outbound;
}

interface Discovered extends ReturnType<typeof signatures> {
  readonly configuration: client.Configuration;
  readonly issuer: string;
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const LOGOUT_SECONDS = 600;

const refused = (message: string, cause?: unknown) => new IdentityFailure('refused', message, cause);

/** What went wrong, as the port tells it. */
const failureOf = (error: unknown): IdentityFailure => {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof IdentityFailure) return cause;
  const status = error instanceof client.ResponseBodyError ? error.status : null;
  if (status !== null && status >= 500)
    return new IdentityFailure('unreachable', `The issuer answers with status ${status}.`, error);
  return refused(error instanceof Error ? error.message : String(error), error);
};

const attempted = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
};

/** As the issuer takes it; where it does not say, in a header, which every issuer takes. */
const withSecret = (secret: string): client.ClientAuth => {
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
};

/** An issuer of OpenID Connect. Its description is read when it is first needed, and again until it could be read. */
export const openIdConnect = (settings: OpenIdConnectSettings): IdentityProvider => {
  const { clientId, clientSecret, scopes, groupsClaim, needsGroups, redirectUri, outbound } = settings;
  const at = new URL(settings.issuer);
  const fetch = guardedFetch(outbound, at);

  const discover = async (): Promise<Discovered> => {
    const authentication = clientSecret === null ? client.None() : withSecret(clientSecret);
    const configuration = await client.discovery(at, clientId, {}, authentication, {
      [client.customFetch]: fetch,
      ...(at.protocol === 'http:' && { execute: [client.allowInsecureRequests] }),
    });
    const { issuer, jwks_uri: jwksUri } = configuration.serverMetadata();
    if (jwksUri === undefined) throw refused('The issuer publishes no keys.');
    return { configuration, issuer, ...signatures({ issuer, audience: clientId, jwksUri, fetch }) };
  };

  const discovered = lazily(discover);

  const claimsOf = async ({ configuration }: Discovered, token: Claims, accessToken: string): Promise<Claims> => {
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (!hasMore || !isLacking(token, needsGroups ? groupsClaim : null)) return token;
    return mergedClaims(token, await client.fetchUserInfo(configuration, accessToken, String(token.sub)));
  };

  return {
    begin: (maxAgeSeconds) =>
      attempted(async () => {
        const { configuration } = await discovered();
        const pending: PendingSignIn = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
        };
        const { href } = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: scopes,
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
          max_age: String(maxAgeSeconds),
        });
        return { url: href, pending };
      }),

    finish: (query, { state, nonce, verifier }): Promise<Identity> =>
      attempted(async () => {
        const discovery = await discovered();
        const back = new URL(redirectUri);
        back.search = query.toString();
        const tokens = await client.authorizationCodeGrant(discovery.configuration, back, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        // The library trusts the connection for it; the signature is the proof here.
        const token = await discovery.verified(tokens.id_token ?? '');
        return identityOf(await claimsOf(discovery, token, tokens.access_token), discovery.issuer, groupsClaim);
      }),

    ended: (logoutToken): Promise<EndedSessions> =>
      attempted(async () => {
        const { verified, issuer } = await discovered();
        const options = { requiredClaims: ['iat', 'jti', 'events'], maxTokenAge: LOGOUT_SECONDS };
        const { sub, sid, jti, events, nonce } = await verified(logoutToken, options);
        const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
        const namesSomebody = typeof sub === 'string' || typeof sid === 'string';
        if (!isLogout || nonce !== undefined || !namesSomebody || typeof jti !== 'string')
          throw refused('This is no logout token.');
        return {
          issuer,
          subject: sub ?? null,
          session: typeof sid === 'string' ? sid : null,
          messageId: jti,
          expiresAt: new Date(Date.now() + 2 * LOGOUT_SECONDS * 1000),
        };
      }),

    examine: () =>
      attempted(async () => {
        const { configuration, countKeys } = await discovered();
        const server = configuration.serverMetadata();
        for (const endpoint of ['authorization_endpoint', 'token_endpoint'] as const)
          if (server[endpoint] === undefined) throw refused(`The issuer names no ${endpoint}.`);
        const keys = await countKeys();
        if (keys === 0) throw refused('The issuer publishes no keys.');
        return keys;
      }),
  };
};
