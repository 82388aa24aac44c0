-- How far the documents of an agent that were posted before it had its `duplicate_key` are known by that key: newest first, down to the document
-- at `created_at` and `document_id`. Both are null when all are.
create table key_backfills (
  agent_id uuid primary key references agents,
  duplicate_key text not null,
  created_at timestamptz(3),
  document_id uuid
);
insert into key_backfills (agent_id, duplicate_key, created_at, document_id)
select a.id, a.duplicate_key::text, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff' from agents a where a.duplicate_key::text <> '[]';
