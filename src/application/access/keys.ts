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
  /** A key with the user, the name, the scopes and the lifetime of another one, which goes on working for so long. */
  rotate(id: string, overlapSeconds: number): Promise<CreatedKey>;
}

/** What keys are made with, and stored in. */
export interface KeyPorts {
  readonly keys: KeyRepository;
  readonly apiKeys: ApiKeys;
  readonly ids: Ids;
  readonly clock: Clock;
}

interface Dependencies extends KeyPorts {
  readonly users: UserRepository;
}

const DAY_MS = 86_400_000;
/** `svc-` and four digits of the 34 that are random. */
const PREFIX_CHARACTERS = 8;

/** A new key of a user, which is not stored yet. */
export const newKey = (
  { apiKeys, ids, clock }: Omit<KeyPorts, 'keys'>,
  terms: Pick<ApiKey, 'userId' | 'name' | 'scopes' | 'expiresAt'>,
): { readonly key: string; readonly stored: ApiKey } => {
  const { key, hash } = apiKeys.generate();
  const rest = { prefix: key.slice(0, PREFIX_CHARACTERS), hash, lastUsedAt: null, revokedAt: null, createdAt: clock.now() };
  return { key, stored: { id: ids.next(), ...terms, ...rest } };
};

export const afterDays = (start: Date, days: number | null): Date | null =>
  days === null ? null : new Date(start.getTime() + days * DAY_MS);

/** What a key has in place of another one, whose lifetime begins again. */
export const renewed = ({ userId, name, scopes, expiresAt, createdAt }: ApiKey, now: Date) => {
  const end = expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());
  return { userId, name, scopes, expiresAt: end };
};

/** Stores a new key in place of another one, which goes on working for so long. */
export const replaceKey = async (keys: KeyRepository, id: string, stored: ApiKey, overlapSeconds: number): Promise<void> => {
  const end = new Date(stored.createdAt.getTime() + overlapSeconds * 1000);
  if (!(await keys.replace(id, end, stored))) throw notFound('key');
};

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
      const expiresAt = afterDays(clock.now(), lifetimeDays);
      const { key, stored } = newKey({ apiKeys, ids, clock }, { userId: user.id, name, scopes: granted, expiresAt });
      await keys.insert(stored);
      return { id: stored.id, key, name, user: user.email, expiresAt, scopes: granted };
    },

    list: async (email) => keys.list(email === null ? null : (await userOf(email)).id),

    async revoke(id) {
      if (!(await keys.revoke(id))) throw notFound('key');
    },

    async rotate(id, overlapSeconds) {
      const found = (await keys.list(null)).find((each) => each.id === id && each.revokedAt === null);
      if (!found) throw notFound('key');
      const { key, stored } = newKey({ apiKeys, ids, clock }, renewed(found, clock.now()));
      await replaceKey(keys, id, stored, overlapSeconds);
      return { id: stored.id, key, name: stored.name, user: found.email, expiresAt: stored.expiresAt, scopes: stored.scopes };
    },
  };
};
