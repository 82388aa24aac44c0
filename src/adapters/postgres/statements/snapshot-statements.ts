import { prepared } from '../connection/database.ts';

const columns = `id, workspace_id as "workspaceId", conversation_id as "conversationId", user_id as "userId", size_bytes as "sizeBytes",
  created_at as "createdAt"`;

/** All times of snapshots are the database's, and are compared there. */
export const insert = prepared('snapshots_insert')`
insert into sandbox_snapshots (id, workspace_id, conversation_id, user_id, size_bytes) values ($1, $2, $3, $4, $5) returning ${columns}`;

export const PAGE = 32;

export const candidates = prepared('snapshots_candidates')`
select ${columns}, uploaded from sandbox_snapshots
where conversation_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2::timestamptz, $3::uuid))
order by created_at desc, id desc limit ${PAGE}`;

/** Marks the snapshots before it as superseded, and this one too if there is a newer one already. */
export const markUploaded = prepared('snapshots_mark_uploaded')`
with marked as (
  update sandbox_snapshots s set uploaded = true,
    superseded_at = case when exists (
      select from sandbox_snapshots n where n.conversation_id = s.conversation_id and n.uploaded and (n.created_at, n.id) > (s.created_at, s.id)
    ) then now() end
  where id = $1 and not uploaded returning conversation_id, created_at, id
)
update sandbox_snapshots s set superseded_at = now() from marked m
where s.conversation_id = m.conversation_id and s.uploaded and s.superseded_at is null and (s.created_at, s.id) < (m.created_at, m.id)`;

export const awaited = prepared('snapshots_awaited')`
select ${columns} from sandbox_snapshots
where not uploaded and created_at < now() - make_interval(secs => $1) order by created_at, id limit $2`;

/** Snapshots of the conversation of a document that is held stay. */
export const superseded = prepared('snapshots_superseded')`
select ${columns} from sandbox_snapshots s
where superseded_at < now() - make_interval(secs => $1) and not exists (
  select from conversations c join documents d on d.run_id = c.run_id and d.held_at is not null where c.id = s.conversation_id
) order by superseded_at, id limit $2`;

export const remove = prepared('snapshots_remove')`delete from sandbox_snapshots where id = $1`;
