import type { UploadRepository } from '../../application/ports/storage.ts';
import { type Database, prepared } from './database.ts';

const expire = prepared('uploads_expire')`
update uploads set expired_at = now() where key in (
  select key from uploads where kind = 'file' and expired_at is null and taken_at is null and created_at < now() - make_interval(secs => $1)
  order by created_at limit $2 for update skip locked
) returning key`;

const expired = prepared('uploads_expired')`
select key from uploads where expired_at < now() - make_interval(secs => $1) order by expired_at limit $2`;

const keysOf = (rows: readonly { readonly key: string }[]) => rows.map(({ key }) => key);

export const uploadRepository = ({ query }: Pick<Database, 'query'>): UploadRepository => ({
  expire: async (seconds, most) => keysOf(await query<{ key: string }>(expire, [seconds, most])),
  expired: async (seconds, most) => keysOf(await query<{ key: string }>(expired, [seconds, most])),
});
