-- Runs, which are the queue as well, and their units.

create table runs (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  agent_id uuid not null,
  agent_version integer not null,
  user_id uuid not null references users,
  origin text not null check (origin in ('api', 'tool', 'untrusted_tool')),
  workflow_type text not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  status_reason json,
  error text,
  process_together boolean not null,
  user_message text,
  files json not null,
  trace_id text not null,
  -- The queue of a workspace goes in turns: in each of them every user who has something queued has one run.
  turn bigint not null default 0,
  attempt integer not null default 0,
  handed_back integer not null default 0,
  worker text,
  lease_expires_at timestamptz(3),
  deadline_at timestamptz(3) not null,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  completed_at timestamptz(3),
  foreign key (agent_id, agent_version) references agent_versions
);
-- A claim steps from one workspace with queued runs to the next and reads none of the runs between.
create index runs_queued on runs (workspace_id, turn, created_at, id) where status = 'queued';
create index runs_queued_of_user on runs (user_id, turn desc) where status = 'queued';
create index runs_leased on runs (lease_expires_at) where status = 'running';
create index runs_unfinished on runs (deadline_at) where status in ('queued', 'running');
-- The lists hold all that chooses a page, so that the runs before it are passed over without being read.
create index runs_of_workspace on runs (workspace_id, created_at desc, id desc) include (agent_id) where origin = 'api';
create index runs_of_workspace_by_status on runs (workspace_id, status, created_at desc, id desc) include (agent_id) where origin = 'api';
create index runs_of_agent on runs (agent_id, created_at desc, id desc) include (status) where origin = 'api';

-- A run takes its files in the statement that stores it, and none of them can be removed meanwhile.
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
  update uploads set taken_at = now(), due_at = now() where key = any (keys) and taken_at is null;
  return null;
end $$;
create trigger runs_take_files after insert on runs for each row when (json_array_length(new.files) > 0) execute function run_takes_files();

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

-- The total of a run list is the sum of a few counters instead of a count over the runs. A counter has 16 slots, one per group of database
-- sessions, so that runs created at once do not wait for each other; a slot below 0 is what was rolled up.
create table run_counts (
  workspace_id uuid not null,
  agent_id uuid not null,
  status text not null,
  slot smallint not null,
  runs bigint not null,
  primary key (agent_id, status, slot)
) with (fillfactor = 50);
create index run_counts_of_workspace on run_counts (workspace_id) where slot >= 0;

-- Counters of a workspace beside those of its agents, so that the total of a run list reads a few rows however many agents there are: the
-- roll-up adds what it rolls up to these too, and what it has not rolled up yet is in the slots from 0 on.
create table run_totals (
  workspace_id uuid not null,
  status text not null,
  runs bigint not null,
  primary key (workspace_id, status)
) with (fillfactor = 50);

-- Rows are taken in one order, so that no two transactions wait in a circle. Transition tables are added up, never joined: they have no
-- statistics, and a join of them is planned for one row and then run for hundreds.
create function count_runs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into run_counts (workspace_id, agent_id, status, slot, runs)
    select workspace_id, agent_id, status, pg_backend_pid() % 16, count(*) from new_runs where origin = 'api' group by 1, 2, 3 order by 2, 3
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  elsif tg_op = 'UPDATE' then
    insert into run_counts (workspace_id, agent_id, status, slot, runs)
    select workspace_id, agent_id, status, pg_backend_pid() % 16, sum(delta) from (
      select workspace_id, agent_id, status, 1 as delta from new_runs where origin = 'api'
      union all
      select workspace_id, agent_id, status, -1 from old_runs where origin = 'api'
    ) moves group by 1, 2, 3 having sum(delta) <> 0 order by 2, 3
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  else
    insert into run_counts (workspace_id, agent_id, status, slot, runs)
    select workspace_id, agent_id, status, pg_backend_pid() % 16, -count(*) from old_runs where origin = 'api' group by 1, 2, 3 order by 2, 3
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  end if;
  return null;
end $$;
create trigger runs_inserted after insert on runs referencing new table as new_runs for each statement execute function count_runs();
create trigger runs_updated after update on runs referencing old table as old_runs new table as new_runs
  for each statement execute function count_runs();
create trigger runs_deleted after delete on runs referencing old table as old_runs for each statement execute function count_runs();
