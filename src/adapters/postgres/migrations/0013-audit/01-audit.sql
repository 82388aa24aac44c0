-- Who did what (docs/decisions/the-audit-log.md). The transaction of an act writes it here; right after, it takes its place in the chain of
-- its workspace, and leaves this table. What is held waits for the end of something outside of this database.
create table audit_acts (
  number bigint generated always as identity primary key,
  workspace_id uuid not null,
  at timestamptz(3) not null default clock_timestamp(),
  held_until timestamptz(3),
  action text collate "C" not null,
  actor_type text not null,
  actor_id uuid,
  actor_name text,
  via_kind text not null,
  via_id text,
  via_address text,
  subject_type text not null,
  subject_id uuid not null,
  subject_name text,
  details json not null
);
create index audit_acts_of_workspace on audit_acts (workspace_id, number);

-- The chains: each entry has the hash of the one before it, and sequences have no gap.
create table audit_entries (
  workspace_id uuid not null,
  sequence bigint not null,
  at timestamptz(3) not null,
  action text collate "C" not null,
  actor_type text not null,
  actor_id uuid,
  actor_name text,
  via_kind text not null,
  via_id text,
  via_address text,
  subject_type text not null,
  subject_id uuid not null,
  subject_name text,
  details json not null,
  previous text collate "C" not null,
  hash text collate "C" not null,
  primary key (workspace_id, sequence)
);
create index audit_entries_of_actor on audit_entries (workspace_id, actor_id, sequence);
create index audit_entries_of_subject on audit_entries (workspace_id, subject_id, sequence);
create index audit_entries_of_action on audit_entries (workspace_id, action, sequence);
create index audit_entries_by_time on audit_entries (workspace_id, at);

-- The end of each chain: who adds to it locks it. `checkpoint_at`: when the log of events was last told where it ends.
create table audit_heads (
  workspace_id uuid primary key,
  sequence bigint not null default 0,
  hash text collate "C" not null default repeat('0', 64),
  checkpoint_at timestamptz(3)
);

-- The end of a chain is an event of no agent.
alter table events alter column agent_id drop not null;
