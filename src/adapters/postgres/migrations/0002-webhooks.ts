/** `due_at` of a delivery is when it is tried next, and while it is claimed when the claim is over. */
const tables = `
create table webhooks (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  address text collate "C" not null,
  sealed_url text not null,
  sealed_secret text not null,
  events text[] not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  removed_at timestamptz(3)
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
  run_id uuid not null,
  document_id uuid,
  event text not null,
  data json not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  fence integer not null default 0,
  claimed boolean not null default false,
  due_at timestamptz(3) default date_trunc('milliseconds', clock_timestamp()) check ((due_at is null) = (status <> 'pending')),
  expires_at timestamptz(3) not null default clock_timestamp() + interval '3 days',
  last_status integer,
  last_error text,
  last_response text,
  occurred_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3)
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, seq) where status = 'pending';
create index webhook_deliveries_in_order on webhook_deliveries (webhook_id, run_id, seq) where status = 'pending';
create index webhook_deliveries_expiring on webhook_deliveries (expires_at) where status = 'pending';
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, status, seq desc);
create index webhook_deliveries_age on webhook_deliveries (occurred_at);
`;

const millis = (column: string) => `(extract(epoch from new.${column}) * 1000)::bigint`;

/**
 * An event is recorded in the transaction that causes it, as a snapshot for each webhook that asked for it. A statement of
 * a workspace without webhooks pays for one look into an index; one that changes no status (a lease that is renewed, a
 * document that is read) pays nothing, which a trigger per statement could not offer: it cannot tell before it runs.
 *
 * A new run wakes no process by itself, because transactions that notify commit one after another (0001-initial.ts).
 */
const recording = `
create function record_run_event() returns trigger language plpgsql as $$
declare
  happened text := 'run.' || new.status;
begin
  if not exists (
    select from webhooks w where w.workspace_id = new.workspace_id and w.removed_at is null and w.events && array[happened, 'run.*', '*']
  ) then
    return null;
  end if;
  insert into webhook_deliveries (webhook_id, run_id, event, data)
  select w.id, new.id, happened, json_build_object(
    'id', new.id, 'workflowType', new.workflow_type, 'agentId', new.agent_id, 'agentName', (select a.name from agents a where a.id = new.agent_id),
    'status', new.status, 'traceId', new.trace_id, 'error', new.error, 'createdAt', ${millis('created_at')},
    'startedAt', ${millis('started_at')}, 'completedAt', ${millis('completed_at')}, 'processTogether', new.process_together,
    'attempt', new.attempt, 'statusReason', new.status_reason,
    'usage', json_build_object('inputTokens', new.input_tokens, 'outputTokens', new.output_tokens))
  from webhooks w where w.workspace_id = new.workspace_id and w.removed_at is null and w.events && array[happened, 'run.*', '*'];
  if tg_op = 'UPDATE' then
    perform pg_notify('portico_webhooks', '');
  end if;
  return null;
end $$;
create trigger runs_told_new after insert on runs for each row execute function record_run_event();
create trigger runs_told after update of status on runs for each row when (old.status is distinct from new.status)
  execute function record_run_event();

create function record_document_event() returns trigger language plpgsql as $$
declare
  happened text := 'document.' || new.status;
begin
  if not exists (
    select from webhooks w where w.workspace_id = new.workspace_id and w.removed_at is null and w.events && array[happened, 'document.*', '*']
  ) then
    return null;
  end if;
  insert into webhook_deliveries (webhook_id, run_id, document_id, event, data)
  select w.id, new.run_id, new.id, happened, json_build_object(
    'id', new.id, 'runId', new.run_id, 'agentId', new.agent_id, 'conversationId', new.conversation_id, 'name', new.name,
    'status', new.status, 'evidence', new.evidence, 'error', new.error, 'externalReference', new.external_reference,
    'createdAt', ${millis('created_at')}, 'updatedAt', ${millis('updated_at')}, 'processedAt', ${millis('processed_at')})
  from webhooks w where w.workspace_id = new.workspace_id and w.removed_at is null and w.events && array[happened, 'document.*', '*'];
  perform pg_notify('portico_webhooks', '');
  return null;
end $$;
create trigger documents_told after update of status on documents for each row
  when (old.status is distinct from new.status and new.status in ('ready', 'processed', 'error', 'trashed'))
  execute function record_document_event();
`;

export const sql = tables + recording;
