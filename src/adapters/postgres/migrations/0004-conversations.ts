/** `begun`: calls with side effects that were about to be made and have no result yet. `summary` covers the messages up to `summary_seq`. */
export const sql = `
alter table conversations
  add column begun text[] not null default '{}',
  add column summary text,
  add column summary_seq bigint not null default -1,
  add column input_tokens bigint not null default 0,
  add column output_tokens bigint not null default 0;

create table sandbox_snapshots (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  conversation_id uuid not null references conversations,
  user_id uuid not null references users,
  size_bytes bigint not null check (size_bytes >= 0),
  uploaded boolean not null default false,
  created_at timestamptz(3) not null default now()
);
create index sandbox_snapshots_conversation on sandbox_snapshots (conversation_id, created_at desc, id desc);
`;
