-- Requests with an `Idempotency-Key`.

-- The run that such a request created, once.
create table idempotency_keys (
  credential_id text not null,
  key text not null,
  request_hash text not null,
  run_id uuid not null,
  agent_name text not null,
  created_at timestamptz(3) not null default now(),
  primary key (credential_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Each other request, with its answer once it has one.
create table idempotent_requests (
  credential_id text not null,
  operation text not null,
  key text not null,
  request_hash text not null,
  lease_id uuid not null,
  lease_expires_at timestamptz(3) not null,
  answer text,
  created_at timestamptz(3) not null default now(),
  primary key (credential_id, operation, key)
);
create unique index idempotent_requests_lease on idempotent_requests (lease_id);
create index idempotent_requests_age on idempotent_requests (created_at);
