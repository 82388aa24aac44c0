-- Workspaces, their users, and the keys of these.
--
-- In every table, times keep milliseconds, as the API shows them, and names and identifiers sort by code point (collate "C"). What messages
-- and notes may hold is `json` and not `jsonb`, which refuses some texts and does not keep the order of a model's keys.

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
  -- With which password a session or a token was begun: a new one ends them, those too that are being saved at that moment.
  password_version integer not null default 0,
  created_at timestamptz(3) not null default now(),
  removed_at timestamptz(3)
);
create unique index users_email on users (email) where removed_at is null;
create index users_workspace on users (workspace_id);

create table api_keys (
  id uuid primary key,
  user_id uuid not null references users,
  name text not null,
  -- How the key begins: by this its user recognises it.
  prefix text not null,
  hash text collate "C" not null unique,
  scopes text[],
  -- Which key it was made with, and ends with.
  made_with uuid references api_keys,
  -- In the window of which key its requests count; null: in one of its own.
  window_id uuid,
  -- Whether its user made it, or the key that it comes from, by signing in.
  self_issued boolean not null default false,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_keys_user on api_keys (user_id);
create index api_keys_of_user on api_keys (user_id, created_at desc, id desc) where revoked_at is null;
create index api_keys_made_with on api_keys (made_with) where made_with is not null;

create table invitations (
  user_id uuid primary key references users,
  hash text collate "C" not null unique,
  -- Who invites, and with which key.
  inviter_id uuid references users,
  made_with uuid references api_keys,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);

-- What processes remember of a credential is dropped the moment its key, its user or its user's rights change.
create function access_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_access', coalesce(new.id, old.id)::text);
  return null;
end $$;
create trigger api_keys_changed after update of revoked_at, expires_at, scopes or delete on api_keys
  for each row execute function access_changed();
create trigger users_changed after update of role, email, removed_at, workspace_id or delete on users
  for each row execute function access_changed();
