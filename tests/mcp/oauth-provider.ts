import { randomUUID } from 'node:crypto';
import type { OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

/** What a program that uses an official client keeps between two starts. */
export interface Kept {
  client: OAuthClientInformationMixed | undefined;
  tokens: OAuthTokens | undefined;
  discovered: OAuthDiscoveryState | undefined;
  verifier: string;
  state: string;
  /** Where the client wants its user to be sent; null until it asks for that, and once they were. */
  asked: URL | null;
}

/** The half of an official client that a program writes: it stores what it gets, and redirects no user itself. */
export const oauthProvider = (redirectUrl: string, clientMetadataUrl?: string) => {
  const kept: Kept = {
    client: undefined,
    tokens: undefined,
    discovered: undefined,
    verifier: '',
    state: '',
    asked: null,
  };
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'Workbench',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  return {
    kept,
    redirectUrl,
    clientMetadata,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    state() {
      kept.state = randomUUID();
      return kept.state;
    },
    clientInformation: () => kept.client,
    saveClientInformation(client: OAuthClientInformationMixed) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens: OAuthTokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      kept.asked = url;
    },
    saveCodeVerifier(verifier: string) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState(discovered: OAuthDiscoveryState) {
      kept.discovered = discovered;
    },
    discoveryState: () => kept.discovered,
    invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
      if (what === 'all' || what === 'client') kept.client = undefined;
      if (what === 'all' || what === 'tokens') kept.tokens = undefined;
      if (what === 'all' || what === 'discovery') kept.discovered = undefined;
    },
  };
};

export type OAuthProvider = ReturnType<typeof oauthProvider>;
