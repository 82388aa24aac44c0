-- Connections to systems of others, and the databases that are read over them.

create table connections (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text collate "C" not null,
  type text not null,
  sealed_url text not null,
  -- null: every user of the workspace sees it.
  visible_to uuid[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  removed_at timestamptz(3)
);
create unique index connections_name on connections (workspace_id, name) where removed_at is null;

create table databases (
  workspace_id uuid not null references workspaces,
  id text collate "C" not null,
  name text collate "C" not null,
  connection_id uuid not null references connections,
  schemas text[],
  visible_to uuid[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (workspace_id, id)
);

-- What processes remember of connections and databases is dropped the moment any of them changes.
create function connections_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_connections', '');
  return null;
end $$;
create trigger connections_changed after insert or update or delete on connections
  for each statement execute function connections_changed();
create trigger databases_changed after insert or update or delete on databases
  for each statement execute function connections_changed();
