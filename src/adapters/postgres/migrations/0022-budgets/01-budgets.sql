-- What a workspace, or an agent of it, may spend.

create table budgets (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text collate "C" not null,
  -- null: of all agents together.
  agent_id uuid references agents,
  period text not null check (period in ('day', 'month')),
  "limit" numeric not null,
  action text not null check (action in ('warn', 'stop')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint budgets_name unique (workspace_id, name)
);
