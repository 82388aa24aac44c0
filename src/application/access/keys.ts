import { type ApiKey, scopes as allScopes, type Scope } from '../../domain/access.ts';
import { DomainError, invalid, notFound } from '../../domain/errors.ts';
import type { Clock, Ids } from '../ports/runtime.ts';
import type { ApiKeys } from '../ports/secrets.ts';
import type { KeyRepository, UserRepository } from '../ports/storage.ts';

export interface CreatedKey {
  readonly id: string;
  /** Shown once. */
  readonly key: string;
  readonly name: string;
  readonly user: string;
  readonly expiresAt: Date | null;
  readonly scopes: readonly Scope[] | null;
}

/** For the operator. */
export interface KeyService {
  create(terms: { email: string; name: string; lifetimeDays: number | null; scopes: readonly string[] | null }): Promise<CreatedKey>;
  /** Newest first; of one user if an email is given. */
  list(email: string | null): Promise<readonly (ApiKey & { readonly email: string })[]>;
  revoke(id: string): Promise<void>;
}

interface Dependencies {
  readonly users: UserRepository;
  readonly keys: KeyRepository;
  readonly apiKeys: ApiKeys;
  readonly ids: Ids;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;

const checkedScopes = (names: readonly string[]): readonly Scope[] => {
  const unknown = names.filter((name) => !Object.hasOwn(allScopes, name));
  if (unknown.length > 0) {
    throw invalid({ path: 'scopes', message: `has no ${unknown.join(', ')}; there are ${Object.keys(allScopes).join(', ')}` });
  }
  return names as readonly Scope[];
};

export const keyService = ({ users, keys, apiKeys, ids, clock }: Dependencies): KeyService => {
  const userOf = async (email: string) => {
    const user = await users.findByEmail(email.toLowerCase());
    if (!user) throw new DomainError('not_found', `There is no user ${email}.`);
    return user;
  };

  return {
    async create({ email, name, lifetimeDays, scopes }) {
      const granted = scopes && checkedScopes(scopes);
      const user = await userOf(email);
      const { key, hash } = apiKeys.generate();
      const now = clock.now();
      const expiresAt = lifetimeDays === null ? null : new Date(now.getTime() + lifetimeDays * DAY_MS);
      const id = ids.next();
      await keys.insert({ id, userId: user.id, name, hash, scopes: granted, expiresAt, lastUsedAt: null, revokedAt: null, createdAt: now });
      return { id, key, name, user: user.email, expiresAt, scopes: granted };
    },

    list: async (email) => keys.list(email === null ? null : (await userOf(email)).id),

    async revoke(id) {
      if (!(await keys.revoke(id))) throw notFound('key');
    },
  };
};
