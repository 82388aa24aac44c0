import type { EntityManager } from '@mikro-orm/postgresql';
import type { KeyRepository, StoredKey } from '../../../application/ports/storage.ts';
import type { ApiKey } from '../../../domain/access.ts';
import { type Database, sqlIn } from '../connection/database.ts';
import * as sql from '../statements/key-statements.ts';
import { ApiKeyTable } from '../tables/entities.ts';

const idsOf = (rows: readonly Pick<ApiKey, 'id'>[]) => rows.map(({ id }) => id);

const workingAt = (time: Date) => ({ revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: time } }] });

/** Null: it does not end. */
const earlier = (one: Date | null, other: Date | null) => (other && (!one || other < one) ? other : one);

/** `madeWith`: the key that it is made with, which may be the one that it replaces. */
const store = async (em: EntityManager, key: ApiKey, madeWith: string | null): Promise<StoredKey> => {
  const maker = madeWith === null ? null : await em.findOne(ApiKeyTable, { id: madeWith, ...workingAt(key.createdAt) });
  if (maker === null && madeWith !== null) return { outcome: 'maker ended' };
  const stored = { ...key, expiresAt: earlier(key.expiresAt, maker?.expiresAt ?? null) };
  await em.insert(ApiKeyTable, stored);
  return { outcome: 'stored', key: stored };
};

/** Whether the user has as many keys that work as there may be. */
const isFull = async (em: EntityManager, { userId, createdAt }: ApiKey, most: number | null): Promise<boolean> =>
  most !== null && (await em.count(ApiKeyTable, { userId, ...workingAt(createdAt) })) >= most;

type Replaced = Awaited<ReturnType<KeyRepository['replace']>> & { readonly ended: readonly string[] };

/** What changes the keys of a user; the ids of the keys that end by it. */
export const keyWrites = ({ transaction }: Pick<Database, 'transaction'>) => ({
  insert: (key: ApiKey, most: number | null): Promise<StoredKey> =>
    transaction(async (em) => {
      await sqlIn(em, sql.lockUser, [key.userId]);
      if (await isFull(em, key, most)) return { outcome: 'too many' };
      return store(em, key, key.madeWith);
    }),

  replace: (old: string, endsAt: Date, key: ApiKey, most: number | null): Promise<Replaced> =>
    transaction(async (em) => {
      await sqlIn(em, sql.lockUser, [key.userId]);
      const replaced = await em.findOne(ApiKeyTable, { id: old, userId: key.userId, revokedAt: null });
      if (!replaced) return { outcome: 'no key', ended: [] };
      const isOneMore = endsAt > key.createdAt;
      if (isOneMore && (await isFull(em, key, most))) return { outcome: 'too many', ended: [] };
      const lasting = key.madeWith === old ? { ...key, madeWith: replaced.madeWith } : key;
      const stored = await store(em, lasting, key.madeWith);
      if (stored.outcome !== 'stored') return { ...stored, ended: [] };
      return { ...stored, ended: idsOf(await sqlIn<ApiKey>(em, sql.end, [old, endsAt])) };
    }),

  revoke: (id: string, of: Parameters<KeyRepository['revoke']>[1]): Promise<readonly string[]> =>
    transaction(async (em) => {
      const bounds = { userId: null, workspaceId: null, ...of };
      const owners = await sqlIn(em, sql.lockOwner, [id, bounds.userId, bounds.workspaceId]);
      return owners.length === 0 ? [] : idsOf(await sqlIn<ApiKey>(em, sql.revoke, [id]));
    }),
});
