/** Times keep milliseconds, as the API shows them; names and identifiers sort by code point. */
const tables = `
create table workspaces (
  id uuid primary key,
  name text collate "C" not null unique,
  created_at timestamptz(3) not null default now()
);

create table users (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  email text collate "C" not null check (email = lower(email)),
  name text not null,
  role text not null check (role in ('admin', 'member', 'viewer')),
  password_hash text,
  created_at timestamptz(3) not null default now(),
  removed_at timestamptz(3)
);
create unique index users_email on users (email) where removed_at is null;
create index users_workspace on users (workspace_id);

create table api_keys (
  id uuid primary key,
  user_id uuid not null references users,
  name text not null,
  hash text collate "C" not null unique,
  scopes text[],
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index api_keys_user on api_keys (user_id);

create table connections (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text collate "C" not null,
  type text not null,
  sealed_url text not null,
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

create table agents (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text collate "C" not null,
  description text not null,
  workflow_type text not null check (workflow_type in ('document_extraction', 'assistant')),
  model text not null,
  instructions text not null,
  document_schema json,
  system_of_record json,
  tools json not null default '[]',
  visible_to uuid[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  removed_at timestamptz(3)
);
create unique index agents_name on agents (workspace_id, name) where removed_at is null;

create table runs (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  agent_id uuid not null references agents,
  user_id uuid not null references users,
  origin text not null check (origin in ('api', 'tool')),
  workflow_type text not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  status_reason json,
  error text,
  process_together boolean not null,
  user_message text,
  files json not null,
  trace_id text not null,
  attempt integer not null default 0,
  handed_back integer not null default 0,
  worker text,
  lease_expires_at timestamptz(3),
  deadline_at timestamptz(3) not null,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  completed_at timestamptz(3)
);
create index runs_claimable on runs (created_at, id) where status = 'queued';
create index runs_leased on runs (lease_expires_at) where status = 'running';
create index runs_unfinished on runs (deadline_at) where status in ('queued', 'running');
create index runs_of_workspace on runs (workspace_id, created_at desc, id desc) where origin = 'api';
create index runs_of_workspace_by_status on runs (workspace_id, status, created_at desc, id desc) where origin = 'api';
create index runs_of_agent on runs (agent_id, created_at desc, id desc) where origin = 'api';

create table run_units (
  run_id uuid not null references runs,
  index integer not null,
  file_indexes integer[] not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  error text,
  error_code text,
  conversation_id uuid,
  document_id uuid,
  primary key (run_id, index)
);

create table conversations (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  agent_id uuid not null references agents,
  run_id uuid references runs,
  user_id uuid not null references users,
  status text not null check (status in ('idle', 'responding')),
  fence bigint not null default 0,
  lease_expires_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index conversations_run on conversations (run_id);

create table messages (
  conversation_id uuid not null references conversations,
  seq bigint not null,
  id uuid not null,
  role text not null check (role in ('user', 'assistant', 'tool')),
  content text not null,
  tool_calls json not null default '[]',
  tool_call_id text,
  attachments json not null default '[]',
  created_at timestamptz(3) not null default now(),
  primary key (conversation_id, seq)
);

create table documents (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  run_id uuid not null references runs,
  agent_id uuid not null references agents,
  conversation_id uuid not null references conversations,
  name text not null,
  status text not null check (status in ('extracting', 'ready', 'processing', 'processed', 'error', 'trashed')),
  document_data json,
  evidence json not null default '{}',
  error text,
  external_reference text,
  fence integer not null default 0,
  lease_expires_at timestamptz(3),
  trashed_from text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  processed_at timestamptz(3)
);
create index documents_run on documents (run_id);
create index documents_delivering on documents (lease_expires_at) where status = 'processing';

create table idempotency_keys (
  credential_id text not null,
  key text not null,
  request_hash text not null,
  run_id uuid not null,
  agent_name text not null,
  created_at timestamptz(3) not null default now(),
  primary key (credential_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
`;

/**
 * The total of a run list is the sum of a few counters instead of a count over the runs. A counter has 16 slots, one per
 * group of database sessions, so that runs created at once do not wait for each other; rows are taken in one order, so
 * that no two transactions wait in a circle. Transition tables are added up, never joined: they have no statistics, and a
 * join of them is planned for one row and then run for hundreds.
 *
 * The transaction that changes a status notifies the workers itself. A new run is announced after its commit
 * (run-creation.ts), because transactions that notify commit one after another, each waiting for the disk.
 */
const counters = `
create table run_counts (
  agent_id uuid not null,
  status text not null,
  slot smallint not null,
  runs bigint not null,
  primary key (agent_id, status, slot)
) with (fillfactor = 50);

create function count_runs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into run_counts (agent_id, status, slot, runs)
    select agent_id, status, pg_backend_pid() % 16, count(*) from new_runs where origin = 'api' group by 1, 2 order by 1, 2
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  elsif tg_op = 'UPDATE' then
    insert into run_counts (agent_id, status, slot, runs)
    select agent_id, status, pg_backend_pid() % 16, sum(delta) from (
      select agent_id, status, 1 as delta from new_runs where origin = 'api'
      union all
      select agent_id, status, -1 from old_runs where origin = 'api'
    ) moves group by 1, 2 having sum(delta) <> 0 order by 1, 2
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  else
    insert into run_counts (agent_id, status, slot, runs)
    select agent_id, status, pg_backend_pid() % 16, -count(*) from old_runs where origin = 'api' group by 1, 2 order by 1, 2
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  end if;
  return null;
end $$;
create trigger runs_inserted after insert on runs referencing new table as new_runs for each statement execute function count_runs();
create trigger runs_updated after update on runs referencing old table as old_runs new table as new_runs for each statement execute function count_runs();
create trigger runs_deleted after delete on runs referencing old table as old_runs for each statement execute function count_runs();

create function run_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_runs', new.id || ' ' || new.status);
  return null;
end $$;
create trigger runs_changed after update of status on runs for each row when (old.status is distinct from new.status) execute function run_changed();
`;

/** What processes remember of a credential is dropped the moment its key, its user or its user's rights change. */
const notifications = `
create function access_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_access', coalesce(new.id, old.id)::text);
  return null;
end $$;
create trigger api_keys_changed after update of revoked_at, expires_at, scopes or delete on api_keys for each row execute function access_changed();
create trigger users_changed after update of role, email, removed_at, workspace_id or delete on users for each row execute function access_changed();

create function document_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_documents', new.id || ' ' || new.status);
  return null;
end $$;
create trigger documents_changed after update of status on documents for each row when (old.status is distinct from new.status) execute function document_changed();
`;

export const sql = tables + counters + notifications;
