import { type ApiKey, scopes as allScopes, MOST_KEYS, type Scope } from '../../domain/access.ts';
import { callerAsDoer, type Doer, operator } from '../../domain/audit.ts';
import { type Caller, keyOf, windowOf } from '../../domain/caller.ts';
import { DomainError, invalid, mustExist, notFound } from '../../domain/errors.ts';
import { isUuid } from '../../domain/text.ts';
import type { UserRepository } from '../ports/people.ts';
import type { Clock, Ids, Log } from '../ports/runtime.ts';
import type { ApiKeys } from '../ports/secrets.ts';
import type { CursorPage, KeyRepository, Position, StoredKey } from '../ports/storage.ts';

/** What keys are made with, and stored in. */
interface KeyPorts {
  readonly keys: KeyRepository;
  readonly apiKeys: ApiKeys;
  readonly ids: Ids;
  readonly clock: Clock;
}

type Origin = Pick<ApiKey, 'madeWith' | 'windowId' | 'selfIssued'>;
type KeyTerms = Pick<ApiKey, 'userId' | 'name' | 'scopes' | 'expiresAt'> & Origin;

const DAY_MS = 86_400_000;
/** `svc-` and four digits of the 34 that are random. */
const PREFIX_CHARACTERS = 8;

const refused = (outcome: Exclude<StoredKey['outcome'], 'stored'> | 'no key' | 'made with it'): DomainError => {
  if (outcome === 'no key') return notFound('key');
  if (outcome === 'made with it')
    return new DomainError(
      'conflict',
      'The key that you use was made with this one, so that it and the new one would end with it: rotate it by itself.',
    );
  if (outcome === 'maker ended') return new DomainError('unauthenticated', 'The key that you use has ended.');
  return new DomainError(
    'conflict',
    `You have ${MOST_KEYS} keys that work, which is the most: revoke one that you do not need.`,
    {
      code: 'too_many_keys',
    },
  );
};

