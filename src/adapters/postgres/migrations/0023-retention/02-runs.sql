-- The runs of a file: one may be read by several.
create table run_files (
  key text collate "C" not null,
  run_id uuid not null references runs on delete cascade,
  primary key (key, run_id)
);
create index run_files_of_run on run_files (run_id);
insert into run_files (key, run_id)
select distinct file ->> 'fileKey', r.id from runs r, json_array_elements(r.files) file;

create or replace function run_takes_files() returns trigger language plpgsql as $$
declare
  keys text[] := array(select distinct file ->> 'fileKey' from json_array_elements(new.files) file);
  expired text;
begin
  perform from uploads where key = any (keys) order by key for update;
  select string_agg(key, ' ') into expired from uploads where key = any (keys) and expired_at is not null;
  if expired is not null then
    raise foreign_key_violation using message = 'a file of the run is removed', constraint = 'runs_files_uploaded', detail = expired;
  end if;
  update uploads set taken_at = now(), due_at = now() where key = any (keys) and taken_at is null;
  insert into run_files (key, run_id) select key, new.id from unnest(keys) key;
  return null;
end $$;

-- What ended longest ago comes first. The lists of documents have indexes by age already.
create index runs_by_end on runs (workspace_id, completed_at, id) where completed_at is not null;
create index uploads_by_age on uploads (workspace_id, taken_at, key) where kind = 'file' and taken_at is not null and expired_at is null;

-- A conversation whose document is kept longer leaves its row.
alter table conversations add column removed_at timestamptz(3);
create index conversations_by_age on conversations (workspace_id, created_at, id) where removed_at is null;
create index documents_conversation on documents (conversation_id);
