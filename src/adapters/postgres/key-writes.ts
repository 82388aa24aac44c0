import type { KeyRepository, StoredKey } from '../../application/ports/storage.ts';
import type { ApiKey } from '../../domain/access.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { ApiKeyTable } from './entities.ts';

type Client = Parameters<Parameters<Database['atomically']>[0]>[0];

/** Keys that come from each other are of one user: what is changed of the keys of a user is changed one after the other. */
const lockUser = 'select from users where id = $1 for no key update';

const lockOwner = `
select u.id from api_keys k join users u on u.id = k.user_id
where k.id = $1 and ($2::uuid is null or u.id = $2) and ($3::uuid is null or u.workspace_id = $3) for no key update of u`;

const works = (key: string, now: string) => `${key}.revoked_at is null and coalesce(${key}.expires_at > ${now}, true)`;

const countWorking = `
select count(*)::int as count from api_keys k where k.user_id = $1 and ${works('k', '$2::timestamptz')}`;

const insert = `
insert into api_keys as k (id, user_id, name, prefix, hash, scopes, expires_at, created_at, made_with, window_id, self_issued)
select $1, $2, $3, $4, $5, $6::text[], least($7::timestamptz, maker.expires_at), $8::timestamptz, $9::uuid, $10::uuid, $11
from (values ($12::uuid)) as asked (maker_id) left join api_keys maker on maker.id = asked.maker_id
where asked.maker_id is null or (${works('maker', '$8::timestamptz')})
returning ${columnsOf(ApiKeyTable, 'k')}`;

const madeWith = 'select made_with as "madeWith" from api_keys where id = $1 and user_id = $2 and revoked_at is null';

/** The key, and every key that was made with it, or with one of those. */
const lineage = `
with recursive lineage as (
  select id from api_keys where id = $1 union select k.id from api_keys k join lineage on k.made_with = lineage.id
)`;

const end = `${lineage} update api_keys k set expires_at = least(expires_at, $2) from lineage where k.id = lineage.id returning k.id`;

const revoke = `${lineage} update api_keys k set revoked_at = coalesce(revoked_at, now()) from lineage where k.id = lineage.id returning k.id`;

const idsIn = ({ rows }: { readonly rows: readonly { readonly id: string }[] }) => rows.map(({ id }) => id);

/** `maker`: the key that it is made with, which may be the one that it replaces. */
const store = async (client: Client, key: ApiKey, maker: string | null): Promise<StoredKey> => {
  const { id, userId, name, prefix, hash, scopes, expiresAt, createdAt, windowId, selfIssued } = key;
  const values = [
    id,
    userId,
    name,
    prefix,
    hash,
    scopes,
    expiresAt,
    createdAt,
    key.madeWith,
    windowId,
    selfIssued,
    maker,
  ];
  const [stored] = (await client.query<ApiKey>(insert, values)).rows;
  return stored ? { outcome: 'stored', key: stored } : { outcome: 'maker ended' };
};

/** Whether the user has as many keys that work as there may be. */
const isFull = async (client: Client, { userId, createdAt }: ApiKey, most: number | null): Promise<boolean> => {
  if (most === null) return false;
  const [found] = (await client.query<{ count: number }>(countWorking, [userId, createdAt])).rows;
  return (found?.count ?? 0) >= most;
};

type Replaced = Awaited<ReturnType<KeyRepository['replace']>> & { readonly ended: readonly string[] };

/** What changes the keys of a user; the ids of the keys that end by it. */
export const keyWrites = ({ atomically }: Pick<Database, 'atomically'>) => ({
  insert: (key: ApiKey, most: number | null): Promise<StoredKey> =>
    atomically(async (client) => {
      await client.query(lockUser, [key.userId]);
      if (await isFull(client, key, most)) return { outcome: 'too many' };
      return store(client, key, key.madeWith);
    }),

  replace: (old: string, endsAt: Date, key: ApiKey, most: number | null): Promise<Replaced> =>
    atomically(async (client) => {
      await client.query(lockUser, [key.userId]);
      const [replaced] = (await client.query<Pick<ApiKey, 'madeWith'>>(madeWith, [old, key.userId])).rows;
      if (!replaced) return { outcome: 'no key', ended: [] };
      const isOneMore = endsAt > key.createdAt;
      if (isOneMore && (await isFull(client, key, most))) return { outcome: 'too many', ended: [] };
      const lasting = key.madeWith === old ? { ...key, madeWith: replaced.madeWith } : key;
      const stored = await store(client, lasting, key.madeWith);
      if (stored.outcome !== 'stored') return { ...stored, ended: [] };
      return { ...stored, ended: idsIn(await client.query<{ id: string }>(end, [old, endsAt])) };
    }),

  revoke: (id: string, of: Parameters<KeyRepository['revoke']>[1]): Promise<readonly string[]> =>
    atomically(async (client) => {
      const bounds = { userId: null, workspaceId: null, ...of };
      const found = await client.query(lockOwner, [id, bounds.userId, bounds.workspaceId]);
      return found.rows.length === 0 ? [] : idsIn(await client.query<{ id: string }>(revoke, [id]));
    }),
});
