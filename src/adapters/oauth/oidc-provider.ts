import type * as Package from 'oidc-provider';
import * as helpers from 'oidc-provider/lib/helpers/errors.js';
import * as policy from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import { Provider as Implementation } from 'oidc-provider/lib/provider.js';
import { base62, sha256 } from './secrets.ts';

// The entry of the package prints a warning on every Node that is not a long-term release yet; the modules behind it do not.
export type Provider = Package.Provider;
export const Provider: typeof Package.Provider = Implementation;
export const errors: typeof Package.errors = helpers;
export const interactionPolicy: typeof Package.interactionPolicy = policy;

const TOKEN_CHARACTERS = 40;

/** In the library the id of a token is the token. */
const setTokenPrefix = (model: unknown, prefix: string) => {
  const { prototype } = model as { readonly prototype: { generateTokenId?(this: object): string } };
  const original = prototype.generateTokenId;
  if (!original) throw new Error('oidc-provider no longer makes the ids of tokens by generateTokenId.');
  prototype.generateTokenId = function generateTokenId() {
    // The original also sets the format on the token.
    original.call(this);
    return prefix + base62(TOKEN_CHARACTERS);
  };
};

/** Issues `svcpt_…` and `svcrt_…`, which secret scanners and our log recognise. */
export const setTokenPrefixes = (provider: Provider): void => {
  setTokenPrefix(provider.AccessToken, 'svcpt_');
  setTokenPrefix(provider.RefreshToken, 'svcrt_');
};

/** Only the hashes of client secrets are stored, so the secret that a client sends is hashed before the comparison. */
export const hashClientSecrets = (provider: Provider): void => {
  const { prototype } = provider.Client as unknown as {
    readonly prototype: { compareClientSecret?(this: object, actual: string): unknown };
  };
  const original = prototype.compareClientSecret;
  if (!original) throw new Error('oidc-provider no longer compares secrets by compareClientSecret.');
  prototype.compareClientSecret = function compareClientSecret(actual) {
    return original.call(this, sha256(actual));
  };
};
