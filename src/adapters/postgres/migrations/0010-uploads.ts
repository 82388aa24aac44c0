/**
 * Uploads that no run took yet. A run takes its files in the statement that stores it, and none of them can be removed meanwhile: the
 * trigger holds this for every version of Portico that writes runs here. What is expired stays for a while, so that a run that was
 * examined just before is refused and not stored without its file.
 */
export const sql = `
create table uploads (
  key text collate "C" primary key,
  workspace_id uuid not null references workspaces,
  size_bytes bigint not null default 0,
  measured_at timestamptz(3),
  expired_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index uploads_of_workspace on uploads (workspace_id) where expired_at is null;
create index uploads_unused on uploads (created_at) where expired_at is null;
create index uploads_expired on uploads (expired_at) where expired_at is not null;

create function run_takes_files() returns trigger language plpgsql as $$
declare
  keys text[] := array(select file ->> 'fileKey' from json_array_elements(new.files) file);
  expired text;
begin
  perform from uploads where key = any (keys) order by key for update;
  select string_agg(key, ' ') into expired from uploads where key = any (keys) and expired_at is not null;
  if expired is not null then
    raise foreign_key_violation using message = 'a file of the run is removed', constraint = 'runs_files_uploaded', detail = expired;
  end if;
  delete from uploads where key = any (keys);
  return null;
end $$;
create trigger runs_take_files after insert on runs for each row when (json_array_length(new.files) > 0) execute function run_takes_files();
`;
