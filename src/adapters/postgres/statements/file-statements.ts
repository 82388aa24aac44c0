import { prepared } from '../connection/database.ts';

export const findSource = prepared('source_files_find')`select sha256, version from source_files where key = $1`;

export const rememberSource = prepared('source_files_remember')`
insert into source_files as f (key, sha256, version) values ($1, $2, $3)
on conflict (key) do update set version = excluded.version where f.sha256 = excluded.sha256
returning key`;

export const expire = prepared('uploads_expire')`
update uploads set expired_at = now() where key in (
  select key from uploads where kind = 'file' and expired_at is null and taken_at is null and created_at < now() - make_interval(secs => $1)
  order by created_at limit $2 for update skip locked
) returning key`;

/** A PUT that began before its URL expired may still be under way: after this long none of a file is, and after a day none of a snapshot. */
const CLOSED = `(now() >= u.url_ends_at + case when u.kind = 'file' then interval '1 hour' else interval '24 hours' end)`;

/** Not before nothing arrives for them any more: what was erased would stay if it came again. */
export const expired = prepared('uploads_expired')`
select key from uploads u where expired_at < now() - make_interval(secs => $1) and ${CLOSED} order by expired_at limit $2`;

/** Serialises the requests of a workspace, so that together they stay within its quota. */
export const lock = 'select from workspaces where id = $1 for no key update';

/** Uploads that are not added up yet are read from their rows; `user_id = $2` is the user's part of them. */
export const use = `
with waiting as (
  select case when taken_at is not null and kind = 'file' then 'taken' else kind end as kind, user_id = $2 and taken_at is null as own,
    taken_at is null and url_ends_at > now() as open, size_bytes + beside_bytes as stored,
    greatest(granted_bytes - size_bytes - beside_bytes, 0) as missing
  from uploads where workspace_id = $1 and expired_at is null and not counted
), waits as (
  select coalesce(sum(stored) filter (where kind = 'taken'), 0)::float8 as files, coalesce(sum(stored) filter (where kind = 'file'), 0)::float8 as uploads,
    coalesce(sum(stored) filter (where kind = 'snapshot'), 0)::float8 as snapshots,
    count(*) filter (where open)::int as urls, coalesce(sum(missing) filter (where open), 0)::float8 as bytes,
    count(*) filter (where open and own)::int as own_urls, coalesce(sum(stored + case when open then missing else 0 end) filter (where own), 0)::float8 as own_bytes
  from waiting
), totals as (
  select coalesce(sum(bytes) filter (where kind = 'file'), 0)::float8 as files, coalesce(sum(bytes) filter (where kind = 'pages'), 0)::float8 as pages,
    coalesce(sum(bytes) filter (where kind = 'snapshot'), 0)::float8 as snapshots
  from stored_bytes where workspace_id = $1
)
select json_build_object('files', t.files + w.files, 'pages', t.pages, 'snapshots', t.snapshots + w.snapshots, 'uploads', w.uploads) as stored,
  json_build_object('urls', w.urls, 'bytes', w.bytes) as open, json_build_object('urls', w.own_urls, 'bytes', w.own_bytes) as own
from waits w, totals t`;

export const useOf = prepared('stored_objects_use')`${use}`;

export const insert = `
insert into uploads (key, workspace_id, user_id, kind, granted_bytes, url_ends_at)
select key, $1, $2, $3, bytes, now() + make_interval(secs => $4) from unnest($5::text[], $6::bigint[]) as object (key, bytes)`;

/** Another process takes others meanwhile, and these after a minute if this one ends before it has weighed them. */
export const due = prepared('stored_objects_due')`
update uploads u set due_at = now() + interval '1 minute' where key in (
  select key from uploads where due_at <= now() and expired_at is null order by due_at limit $1 for update skip locked
) returning key, kind, taken_at is not null as "isTaken", ${CLOSED} as "isClosed"`;

/** Only strays change the files of a run, and a snapshot may take any time to come. A snapshot is complete at the size that was granted. */
export const weighed = prepared('stored_objects_weighed')`
update uploads u set size_bytes = w.own, beside_bytes = w.beside,
  taken_at = case when u.kind = 'snapshot' and w.own = u.granted_bytes then coalesce(u.taken_at, now()) else u.taken_at end,
  counted = u.taken_at is not null or (u.kind = 'snapshot' and w.own = u.granted_bytes),
  due_at = case when ${CLOSED} then null
    when u.taken_at is not null or now() >= u.url_ends_at + interval '1 hour' then now() + interval '30 minutes'
    else now() + interval '30 seconds' end
from unnest($1::text[], $2::bigint[], $3::bigint[]) as w (key, own, beside) where u.key = w.key`;

export const keeping = prepared('stored_objects_keeping')`
update uploads set due_at = now() + interval '30 seconds' where key = $1 returning workspace_id as "workspaceId"`;

export const remove = prepared('stored_objects_remove')`
delete from uploads where key = any ($1::text[]) and (expired_at is not null or kind = 'snapshot')`;
