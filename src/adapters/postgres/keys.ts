import { LRUCache } from 'lru-cache';
import type { Clock, Log } from '../../application/ports/runtime.ts';
import type { KeyRepository } from '../../application/ports/storage.ts';
import type { ApiKey, Scope } from '../../domain/access.ts';
import { callerCache, type KnownCaller, MAX_CALLERS, type UserRow, userColumns } from './caller-cache.ts';
import { columnsOf } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { ApiKeyTable } from './entities.ts';
import { isId } from './ids.ts';
import { keyWrites } from './key-writes.ts';
import type { Listener } from './listener.ts';
import { following } from './mapper.ts';

const findCaller = prepared('api_keys_find_caller')`
select k.id, k.scopes, k.expires_at as "expiresAt", coalesce(k.window_id, k.id) as "window", k.self_issued as "selfIssued", ${userColumns}
from api_keys k join users u on u.id = k.user_id
where k.hash = $1 and k.revoked_at is null and u.removed_at is null`;

const touch = prepared('api_keys_touch')`
update api_keys set last_used_at = date_trunc('minute', now())
where id = $1 and (last_used_at is null or last_used_at < date_trunc('minute', now()))`;

const list = prepared('api_keys_list')`
select ${columnsOf(ApiKeyTable, 'k')}, u.email
from api_keys k join users u on u.id = k.user_id
where u.removed_at is null and ($1::uuid is null or u.id = $1) order by k.created_at desc, k.id desc`;

interface KeyRow extends UserRow {
  readonly id: string;
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
  readonly window: string;
  readonly selfIssued: boolean;
}

const knownOf = ({ id, scopes, expiresAt, window, selfIssued, ...user }: KeyRow): KnownCaller => ({
  caller: {
    ...user,
    credential: { id, kind: 'api_key', window, selfIssued },
    door: 'api_key',
    signedInAt: null,
    scopes: scopes && new Set(scopes),
    boundToAgent: null,
  },
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
  readonly database: Pick<Database, 'query' | 'read' | 'mapper' | 'transaction'>;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  readonly cacheMs?: number;
}

export const keyRepository = ({ database, listener, clock, log, cacheMs = 1000 }: KeySettings): KeyRepository => {
  const callers = callerCache(listener, cacheMs);
  const recordUse = usage(database, clock, log);
  const writes = keyWrites(database);

  /** Other processes are notified by the database. */
  const forget = (ids: readonly string[]) => {
    for (const id of ids) callers.invalidate(id);
  };

  return {
    insert: (key, most) => writes.insert(key, most),
    async findCaller(hash) {
      const found = await callers.get(hash, async () => {
        const [row] = await database.read<KeyRow>(findCaller, [hash]);
        return row ? knownOf(row) : null;
      });
      if (!found || (found.expiresAt && found.expiresAt <= clock.now())) return null;
      recordUse(found.caller.credential.id);
      return found.caller;
    },
    list: async (userId) =>
      userId === null || isId(userId) ? database.query<ApiKey & { readonly email: string }>(list, [userId]) : [],
    listOwn: (userId, { limit, after }) =>
      database.mapper.find(
        ApiKeyTable,
        { userId, revokedAt: null, ...following(after) },
        { orderBy: { createdAt: 'desc', id: 'desc' }, limit },
      ),
    findOwn: async (userId, id) =>
      isId(id) ? database.mapper.findOne(ApiKeyTable, { id, userId, revokedAt: null }) : null,
    async replace(old, endsAt, key, most) {
      if (!isId(old)) return { outcome: 'no key' };
      const { ended, ...stored } = await writes.replace(old, endsAt, key, most);
      forget(ended);
      return stored;
    },
    async revoke(id, of) {
      const ended = isId(id) ? await writes.revoke(id, of) : [];
      forget(ended);
      return ended.length > 0;
    },
  };
};
