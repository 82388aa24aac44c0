import type { UploadRepository } from '../../application/ports/storage.ts';
import { type Database, prepared } from './database.ts';

/** Serialises the requests of a workspace, so that together they stay within its quota. */
const lock = 'select from workspaces where id = $1 for no key update';

const used = `
select count(*)::int as urls, coalesce(sum(size_bytes), 0)::bigint as bytes from uploads where workspace_id = $1 and expired_at is null and taken_at is null`;

const insert = 'insert into uploads (key, workspace_id) select key, $1::uuid from unnest($2::text[]) key';

const unmeasured = prepared('uploads_unmeasured')`
select key from uploads
where expired_at is null and taken_at is null
  and (measured_at is null or measured_at < least(created_at + make_interval(secs => $1), now() - make_interval(secs => $2)))
order by measured_at nulls first, created_at, key limit $3`;

const measured = prepared('uploads_measured')`
update uploads u set size_bytes = m.size, measured_at = now() from unnest($1::text[], $2::bigint[]) as m (key, size) where u.key = m.key`;

const expire = prepared('uploads_expire')`
update uploads set expired_at = now() where key in (
  select key from uploads where expired_at is null and taken_at is null and created_at < now() - make_interval(secs => $1)
  order by created_at limit $2 for update skip locked
) returning key`;

const expired = prepared('uploads_expired')`
select key from uploads where expired_at < now() - make_interval(secs => $1) order by expired_at limit $2`;

const taken = prepared('uploads_taken')`
select key from uploads where taken_at is not null and created_at < now() - make_interval(secs => $1) order by created_at limit $2`;

const remove = prepared('uploads_remove')`
delete from uploads where key = any ($1::text[]) and (expired_at is not null or taken_at is not null)`;

const keysOf = (rows: readonly { readonly key: string }[]) => rows.map(({ key }) => key);

export const uploadRepository = ({ query, atomically }: Pick<Database, 'query' | 'atomically'>): UploadRepository => ({
  issue: (workspaceId, keys, quota) =>
    atomically(async (client) => {
      await client.query(lock, [workspaceId]);
      const [usage] = (await client.query<{ urls: number; bytes: number }>(used, [workspaceId])).rows;
      if (!usage || usage.urls + keys.length > quota.urls) return 'too many URLs';
      if (usage.bytes >= quota.bytes) return 'too many bytes';
      await client.query(insert, [workspaceId, keys]);
      return 'issued';
    }),

  unmeasured: async ({ changeableSeconds, everySeconds }, most) =>
    keysOf(await query<{ key: string }>(unmeasured, [changeableSeconds, everySeconds, most])),

  async measured(sizes) {
    await query(measured, [[...sizes.keys()], [...sizes.values()]]);
  },

  expire: async (seconds, most) => keysOf(await query<{ key: string }>(expire, [seconds, most])),
  taken: async (seconds, most) => keysOf(await query<{ key: string }>(taken, [seconds, most])),
  expired: async (seconds, most) => keysOf(await query<{ key: string }>(expired, [seconds, most])),

  async remove(keys) {
    await query(remove, [keys]);
  },
});
