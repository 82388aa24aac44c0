-- What clients are granted by OAuth. A grant is what its tokens hang on: they are stored while it is there, and go with it.

create table oauth_grants (
  id uuid primary key,
  user_id uuid not null references users,
  client_id text not null,
  client_hash text collate "C" not null,
  client_name text,
  client_host text not null,
  resource text not null,
  agent_id uuid references agents,
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  used_at timestamptz(3),
  expires_at timestamptz(3) not null
);
create index oauth_grants_user on oauth_grants (user_id);
create index oauth_grants_expiry on oauth_grants (expires_at);

-- What processes remember of an access token is dropped the moment its grant is revoked; one that merely expired is forgotten by its age.
create trigger oauth_grants_revoked after delete on oauth_grants for each row when (old.expires_at > now()) execute function access_changed();

create table oauth_records (
  kind text collate "C" not null,
  hash text collate "C" not null,
  other_hash text collate "C",
  sealed text not null,
  grant_id uuid references oauth_grants on delete cascade,
  user_id uuid references users,
  scopes text[],
  -- When the user of a token of the console signed in.
  signed_in_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  consumed_at timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (kind, hash)
);
create index oauth_records_other on oauth_records (kind, other_hash) where other_hash is not null;
create index oauth_records_grant on oauth_records (grant_id) where grant_id is not null;
create index oauth_records_user on oauth_records (user_id) where user_id is not null;
create index oauth_records_expiry on oauth_records (expires_at);
