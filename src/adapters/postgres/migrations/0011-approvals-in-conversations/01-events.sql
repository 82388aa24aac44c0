-- What happens in a conversation is of no run. A sequence numbers the events: no two have the same number without a key either.
alter table events drop constraint events_pkey;
alter table events alter column run_id drop not null;
create index events_of_run on events (run_id, sequence);
alter table webhook_deliveries alter column run_id drop not null;
