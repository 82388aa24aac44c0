import type { EntityManager } from '@mikro-orm/postgresql';
import type { KeyRepository, StoredKey } from '../../../application/ports/storage.ts';
import type { ApiKey } from '../../../domain/access.ts';
import type { Act, AuditAction, Doer } from '../../../domain/audit.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { type Database, sqlIn } from '../connection/database.ts';
import { idsOf } from '../connection/ids.ts';
import * as sql from '../statements/key-statements.ts';
import { ApiKeyTable } from '../tables/entities.ts';
import { recordIn } from './acts.ts';

/** `worked`: it was not revoked before. */
type RevokedKey = Pick<ApiKey, 'id' | 'userId'> & { readonly worked: boolean };

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

const keyAct = (
  by: Doer,
  action: Extract<AuditAction, `key.${string}`>,
  id: string,
  details: JsonObject = {},
): Act => ({
  ...by,
  workspaceId: null,
  action,
  subject: { type: 'key', id, name: null },
  details,
});

type Replaced = Awaited<ReturnType<KeyRepository['replace']>> & { readonly ended: readonly string[] };

/**
 * The key, and all that ends with it. While it works, a key that it made in its own place ends as well, unless one of these keys asks: who
 * has the new key may take the old one back.
 */
const endingWith = async (em: EntityManager, id: string, works: boolean, by: Doer): Promise<readonly string[]> => {
  const lineage = async (withSuccessors: boolean) => idsOf(await sqlIn<ApiKey>(em, sql.lineage, [id, withSuccessors]));
  const all = await lineage(works);
  const isAskedByOne = by.via.id !== null && all.includes(by.via.id);
  return works && isAskedByOne ? lineage(false) : all;
};

/** What changes the keys of a user; the ids of the keys that end by it. */
export const keyWrites = ({ transaction }: Pick<Database, 'transaction'>) => ({
  insert: (key: ApiKey, most: number | null, by: Doer): Promise<StoredKey> =>
    transaction(async (em) => {
      await sqlIn(em, sql.lockUser, [key.userId]);
      if (await isFull(em, key, most)) return { outcome: 'too many' };
      const stored = await store(em, key, key.madeWith);
      if (stored.outcome === 'stored') await recordIn(em, [keyAct(by, 'key.created', key.id, { user_id: key.userId })]);
      return stored;
    }),

  replace: (old: string, endsAt: Date, key: ApiKey, most: number | null, by: Doer): Promise<Replaced> =>
    transaction(async (em) => {
      await sqlIn(em, sql.lockUser, [key.userId]);
      const replaced = await em.findOne(ApiKeyTable, { id: old, userId: key.userId, revokedAt: null });
      if (!replaced) return { outcome: 'no key', ended: [] };
      const isOneMore = endsAt > key.createdAt;
      if (isOneMore && (await isFull(em, key, most))) return { outcome: 'too many', ended: [] };
      const isByItself = key.madeWith === old;
      const works = replaced.expiresAt === null || replaced.expiresAt > key.createdAt;
      const ended = await endingWith(em, old, works, by);
      if (key.madeWith !== null && !isByItself && ended.includes(key.madeWith))
        return { outcome: 'made with it', ended: [] };
      const lasting = isByItself ? { ...key, madeWith: replaced.madeWith, replaces: old } : key;
      const stored = await store(em, lasting, key.madeWith);
      if (stored.outcome !== 'stored') return { ...stored, ended: [] };
      await recordIn(em, [keyAct(by, 'key.rotated', key.id, { user_id: key.userId, replaces: old })]);
      await sqlIn(em, sql.end, [ended, endsAt]);
      return { ...stored, ended };
    }),

  revoke: (id: string, now: Date, by: Doer, of: Parameters<KeyRepository['revoke']>[2]): Promise<readonly string[]> =>
    transaction(async (em) => {
      const bounds = { userId: null, workspaceId: null, ...of };
      const [owner] = await sqlIn<{ works: boolean }>(em, sql.lockOwner, [id, bounds.userId, bounds.workspaceId, now]);
      if (!owner) return [];
      const ended = await sqlIn<RevokedKey>(em, sql.revoke, [await endingWith(em, id, owner.works, by)]);
      const acts = ended
        .filter(({ worked }) => worked)
        .map((key) => keyAct(by, 'key.revoked', key.id, { user_id: key.userId }));
      await recordIn(em, acts);
      return idsOf(ended);
    }),
});
