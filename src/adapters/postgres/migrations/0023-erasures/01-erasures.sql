-- What administrators had erased. `targets` are ids and keys of what went, and no words of it; without references, because they are gone.
create table erasures (
  id uuid primary key,
  workspace_id uuid not null,
  subject_type text not null check (subject_type in ('document', 'run', 'thread')),
  subject_id uuid not null,
  reason text not null,
  requested_by uuid,
  requested_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  completed_at timestamptz(3),
  targets json not null,
  stores json not null,
  -- When another process may go on with it.
  due_at timestamptz(3) not null
);
create index erasures_of_workspace on erasures (workspace_id, requested_at desc, id desc);
create index erasures_open on erasures (due_at) where completed_at is null;
