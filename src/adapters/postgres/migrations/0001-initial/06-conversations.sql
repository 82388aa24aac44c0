-- Conversations, their messages, and the snapshots of their sandboxes.

create table conversations (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  agent_id uuid not null references agents,
  run_id uuid references runs,
  user_id uuid not null references users,
  status text not null check (status in ('idle', 'responding')),
  fence bigint not null default 0,
  lease_expires_at timestamptz(3),
  -- Calls with side effects that were about to be made and have no result yet.
  begun text[] not null default '{}',
  -- It covers the messages up to `summary_seq`.
  summary text,
  summary_seq bigint not null default -1,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
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
  -- Who wrote it, or in whose name the turn ran.
  author_id uuid,
  -- Where words come from that neither a person nor the model wrote.
  provenance json,
  created_at timestamptz(3) not null default now(),
  primary key (conversation_id, seq)
);

create table sandbox_snapshots (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  conversation_id uuid not null references conversations,
  user_id uuid not null references users,
  size_bytes bigint not null check (size_bytes >= 0),
  uploaded boolean not null default false,
  created_at timestamptz(3) not null default now(),
  -- Since when a newer upload is there: what it replaced is removed once no address of it works any more.
  superseded_at timestamptz(3)
);
create index sandbox_snapshots_conversation on sandbox_snapshots (conversation_id, created_at desc, id desc);
create index sandbox_snapshots_awaited on sandbox_snapshots (created_at, id) where not uploaded;
create index sandbox_snapshots_superseded on sandbox_snapshots (superseded_at, id) where superseded_at is not null;
