-- When a failed run was taken off the list of what waits for a person.
alter table runs add column dismissed_at timestamptz(3);
create index runs_failed on runs (workspace_id, created_at desc, id desc) include (agent_id)
  where status = 'failed' and origin = 'api' and dismissed_at is null and reread_of is null;
-- What can be posted, so that what is posted already is not looked through for it.
create index documents_ready on documents (agent_id, created_at desc, id desc)
  where status = 'ready' and review_status in ('not_required', 'approved');
