-- What may be in a system of record, also from the trash, so that a later duplicate key finds it without looking through all documents.
create index documents_posted on documents (agent_id, created_at desc, id desc)
  where coalesce(trashed_from, status) in ('processing', 'processed') or attempted_revision is not null;
