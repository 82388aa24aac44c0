alter table approvals alter column run_id drop not null;

-- The approval that the call waits for: until it has a result, its message says so.
alter table messages add column waits_for uuid references approvals;
create index messages_waiting on messages (conversation_id) where waits_for is not null;

-- Whose rights the turn has that asked for an approval, and the fence of the turn in or after which a decision fell: it has to go on.
alter table conversations add column asked_by json, add column goes_on_after bigint;
create index conversations_going_on on conversations (id) where goes_on_after is not null;
