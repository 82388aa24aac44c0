/** Of the 48 bits of a sequence number, the lower ones count the events of a day; the upper ones are the day since 1970. */
const dayBits = 32;
/** The upper 16 bits of the key of the lock of a transaction that writes events; the lower ones are the number it began at. */
const lockTag = 0x706f;

/**
 * The log of events (docs/decisions/the-event-log.md). The day stands in the upper bits of a sequence number: a partition is a range of
 * numbers, and a cursor leads to its partition. No two partitions leave a gap, so that an event always has one.
 */
const tables = `
create sequence event_sequence;

-- Draws the number of an event. A lock that readers see, taken before the first number of a transaction is drawn and kept until its end,
-- says from which number on its events are not there yet.
create function next_event() returns bigint language plpgsql as $$
begin
  if current_setting('portico.writes_events', true) is distinct from 'on' then
    perform pg_advisory_xact_lock_shared(${lockTag}::bigint << 48 | coalesce(pg_sequence_last_value('event_sequence'), 0));
    perform set_config('portico.writes_events', 'on', true);
  end if;
  return nextval('event_sequence');
end $$;

create table events (
  sequence bigint not null default next_event(),
  workspace_id uuid not null,
  agent_id uuid not null,
  run_id uuid not null,
  document_id uuid,
  type text collate "C" not null,
  data json not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (run_id, sequence)
) partition by range (sequence);
create index events_of_workspace on events (workspace_id, sequence);

-- The last number that was drawn, and up to which every event is there for good. The numbers are read before the locks: who drew one of
-- them has had the lock since before, or has ended.
create function event_horizon(out drawn bigint, out settled bigint) language plpgsql as $$
begin
  drawn := coalesce(pg_sequence_last_value('event_sequence'), 0);
  settled := least(drawn, (
    select min((l.classid::bigint << 32 | l.objid::bigint) & ((1::bigint << 48) - 1)) from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 1 and l.classid::bigint >> 16 = ${lockTag}
      and l.database = (select d.oid from pg_database d where d.datname = current_database())));
end $$;

create function event_partition(day bigint) returns text language sql as $$
  select 'events_' || to_char(date '1970-01-01' + day::int, 'YYYYMMDD')
$$;

-- Creates the partitions of today and the two days after, lets the numbers of today begin, and drops what is older than so many days.
-- It does not wait for those who read or write: what is locked is left for the next time.
create function keep_events(kept_days integer) returns integer language plpgsql as $$
declare
  today bigint := extract(epoch from now())::bigint / 86400;
  drawn bigint;
  day bigint;
  dropped integer := 0;
begin
  if not pg_try_advisory_xact_lock(${lockTag + 1}::bigint << 48) then return 0; end if;
  perform set_config('lock_timeout', '100ms', true);
  for day in select generate_series(today, today + 2) loop
    if to_regclass(event_partition(day)) is null then
      execute format('create table %I (like events including all)', event_partition(day));
      execute format('alter table events attach partition %I for values from (%s) to (%s)',
        event_partition(day), day << ${dayBits}, (day + 1) << ${dayBits});
    end if;
  end loop;
  drawn := coalesce(pg_sequence_last_value('event_sequence'), 0);
  if drawn < today << ${dayBits} then
    -- Readers do not pass the old numbers before the first of the new ones is on the disk.
    perform pg_advisory_xact_lock_shared(${lockTag}::bigint << 48 | drawn);
    perform setval('event_sequence', today << ${dayBits});
  end if;
  for day in
    select (substring(c.relname from 8)::date - date '1970-01-01')::bigint from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass order by 1
  loop
    exit when day >= today - kept_days - 1;
    begin
      execute format('drop table %I', event_partition(day));
      dropped := dropped + 1;
    exception when lock_not_available then
      exit;
    end;
  end loop;
  return dropped;
end $$;
select keep_events(30);
`;

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

/** A run as it is shown in its events. */
const runData = (run: string, agentName: string) => `json_build_object(
  'id', ${run}.id, 'workflowType', ${run}.workflow_type, 'agentId', ${run}.agent_id, 'agentName', ${agentName},
  'status', ${run}.status, 'traceId', ${run}.trace_id, 'error', ${run}.error, 'createdAt', ${millis(`${run}.created_at`)},
  'startedAt', ${millis(`${run}.started_at`)}, 'completedAt', ${millis(`${run}.completed_at`)}, 'processTogether', ${run}.process_together,
  'attempt', ${run}.attempt, 'statusReason', ${run}.status_reason,
  'usage', json_build_object('inputTokens', ${run}.input_tokens, 'outputTokens', ${run}.output_tokens))`;

const documentData = `json_build_object(
  'id', new.id, 'runId', new.run_id, 'agentId', new.agent_id, 'conversationId', new.conversation_id, 'name', new.name,
  'status', new.status, 'evidence', new.evidence, 'error', new.error, 'externalReference', new.external_reference,
  'createdAt', ${millis('new.created_at')}, 'updatedAt', ${millis('new.updated_at')}, 'processedAt', ${millis('new.processed_at')})`;

/**
 * Every change is written by the transaction that causes it, in the trigger that notifies of it as well. New runs are written by one
 * statement for all of them, and notified of after their commit (0001-initial.ts).
 */
const recording = `
drop trigger runs_told_new on runs;
drop trigger runs_told on runs;
drop trigger documents_told on documents;
drop function record_run_event();
drop function record_document_event();

create function log_new_runs() returns trigger language plpgsql as $$
begin
  insert into events (workspace_id, agent_id, run_id, type, data)
  select r.workspace_id, r.agent_id, r.id, 'run.' || r.status, ${runData('r', '(select a.name from agents a where a.id = r.agent_id)')}
  from new_runs r;
  return null;
end $$;
create trigger runs_logged after insert on runs referencing new table as new_runs for each statement execute function log_new_runs();

create or replace function run_changed() returns trigger language plpgsql as $$
begin
  insert into events (workspace_id, agent_id, run_id, type, data)
  values (new.workspace_id, new.agent_id, new.id, 'run.' || new.status,
    ${runData('new', '(select a.name from agents a where a.id = new.agent_id)')});
  perform pg_notify('portico_runs', new.id || ' ' || new.status || ' ' || new.workspace_id);
  return null;
end $$;

create or replace function document_changed() returns trigger language plpgsql as $$
begin
  if new.status in ('ready', 'processed', 'error', 'trashed') then
    insert into events (workspace_id, agent_id, run_id, document_id, type, data)
    values (new.workspace_id, new.agent_id, new.run_id, new.id, 'document.' || new.status, ${documentData});
  end if;
  perform pg_notify('portico_documents', new.id || ' ' || new.status || ' ' || new.run_id || ' ' || new.workspace_id);
  return null;
end $$;
`;

/** A webhook reads the log from its own place on, which is where the log was when the webhook was made. */
const webhooks = `
create function event_position() returns bigint language sql as $$ select coalesce(pg_sequence_last_value('event_sequence'), 0) $$;
alter table webhooks add column position bigint not null default event_position();
alter table webhook_deliveries add column sequence bigint;
`;

export const sql = tables + recording + webhooks;
