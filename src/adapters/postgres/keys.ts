import { LRUCache } from 'lru-cache';
import type { Clock, Log } from '../../application/ports/runtime.ts';
import type { KeyRepository } from '../../application/ports/storage.ts';
import type { ApiKey, Scope } from '../../domain/access.ts';
import { callerCache, type KnownCaller, MAX_CALLERS, type UserRow, userColumns } from './caller-cache.ts';
import { columnsOf } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { ApiKeyTable } from './entities.ts';
import { isId } from './ids.ts';
import type { Listener } from './listener.ts';

const findCaller = prepared('api_keys_find_caller')`
select k.id, k.scopes, k.expires_at as "expiresAt", ${userColumns}
from api_keys k join users u on u.id = k.user_id
where k.hash = $1 and k.revoked_at is null and u.removed_at is null`;

const touch = prepared('api_keys_touch')`
update api_keys set last_used_at = date_trunc('minute', now())
where id = $1 and (last_used_at is null or last_used_at < date_trunc('minute', now()))`;

const list = prepared('api_keys_list')`
select ${columnsOf(ApiKeyTable, 'k')}, u.email
from api_keys k join users u on u.id = k.user_id
where u.removed_at is null and ($1::uuid is null or u.id = $1) order by k.created_at desc, k.id desc`;

const listOwn = prepared('api_keys_list_own')`
select ${columnsOf(ApiKeyTable, 'k')} from api_keys k
where k.user_id = $1 and k.revoked_at is null and ($2::uuid is null or k.id = $2) order by k.created_at desc, k.id desc limit 200`;

const into = 'insert into api_keys (id, user_id, name, prefix, hash, scopes, expires_at, created_at)';
const valuesOf = ({ id, userId, name, prefix, hash, scopes, expiresAt, createdAt }: ApiKey) => [
  ...[id, userId, name, prefix, hash, scopes, expiresAt, createdAt],
];

const insert = prepared('api_keys_insert')`${into} values ($1, $2, $3, $4, $5, $6, $7, $8)`;

const replace = prepared('api_keys_replace')`
with replaced as (
  update api_keys set expires_at = least(expires_at, $2) where id = $1 and user_id = $4 and revoked_at is null returning id
)
${into}
select $3, $4, $5, $6, $7, $8, $9, $10 from replaced returning id`;

const revoke = prepared('api_keys_revoke')`
update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1 and ($2::uuid is null or user_id = $2) returning id`;

interface KeyRow extends UserRow {
  readonly id: string;
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
}

const knownOf = ({ id, scopes, expiresAt, ...user }: KeyRow): KnownCaller => ({
  caller: { ...user, credential: { id, kind: 'api_key' }, door: 'api_key', scopes: scopes && new Set(scopes), boundToAgent: null },
  expiresAt,
});

const MINUTE_MS = 60_000;

/** Records that a key was used, once a minute, while the request goes on. */
const usage = (database: Pick<Database, 'query'>, clock: Clock, log: Log) => {
  const minutes = new LRUCache<string, number>({ max: MAX_CALLERS });
  return (keyId: string) => {
    const minute = Math.floor(clock.now().getTime() / MINUTE_MS);
    if (minutes.get(keyId) === minute) return;
    minutes.set(keyId, minute);
    database.query(touch, [keyId]).catch((error: unknown) => {
      log.warn({ key_id: keyId, reason: String(error) }, 'the last use of a key could not be recorded');
    });
  };
};

interface KeySettings {
  readonly database: Pick<Database, 'query' | 'read'>;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  readonly cacheMs?: number;
}

export const keyRepository = ({ database, listener, clock, log, cacheMs = 1000 }: KeySettings): KeyRepository => {
  const callers = callerCache(listener, cacheMs);
  const recordUse = usage(database, clock, log);
  return {
    async insert(key) {
      await database.query(insert, valuesOf(key));
    },
    async findCaller(hash) {
      const found = await callers.get(hash, async () => {
        const [row] = await database.read<KeyRow>(findCaller, [hash]);
        return row ? knownOf(row) : null;
      });
      if (!found || (found.expiresAt && found.expiresAt <= clock.now())) return null;
      recordUse(found.caller.credential.id);
      return found.caller;
    },
    list: async (userId) => (userId === null || isId(userId) ? database.query<ApiKey & { readonly email: string }>(list, [userId]) : []),
    listOwn: async (userId, id) => (id === undefined || isId(id) ? database.query<ApiKey>(listOwn, [userId, id ?? null]) : []),
    async replace(old, endsAt, key) {
      if (!isId(old)) return false;
      const made = await database.query(replace, [old, endsAt, ...valuesOf(key)]);
      callers.invalidate(old);
      return made.length > 0;
    },
    async revoke(id, userId) {
      if (!isId(id)) return false;
      const revoked = await database.query(revoke, [id, userId ?? null]);
      callers.invalidate(id);
      return revoked.length > 0;
    },
  };
};
