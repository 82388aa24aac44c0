import { type ApiKey, scopes as allScopes, type Scope } from '../../domain/access.ts';
import { DomainError, invalid, mustExist, notFound } from '../../domain/errors.ts';
import type { Clock, Ids, Log } from '../ports/runtime.ts';
import type { ApiKeys } from '../ports/secrets.ts';
import type { KeyRepository, UserRepository } from '../ports/storage.ts';
import type { Caller } from './caller.ts';

/** What keys are made with, and stored in. */
interface KeyPorts {
  readonly keys: KeyRepository;
  readonly apiKeys: ApiKeys;
  readonly ids: Ids;
  readonly clock: Clock;
}

type KeyTerms = Pick<ApiKey, 'userId' | 'name' | 'scopes' | 'expiresAt'>;

const DAY_MS = 86_400_000;
/** `svc-` and four digits of the 34 that are random. */
const PREFIX_CHARACTERS = 8;

/** Makes and stores API keys, for the operator's commands and for users alike. `key` is the secret, which is shown once. */
const keyMaker = ({ keys, apiKeys, ids, clock }: KeyPorts) => {
  const make = (terms: KeyTerms): { readonly key: string; readonly stored: ApiKey } => {
    const { key, hash } = apiKeys.generate();
    const rest = { prefix: key.slice(0, PREFIX_CHARACTERS), hash, lastUsedAt: null, revokedAt: null, createdAt: clock.now() };
    return { key, stored: { id: ids.next(), ...terms, ...rest } };
  };
  return {
    afterDays: (days: number | null) => (days === null ? null : new Date(clock.now().getTime() + days * DAY_MS)),

    /** What a key has in place of another one, whose lifetime begins again. */
    renewed({ userId, name, scopes, expiresAt, createdAt }: ApiKey): KeyTerms {
      const end = expiresAt && new Date(clock.now().getTime() + expiresAt.getTime() - createdAt.getTime());
      return { userId, name, scopes, expiresAt: end };
    },

    async add(terms: KeyTerms) {
      const made = make(terms);
      await keys.insert(made.stored);
      return made;
    },

    /** In place of another one, which goes on working for so long. */
    async replace(id: string, terms: KeyTerms, overlapSeconds: number) {
      const made = make(terms);
      const end = new Date(made.stored.createdAt.getTime() + overlapSeconds * 1000);
      if (!(await keys.replace(id, end, made.stored))) throw notFound('key');
      return made;
    },
  };
};

export interface CreatedKey extends Pick<ApiKey, 'id' | 'name' | 'expiresAt' | 'scopes'> {
  /** Shown once. */
  readonly key: string;
  readonly user: string;
}

const checkedScopes = (names: readonly string[]): readonly Scope[] => {
  const unknown = names.filter((name) => !Object.hasOwn(allScopes, name));
  if (unknown.length > 0) {
    throw invalid({ path: 'scopes', message: `has no ${unknown.join(', ')}; there are ${Object.keys(allScopes).join(', ')}` });
  }
  return names as readonly Scope[];
};

/** For the operator. */
export const keyService = ({ users, ...ports }: KeyPorts & { readonly users: UserRepository }) => {
  const { keys } = ports;
  const maker = keyMaker(ports);

  const userOf = async (email: string) => {
    const user = await users.findByEmail(email.toLowerCase());
    if (!user) throw new DomainError('not_found', `There is no user ${email}.`);
    return user;
  };

  const created = (user: string, { key, stored: { id, name, expiresAt, scopes } }: { key: string; stored: ApiKey }): CreatedKey => ({
    ...{ id, key, name, user, expiresAt, scopes },
  });

  return {
    async create(terms: { email: string; name: string; lifetimeDays: number | null; scopes: readonly string[] | null }) {
      const scopes = terms.scopes && checkedScopes(terms.scopes);
      const { id: userId, email } = await userOf(terms.email);
      return created(email, await maker.add({ userId, name: terms.name, scopes, expiresAt: maker.afterDays(terms.lifetimeDays) }));
    },

    /** Newest first; of one user if an email is given. */
    list: async (email: string | null) => keys.list(email === null ? null : (await userOf(email)).id),

    async revoke(id: string): Promise<void> {
      if (!(await keys.revoke(id))) throw notFound('key');
    },

    /** A key with the user, the name, the scopes and the lifetime of another one, which goes on working for so long. */
    async rotate(id: string, overlapSeconds: number) {
      const found = (await keys.list(null)).find((each) => each.id === id && each.revokedAt === null);
      if (!found) throw notFound('key');
      return created(found.email, await maker.replace(id, maker.renewed(found), overlapSeconds));
    },
  };
};

export type KeyService = ReturnType<typeof keyService>;

/** A key as its owner sees it. */
type OwnKey = Omit<ApiKey, 'userId' | 'hash' | 'revokedAt'>;

export interface IssuedKey extends OwnKey {
  /** Shown once. */
  readonly key: string;
}

type OwnKeyRequest = Pick<ApiKey, 'name' | 'scopes'> & { readonly lifetimeDays: number | null };

const ownOf = ({ id, name, prefix, scopes, expiresAt, lastUsedAt, createdAt }: ApiKey): OwnKey => ({
  ...{ id, name, prefix, scopes, expiresAt, lastUsedAt, createdAt },
});

const earlier = (one: Date | null, other: Date | null) => (one && other ? (one < other ? one : other) : (one ?? other));

/** A caller's own keys. A key that is made by a key ends with it, if not before. */
export const ownKeyService = ({ log, ...ports }: KeyPorts & { readonly log: Log }) => {
  const { keys } = ports;
  const maker = keyMaker(ports);

  const find = async ({ userId }: Caller, id: string) => mustExist((await keys.listOwn(userId, id))[0], 'key');

  const bounded = async (caller: Caller, terms: Omit<KeyTerms, 'userId'>): Promise<KeyTerms> => {
    const { userId, credential } = caller;
    const end = credential.kind === 'api_key' ? (await find(caller, credential.id)).expiresAt : null;
    return { ...terms, userId, expiresAt: earlier(terms.expiresAt, end) };
  };

  const note = ({ userId, credential }: Caller, keyId: string, what: string, more = {}) =>
    log.info({ key_id: keyId, user_id: userId, credential_id: credential.id, ...more }, what);

  return {
    /** Newest first, without those that were revoked. */
    list: async ({ userId }: Caller) => (await keys.listOwn(userId)).map(ownOf),

    async create(caller: Caller, { name, scopes, lifetimeDays }: OwnKeyRequest): Promise<IssuedKey> {
      const { key, stored } = await maker.add(await bounded(caller, { name, scopes, expiresAt: maker.afterDays(lifetimeDays) }));
      note(caller, stored.id, 'a key was made');
      return { ...ownOf(stored), key };
    },

    async revoke(caller: Caller, id: string): Promise<void> {
      if (!(await keys.revoke(id, caller.userId))) throw notFound('key');
      note(caller, id, 'a key was revoked');
    },

    /** A key with the name, the scopes and the lifetime of another one, which goes on working for so long. */
    async rotate(caller: Caller, id: string, overlapSeconds: number): Promise<IssuedKey> {
      const terms = await bounded(caller, maker.renewed(await find(caller, id)));
      const { key, stored } = await maker.replace(id, terms, overlapSeconds);
      note(caller, stored.id, 'a key was rotated', { replaced_key_id: id });
      return { ...ownOf(stored), key };
    },
  };
};

export type OwnKeyService = ReturnType<typeof ownKeyService>;
