-- The log of events (docs/decisions/the-event-log.md). Of the 48 bits of a sequence number, the lower 32 count the events of a day; the upper
-- ones are the day since 1970. So a partition is a range of numbers, and a cursor leads to its partition. No two partitions leave a gap, so
-- that an event always has one.

create sequence event_sequence;

-- Draws the number of an event. A lock that readers see, taken before the first number of a transaction is drawn and kept until its end, says
-- from which number on its events are not there yet: the upper 16 bits of its key are 28783, the lower ones the number it began at.
create function next_event() returns bigint language plpgsql as $$
begin
  if current_setting('portico.writes_events', true) is distinct from 'on' then
    perform pg_advisory_xact_lock_shared(28783::bigint << 48 | coalesce(pg_sequence_last_value('event_sequence'), 0));
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

-- The last number that was drawn, and up to which every event is there for good. The numbers are read before the locks: who drew one of them
-- has had the lock since before, or has ended.
create function event_horizon(out drawn bigint, out settled bigint) language plpgsql as $$
begin
  drawn := coalesce(pg_sequence_last_value('event_sequence'), 0);
  settled := least(drawn, (
    select min((l.classid::bigint << 32 | l.objid::bigint) & ((1::bigint << 48) - 1)) from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 1 and l.classid::bigint >> 16 = 28783
      and l.database = (select d.oid from pg_database d where d.datname = current_database())));
end $$;

create function event_partition(day bigint) returns text language sql as $$
  select 'events_' || to_char(date '1970-01-01' + day::int, 'YYYYMMDD')
$$;

-- Creates the partitions of today and the two days after, lets the numbers of today begin, and drops what is older than so many days. It does
-- not wait for those who read or write: what is locked is left for the next time. One process does it at a time, under a lock of its own.
create function keep_events(kept_days integer) returns integer language plpgsql as $$
declare
  today bigint := extract(epoch from now())::bigint / 86400;
  drawn bigint;
  day bigint;
  dropped integer := 0;
begin
  if not pg_try_advisory_xact_lock(28784::bigint << 48) then return 0; end if;
  perform set_config('lock_timeout', '100ms', true);
  for day in select generate_series(today, today + 2) loop
    if to_regclass(event_partition(day)) is null then
      execute format('create table %I (like events including all)', event_partition(day));
      execute format('alter table events attach partition %I for values from (%s) to (%s)', event_partition(day), day << 32, (day + 1) << 32);
    end if;
  end loop;
  drawn := coalesce(pg_sequence_last_value('event_sequence'), 0);
  if drawn < today << 32 then
    -- Readers do not pass the old numbers before the first of the new ones is on the disk.
    perform pg_advisory_xact_lock_shared(28783::bigint << 48 | drawn);
    perform setval('event_sequence', today << 32);
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

-- Who waits for a run or a document is notified by the transaction that changes it. New runs are notified of after their commit, because
-- transactions that notify commit one after another, each waiting for the disk.
create function run_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_runs', new.id || ' ' || new.status || ' ' || new.workspace_id);
  return null;
end $$;
create trigger runs_changed after update of status on runs for each row when (old.status is distinct from new.status)
  execute function run_changed();

create function document_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_documents', new.id || ' ' || new.status || ' ' || new.run_id || ' ' || new.workspace_id);
  return null;
end $$;
create trigger documents_changed after update of status, revision, review_status on documents for each row
  when ((old.status, old.revision, old.review_status) is distinct from (new.status, new.revision, new.review_status))
  execute function document_changed();
