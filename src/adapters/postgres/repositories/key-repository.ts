import type { Clock, Log } from '../../../application/ports/runtime.ts';
import type { KeyRepository } from '../../../application/ports/storage.ts';
import type { ApiKey, Scope } from '../../../domain/access.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import type { Listener } from '../connection/listener.ts';
import { following } from '../connection/mapper.ts';
import * as sql from '../statements/key-statements.ts';
import * as people from '../statements/people-statements.ts';
import { ApiKeyTable } from '../tables/entities.ts';
import { callerCache, type KnownCaller, type UserRow } from './caller-cache.ts';
import { keyWrites } from './key-writes.ts';
import { minutely } from './minutely.ts';

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

interface KeySettings {
  readonly database: Pick<Database, 'query' | 'read' | 'mapper' | 'transaction'>;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  readonly cacheMs?: number;
}

export const keyRepository = ({ database, listener, clock, log, cacheMs = 1000 }: KeySettings): KeyRepository => {
  const callers = callerCache(listener, cacheMs);
  const uses = minutely(sql.touch, { database, clock, log });
  const seen = minutely(people.seen, { database, clock, log });
  const writes = keyWrites(database);

  /** Other processes are notified by the database. */
  const forget = (ids: readonly string[]) => {
    for (const id of ids) callers.invalidate(id);
  };

  return {
    insert: (key, most, by) => writes.insert(key, most, by),
    async findCaller(hash) {
      const known = await callers.get(hash, async () => {
        const [row] = await database.read<KeyRow>(sql.findCaller, [hash]);
        return row ? knownOf(row) : null;
      });
      if (!known || (known.expiresAt && known.expiresAt <= clock.now())) return null;
      uses(known.caller.credential.id);
      seen(known.caller.userId);
      return known.caller;
    },
    list: async (userId) =>
      userId === null || isId(userId) ? database.query<ApiKey & { readonly email: string }>(sql.list, [userId]) : [],
    listOwn: (userId, { limit, after }) =>
      database.mapper.find(
        ApiKeyTable,
        { userId, revokedAt: null, ...following(after) },
        { orderBy: { createdAt: 'desc', id: 'desc' }, limit },
      ),
    findOwn: async (userId, id) =>
      isId(id) ? database.mapper.findOne(ApiKeyTable, { id, userId, revokedAt: null }) : null,
    async replace(old, endsAt, key, most, by) {
      if (!isId(old)) return { outcome: 'no key' };
      const { ended, ...stored } = await writes.replace(old, endsAt, key, most, by);
      forget(ended);
      return stored;
    },
    async revoke(id, by, of) {
      const ended = isId(id) ? await writes.revoke(id, clock.now(), by, of) : [];
      forget(ended);
      return ended.length > 0;
    },
  };
};
