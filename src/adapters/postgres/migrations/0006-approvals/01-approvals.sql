-- Calls of tools that a person approves before they are made, each once.
create table approvals (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  agent_id uuid not null,
  agent_version integer not null,
  run_id uuid not null references runs,
  conversation_id uuid not null references conversations,
  tool_call_id text not null,
  tool text not null,
  approver text not null check (approver in ('person', 'other_person')),
  arguments json not null,
  arguments_digest text not null,
  rehearsal json,
  status text not null check (status in ('pending', 'approved', 'denied', 'expired', 'cancelled')),
  requested_by json not null,
  requested_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by json,
  note text,
  foreign key (agent_id, agent_version) references agent_versions,
  unique (conversation_id, tool_call_id)
);
create index approvals_of_workspace on approvals (workspace_id, requested_at desc, id desc);
create index approvals_of_workspace_by_status on approvals (workspace_id, status, requested_at desc, id desc);
create index approvals_of_run on approvals (run_id);
create index approvals_pending on approvals (expires_at) where status = 'pending';

-- The approvals that a run waits for, and since when no worker holds it for that: its deadline stands still meanwhile.
alter table runs add column waiting_for uuid[], add column parked_at timestamptz(3);
