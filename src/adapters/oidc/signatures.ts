import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { IdentityFailure } from '../../application/ports/identity-provider.ts';
import type { guardedFetch } from './fetch.ts';

/** Those that anybody can verify and the issuer alone can make: no symmetric one, and not `none`. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const SKEW_SECONDS = 60;
/** A token with a key that is not known looks for it at once, but a stranger's tokens ask the issuer no more often than this. */
const COOLDOWN_MS = 1000;

interface Trust {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUri: string;
  readonly fetch: ReturnType<typeof guardedFetch>;
}

/** Issuers may publish keys without names, or several of one name: the token is of the key that its signature fits. */
const verifiedByOne = async (token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> => {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw error;
  }
};

/** Verifies what the issuer signs, by the keys that it publishes; one that it has rotated in is found when it is first used. */
export const signatures = ({ issuer, audience, jwksUri, fetch }: Trust) => {
  const keys = createRemoteJWKSet(new URL(jwksUri), { [customFetch]: fetch, cooldownDuration: COOLDOWN_MS });
  /** How many keys there are. */
  const countKeys = async (): Promise<number> => {
    await keys.reload();
    return keys.jwks()?.keys.length ?? 0;
  };
  const verified = async (token: string, more: JWTVerifyOptions = {}): Promise<JWTPayload> => {
    const options = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: SKEW_SECONDS, ...more };
    try {
      return await verifiedByOne(token, keys, options);
    } catch (error) {
      if (error instanceof IdentityFailure) throw error;
      if (error instanceof errors.JWKSTimeout)
        throw new IdentityFailure('unreachable', 'The keys of the issuer could not be read.', error);
      throw new IdentityFailure('refused', 'A token of the issuer is not to be believed.', error);
    }
  };
  return { verified, countKeys };
};
