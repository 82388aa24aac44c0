-- People who sign in at their organisation (OpenID Connect).

-- To whom there an account is bound: one to one.
create table identities (
  user_id uuid primary key references users,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  unique (issuer, subject)
);

-- A sign-in there, until the organisation ends it. What came of it goes with it, and nothing is saved for one that is no more.
create table sign_ins (
  id uuid primary key,
  user_id uuid not null references users,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  -- How the organisation calls its session.
  session text collate "C",
  created_at timestamptz(3) not null default now()
);
create index sign_ins_of_subject on sign_ins (issuer, subject);
create index sign_ins_of_session on sign_ins (issuer, session) where session is not null;
create index sign_ins_of_user on sign_ins (user_id);
create index sign_ins_by_time on sign_ins (created_at);

alter table oauth_records add column sign_in_id uuid references sign_ins on delete cascade;
create index oauth_records_sign_in on oauth_records (sign_in_id) where sign_in_id is not null;
alter table oauth_grants add column sign_in_id uuid references sign_ins on delete cascade;
create index oauth_grants_sign_in on oauth_grants (sign_in_id) where sign_in_id is not null;
