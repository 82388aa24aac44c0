-- Webhooks, what is delivered to them, and each attempt of it.

-- Where the log of events is, or was when a webhook was made.
create function event_position() returns bigint language sql as $$ select coalesce(pg_sequence_last_value('event_sequence'), 0) $$;

create table webhooks (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  address text collate "C" not null,
  sealed_url text not null,
  sealed_secret text not null,
  events text[] not null,
  -- Up to which event it has read the log.
  position bigint not null default event_position(),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  removed_at timestamptz(3),
  -- A webhook whose receiver is gone is disabled.
  disabled_at timestamptz(3),
  disabled_reason text,
  check ((disabled_at is null) = (disabled_reason is null))
);
create index webhooks_of_workspace on webhooks (workspace_id) where removed_at is null;

-- UUIDv7 (RFC 9562 section 5.7), which PostgreSQL has itself only from version 18 on.
create function portico_uuidv7() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

create table webhook_deliveries (
  seq bigint generated always as identity primary key,
  id uuid not null unique default portico_uuidv7(),
  webhook_id uuid not null references webhooks,
  -- The event: its number in the log, and what it says, because the log forgets it sooner.
  sequence bigint not null,
  run_id uuid not null,
  document_id uuid,
  event text not null,
  data json not null,
  occurred_at timestamptz(3) not null default clock_timestamp(),
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'disabled')),
  attempts integer not null default 0,
  fence integer not null default 0,
  claimed boolean not null default false,
  -- When it is tried next, and while it is claimed when the claim is over.
  due_at timestamptz(3) default date_trunc('milliseconds', clock_timestamp()) check ((due_at is null) = (status <> 'pending')),
  expires_at timestamptz(3) not null default clock_timestamp() + interval '3 days',
  ended_at timestamptz(3),
  last_status integer,
  last_error text,
  last_response text
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, seq) where status = 'pending';
create index webhook_deliveries_in_order on webhook_deliveries (webhook_id, run_id, seq) where status = 'pending';
create index webhook_deliveries_expiring on webhook_deliveries (expires_at) where status = 'pending';
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, status, seq desc);
create index webhook_deliveries_age on webhook_deliveries (occurred_at);

-- The number of an attempt is the fence of its lease, so that it is counted on when the delivery is sent again.
create table webhook_attempts (
  delivery bigint not null references webhook_deliveries on delete cascade,
  number integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  status integer,
  error text,
  response text,
  primary key (delivery, number)
);
