import type { ApiKey, Scope } from '../../domain/access.ts';
import { notFound } from '../../domain/errors.ts';
import type { Log } from '../ports/runtime.ts';
import type { Caller } from './caller.ts';
import { afterDays, type KeyPorts, newKey, renewed, replaceKey } from './keys.ts';

/** A key as its owner sees it. */
export type OwnKey = Omit<ApiKey, 'userId' | 'hash' | 'revokedAt'>;

export interface IssuedKey extends OwnKey {
  /** Shown once. */
  readonly key: string;
}

/** A caller's own keys. A key that is made by a key ends with it, if not before. */
export interface OwnKeyService {
  /** Newest first, without those that were revoked. */
  list(caller: Caller): Promise<readonly OwnKey[]>;
  create(
    caller: Caller,
    terms: { readonly name: string; readonly scopes: readonly Scope[] | null; readonly lifetimeDays: number | null },
  ): Promise<IssuedKey>;
  revoke(caller: Caller, id: string): Promise<void>;
  /** A key with the name, the scopes and the lifetime of another one, which goes on working for so long. */
  rotate(caller: Caller, id: string, overlapSeconds: number): Promise<IssuedKey>;
}

interface Dependencies extends KeyPorts {
  readonly log: Log;
}

const ownOf = ({ id, name, prefix, scopes, expiresAt, lastUsedAt, createdAt }: ApiKey): OwnKey => ({
  ...{ id, name, prefix, scopes, expiresAt, lastUsedAt, createdAt },
});

const earlier = (one: Date | null, other: Date | null) => (one && other ? (one < other ? one : other) : (one ?? other));

export const ownKeyService = ({ keys, apiKeys, ids, clock, log }: Dependencies): OwnKeyService => {
  const find = async ({ userId }: Caller, id: string): Promise<ApiKey> => {
    const [found] = await keys.listOwn(userId, id);
    if (!found) throw notFound('key');
    return found;
  };

  /** When the credential of the caller ends; null if it need not. */
  const endOf = async (caller: Caller) =>
    caller.credential.kind === 'api_key' ? (await find(caller, caller.credential.id)).expiresAt : null;

  const issue = async (caller: Caller, terms: Pick<ApiKey, 'name' | 'scopes' | 'expiresAt'>) => {
    const expiresAt = earlier(terms.expiresAt, await endOf(caller));
    return newKey({ apiKeys, ids, clock }, { ...terms, userId: caller.userId, expiresAt });
  };

  const note = ({ userId, credential }: Caller, keyId: string, what: string, more = {}) =>
    log.info({ key_id: keyId, user_id: userId, credential_id: credential.id, ...more }, what);

  return {
    list: async ({ userId }) => (await keys.listOwn(userId)).map(ownOf),

    async create(caller, { name, scopes, lifetimeDays }) {
      const { key, stored } = await issue(caller, { name, scopes, expiresAt: afterDays(clock.now(), lifetimeDays) });
      await keys.insert(stored);
      note(caller, stored.id, 'a key was made');
      return { ...ownOf(stored), key };
    },

    async revoke(caller, id) {
      if (!(await keys.revoke(id, caller.userId))) throw notFound('key');
      note(caller, id, 'a key was revoked');
    },

    async rotate(caller, id, overlapSeconds) {
      const { key, stored } = await issue(caller, renewed(await find(caller, id), clock.now()));
      await replaceKey(keys, id, stored, overlapSeconds);
      note(caller, stored.id, 'a key was rotated', { replaced_key_id: id });
      return { ...ownOf(stored), key };
    },
  };
};
