import type { Caller } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import type { AccessTokens } from '../ports/oauth.ts';
import type { ApiKeys } from '../ports/secrets.ts';
import type { KeyRepository } from '../ports/storage.ts';

export interface Credentials {
  /** The X-API-Key header. */
  readonly apiKey: string | null;
  /** What follows `Bearer` in the Authorization header; null if there is none. */
  readonly bearer: string | null;
}

interface Dependencies {
  readonly apiKeys: ApiKeys;
  readonly keys: KeyRepository;
  readonly accessTokens: AccessTokens;
}

const refuse = (detail: string) => new DomainError('unauthenticated', detail);

export const authenticationService = ({ apiKeys, keys, accessTokens }: Dependencies) => {
  const holderOf = (credential: string, isBearer: boolean): Promise<Caller | null> | null => {
    const hash = apiKeys.hashOf(credential);
    if (hash !== null) return keys.findCaller(hash);
    return isBearer ? accessTokens.findCaller(credential) : null;
  };

  return {
    /** Who is asking; a missing, invalid, expired, revoked or contradictory credential is refused as unauthenticated. */
    async authenticate({ apiKey, bearer }: Credentials): Promise<Caller> {
      const credential = apiKey ?? bearer;
      if (credential === null) throw refuse('A credential is needed: send X-API-Key, or Authorization: Bearer.');
      if (apiKey !== null && bearer !== null && apiKey !== bearer)
        throw refuse('X-API-Key and Authorization name different credentials.');
      const caller = await holderOf(credential, apiKey === null);
      if (!caller)
        throw refuse(
          'The credential is not valid: it is mistyped, expired, revoked or of a kind this operation does not take.',
        );
      return caller;
    },
  };
};

export type AuthenticationService = ReturnType<typeof authenticationService>;