/** Makes and stores API keys, for the operator's commands and for users alike. `key` is the secret, which is shown once. */
const keyMaker = ({ keys, apiKeys, ids, clock }: KeyPorts, most: number | null) => {
  const make = (terms: KeyTerms): { readonly key: string; readonly stored: ApiKey } => {
    const { key, hash } = apiKeys.generate();
    const stored = {
      id: ids.next(),
      ...terms,
      prefix: key.slice(0, PREFIX_CHARACTERS),
      hash,
      replaces: null,
      lastUsedAt: null,
      revokedAt: null,
      createdAt: clock.now(),
    };
    return { key, stored };
  };
  return {
    afterDays: (days: number | null) => (days === null ? null : new Date(clock.now().getTime() + days * DAY_MS)),

    async add(terms: KeyTerms, by: Doer) {
      const { key, stored } = make(terms);
      const added = await keys.insert(stored, most, by);
      if (added.outcome !== 'stored') throw refused(added.outcome);
      return { key, stored: added.key };
    },

    /** In place of another one, which goes on working for so long; its lifetime begins again, and its window goes on. */
    async replace(
      { id, userId, name, scopes, expiresAt, createdAt, windowId, selfIssued }: ApiKey,
      madeWith: string | null,
      overlapSeconds: number,
      by: Doer,
    ) {
      const end = expiresAt && new Date(clock.now().getTime() + expiresAt.getTime() - createdAt.getTime());
      const { key, stored } = make({
        userId,
        name,
        scopes,
        expiresAt: end,
        madeWith,
        windowId: windowId ?? id,
        selfIssued,
      });
      const replaced = await keys.replace(
        id,
        new Date(stored.createdAt.getTime() + overlapSeconds * 1000),
        stored,
        most,
        by,
      );
      if (replaced.outcome !== 'stored') throw refused(replaced.outcome);
      return { key, stored: replaced.key };
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
    throw invalid({
      path: 'scopes',
      message: `has no ${unknown.join(', ')}; there are ${Object.keys(allScopes).join(', ')}`,
    });
  }
  return names as readonly Scope[];
};

/** Keys that the operator makes are counted apart, and have no bound. */
const byOperator: Origin = { madeWith: null, windowId: null, selfIssued: false };

/** For the operator. */
export const keyService = ({ users, ...ports }: KeyPorts & { readonly users: UserRepository }) => {
  const { keys } = ports;
  const maker = keyMaker(ports, null);

  const userOf = async (email: string) => {
    const user = await users.findByEmail(email.toLowerCase());
    if (!user) throw new DomainError('not_found', `There is no user ${email}.`);
    return user;
  };

  const created = (
    user: string,
    { key, stored: { id, name, expiresAt, scopes } }: { key: string; stored: ApiKey },
  ): CreatedKey => ({
    id,
    key,
    name,
    user,
    expiresAt,
    scopes,
  });

  return {
    async create(terms: {
      email: string;
      name: string;
      lifetimeDays: number | null;
      scopes: readonly string[] | null;
    }) {
      const scopes = terms.scopes && checkedScopes(terms.scopes);
      const { id: userId, email } = await userOf(terms.email);
      const expiresAt = maker.afterDays(terms.lifetimeDays);
      return created(email, await maker.add({ userId, name: terms.name, scopes, expiresAt, ...byOperator }, operator));
    },

    /** Newest first; of one user if an email is given. */
    list: async (email: string | null) => keys.list(email === null ? null : (await userOf(email)).id),

    /** Ends a key, and what was made with it. */
    async revoke(id: string): Promise<void> {
      if (!(await keys.revoke(id, operator))) throw notFound('key');
    },

    /** A key with the user, the name, the scopes and the lifetime of another one, which goes on working for so long. */
    async rotate(id: string, overlapSeconds: number) {
      const key = (await keys.list(null)).find((each) => each.id === id && each.revokedAt === null);
      if (!key) throw notFound('key');
      return created(key.email, await maker.replace(key, null, overlapSeconds, operator));
    },
  };
};

export type KeyService = ReturnType<typeof keyService>;

/** A key as its owner sees it. */
type OwnKey = Omit<ApiKey, 'userId' | 'hash' | 'revokedAt' | 'replaces' | 'windowId' | 'selfIssued'>;

interface IssuedKey extends OwnKey {
  /** Shown once. */
  readonly key: string;
}

type OwnKeyRequest = Pick<ApiKey, 'name' | 'scopes'> & { readonly lifetimeDays: number | null };

const ownOf = ({ id, name, prefix, scopes, expiresAt, lastUsedAt, madeWith, createdAt }: ApiKey): OwnKey => ({
  id,
  name,
  prefix,
  scopes,
  expiresAt,
  lastUsedAt,
  madeWith,
  createdAt,
});

/** A key that is made with a key counts as that one; by a person who has signed in, as one of their own making. */
const originOf = (caller: Caller): Origin => {
  const madeWith = keyOf(caller);
  if (madeWith === null) return { madeWith, windowId: null, selfIssued: true };
  return { madeWith, windowId: windowOf(caller), selfIssued: caller.credential.selfIssued ?? false };
};

/** A caller's own keys. What is made with a key ends with it, if not before. */
export const ownKeyService = ({
  users,
  log,
  ...ports
}: KeyPorts & { readonly users: UserRepository; readonly log: Log }) => {
  const { keys } = ports;
  const maker = keyMaker(ports, MOST_KEYS);

  /** By their id or their email. Only administrators see other users. */
  const userIdOf = async ({ userId, workspaceId, role }: Caller, user: string): Promise<string> => {
    const person = await (isUuid(user) ? users.find(user) : users.findByEmail(user));
    const isSeen = person !== null && person.workspaceId === workspaceId && (role === 'admin' || person.id === userId);
    if (!isSeen) throw notFound('user');
    return person.id;
  };

  const note = ({ userId, credential }: Caller, keyId: string, what: string, more = {}) =>
    log.info({ key_id: keyId, user_id: userId, credential_id: credential.id, ...more }, what);

  return {
    /** Newest first, without those that were revoked; of another user if the caller may see one. */
    async list(caller: Caller, user: string | null, { limit, after }: CursorPage<Position>) {
      const rows = await keys.listOwn(user === null ? caller.userId : await userIdOf(caller, user), {
        limit: limit + 1,
        after,
      });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        keys: page.map(ownOf),
        next: rows.length > limit && last ? { createdAt: last.createdAt, id: last.id } : null,
      };
    },

    async create(caller: Caller, { name, scopes, lifetimeDays }: OwnKeyRequest): Promise<IssuedKey> {
      const { userId } = caller;
      const terms = { userId, name, scopes, expiresAt: maker.afterDays(lifetimeDays), ...originOf(caller) };
      const { key, stored } = await maker.add(terms, callerAsDoer(caller));
      note(caller, stored.id, 'a key was made');
      return { ...ownOf(stored), key };
    },

    /** Ends a key of the caller, or for administrators any of the workspace, and what was made with it. */
    async revoke(caller: Caller, id: string): Promise<void> {
      const { userId, workspaceId, role } = caller;
      if (!(await keys.revoke(id, callerAsDoer(caller), role === 'admin' ? { workspaceId } : { userId })))
        throw notFound('key');
      note(caller, id, 'a key was revoked');
    },

    /** A key with the name, the scopes and the lifetime of another one, which goes on working for so long. */
    async rotate(caller: Caller, id: string, overlapSeconds: number): Promise<IssuedKey> {
      const replaced = mustExist(await keys.findOwn(caller.userId, id), 'key');
      const { key, stored } = await maker.replace(replaced, keyOf(caller), overlapSeconds, callerAsDoer(caller));
      note(caller, stored.id, 'a key was rotated', { replaced_key_id: id });
      return { ...ownOf(stored), key };
    },
  };
};

export type OwnKeyService = ReturnType<typeof ownKeyService>;
