/**
 * What was first read of each file of a run. And an upload is remembered after a run took it, as long as its URL may still work: what
 * arrives by it then is removed.
 */
export const sql = `
create table source_files (
  key text collate "C" primary key,
  sha256 text not null,
  version text not null,
  read_at timestamptz(3) not null default now()
);

alter table uploads add column taken_at timestamptz(3);
drop index uploads_of_workspace, uploads_unused;
create index uploads_of_workspace on uploads (workspace_id) where expired_at is null and taken_at is null;
create index uploads_unused on uploads (created_at) where expired_at is null and taken_at is null;
create index uploads_taken on uploads (created_at) where taken_at is not null;

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
  update uploads set taken_at = now() where key = any (keys) and taken_at is null;
  return null;
end $$;
`;
