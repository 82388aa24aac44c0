import type { Provider } from 'oidc-provider';
import { base62, sha256 } from './secrets.ts';

const CHARACTERS = 40;

/** The ids of tokens are the tokens. `generateTokenId` is of the library's inside: the tests look whether it still is. */
interface TokenModel {
  readonly prototype: { generateTokenId?(this: object): string };
}

const issueAs = (model: unknown, prefix: string) => {
  const { prototype } = model as TokenModel;
  const original = prototype.generateTokenId;
  if (!original) throw new Error('oidc-provider no longer makes the ids of tokens by generateTokenId.');
  prototype.generateTokenId = function generateTokenId() {
    // The original also notes on the token what form it has.
    original.call(this);
    return prefix + base62(CHARACTERS);
  };
};

/** Issues `svcpt_…` and `svcrt_…`, which secret scanners and our log know by their look. */
export const issueOurTokens = (provider: Provider): void => {
  issueAs(provider.AccessToken, 'svcpt_');
  issueAs(provider.RefreshToken, 'svcrt_');
};

interface ClientModel {
  readonly prototype: { compareClientSecret?(this: object, actual: string): unknown };
}

/** Client secrets are stored as their hash: what a client presents is hashed before it is compared. */
export const hashClientSecrets = (provider: Provider): void => {
  const { prototype } = provider.Client as unknown as ClientModel;
  const original = prototype.compareClientSecret;
  if (!original) throw new Error('oidc-provider no longer compares secrets by compareClientSecret.');
  prototype.compareClientSecret = function compareClientSecret(actual) {
    return original.call(this, sha256(actual));
  };
};
