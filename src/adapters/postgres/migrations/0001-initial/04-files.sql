-- What a workspace has in the file store.

-- A row for each object that a URL was signed for, as long as the object is there. What may change soon is counted in the quota of its
-- workspace from its row; such rows are few. `counted`: it was weighed after a run took it, and its sizes are in `stored_bytes`.
create table uploads (
  key text collate "C" primary key,
  workspace_id uuid not null references workspaces,
  user_id uuid,
  kind text not null default 'file' check (kind in ('file', 'snapshot')),
  granted_bytes bigint not null default 0,
  size_bytes bigint not null default 0,
  -- What is kept beside it, such as pictures of its pages.
  beside_bytes bigint not null default 0,
  counted boolean not null default false,
  created_at timestamptz(3) not null default now(),
  url_ends_at timestamptz(3) not null default now(),
  -- When it is looked at next.
  due_at timestamptz(3) default now(),
  -- It is remembered after a run took it as long as its URL may still work: what arrives by it then is removed.
  taken_at timestamptz(3),
  -- What is expired stays for a while, so that a run that was examined just before is refused and not stored without its file.
  expired_at timestamptz(3)
);
create index uploads_of_workspace on uploads (workspace_id) where expired_at is null and not counted;
create index uploads_unused on uploads (created_at) where expired_at is null and taken_at is null;
create index uploads_due on uploads (due_at) where due_at is not null;
create index uploads_expired on uploads (expired_at) where expired_at is not null;

-- The sizes of what is counted, added up as they change, in slots, so that processes that weigh at the same time do not wait for each other.
create table stored_bytes (
  workspace_id uuid not null,
  kind text not null,
  slot int not null,
  bytes bigint not null,
  primary key (workspace_id, kind, slot)
) with (fillfactor = 50);

create function count_stored_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into stored_bytes (workspace_id, kind, slot, bytes)
    select workspace_id, part.kind, pg_backend_pid() % 16, sum(sign * part.bytes) from (
      select 1 as sign, u.* from new_uploads u where counted union all select -1, u.* from old_uploads u where counted
    ) moves, lateral (values (moves.kind, size_bytes), ('pages', beside_bytes)) part (kind, bytes)
    group by 1, 2 having sum(sign * part.bytes) <> 0 order by 1, 2
    on conflict (workspace_id, kind, slot) do update set bytes = stored_bytes.bytes + excluded.bytes;
  else
    insert into stored_bytes (workspace_id, kind, slot, bytes)
    select workspace_id, part.kind, pg_backend_pid() % 16, -sum(part.bytes)
    from old_uploads u, lateral (values (u.kind, size_bytes), ('pages', beside_bytes)) part (kind, bytes) where counted
    group by 1, 2 having sum(part.bytes) <> 0 order by 1, 2
    on conflict (workspace_id, kind, slot) do update set bytes = stored_bytes.bytes + excluded.bytes;
  end if;
  return null;
end $$;
create trigger uploads_changed after update on uploads referencing new table as new_uploads old table as old_uploads
  for each statement execute function count_stored_bytes();
create trigger uploads_removed after delete on uploads referencing old table as old_uploads
  for each statement execute function count_stored_bytes();

-- What was first read of each file of a run.
create table source_files (
  key text collate "C" primary key,
  sha256 text not null,
  version text not null,
  read_at timestamptz(3) not null default now()
);
