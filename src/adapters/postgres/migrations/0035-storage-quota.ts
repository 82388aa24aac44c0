/**
 * Everything that a workspace has in the file store counts in one quota: uploads keeps a row for each object that a URL was signed for, as
 * long as the object is there. What may change soon is counted from its rows, which are few. Of the rest, which is weighed after a run took it,
 * the sizes are added up as they change, in slots, so that processes that weigh at the same time do not wait for each other.
 */
export const sql = `
alter table uploads
  add column user_id uuid,
  add column kind text not null default 'file' check (kind in ('file', 'snapshot')),
  add column granted_bytes bigint not null default 0,
  add column beside_bytes bigint not null default 0,
  add column url_ends_at timestamptz(3) not null default now(),
  add column due_at timestamptz(3) default now(),
  add column counted boolean not null default false;
alter table uploads drop column measured_at;
drop index uploads_taken, uploads_of_workspace;
create index uploads_of_workspace on uploads (workspace_id) where expired_at is null and not counted;
create index uploads_due on uploads (due_at) where due_at is not null;

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

create or replace function run_takes_files() returns trigger language plpgsql as $$
declare
  keys text[] := array(select file ->> 'fileKey' from json_array_elements(new.files) file);
  expired text;
begin
  perform from uploads where key = any (keys) order by key for update;
  select string_agg(key, ' ') into expired from uploads where key = any (keys) and expired_at is not null;
  if expired is not null then
    raise foreign_key_violation using message = 'a file of the run is removed', constraint = 'runs_files_uploaded', detail = expired;
  end if;
  update uploads set taken_at = now(), due_at = now() where key = any (keys) and taken_at is null;
  return null;
end $$;
`;
