import { prepared } from '../connection/database.ts';
import { documentStates } from '../tables/states.ts';
import { fitting } from './page-bytes.ts';

/** The documents of a batch. */
export const MOST_DOCUMENTS = 100;

/** What may be in a system of record, also from the trash, out of which it can be restored: the condition of the index `documents_posted`. */
const isPosted = `(coalesce(d.trashed_from, d.status) in (${documentStates.after('process')}, ${documentStates.after('accept')})
      or d.attempted_revision is not null)`;

export const isUnderWay = prepared('key_backfills_is_under_way')`
select from key_backfills where agent_id = $1 and document_id is not null`;

/** Of each agent of a workspace whose key is another one than before. One that has posted nothing is done. */
export const begin = `
insert into key_backfills (agent_id, duplicate_key, created_at, document_id)
select a.id, a.duplicate_key::text, newest.created_at, newest.id
from agents a left join key_backfills b on b.agent_id = a.id left join lateral (
  select 'infinity'::timestamptz as created_at, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid as id
  where a.duplicate_key::text <> '[]' and exists (select from documents d where d.agent_id = a.id and ${isPosted})
) newest on true
where a.workspace_id = $1 and b.duplicate_key is distinct from a.duplicate_key::text
on conflict (agent_id) do update set duplicate_key = excluded.duplicate_key, created_at = excluded.created_at, document_id = excluded.document_id`;

/** Any of them, so that no agent waits for another one that has posted much, or whose batches fail. */
export const next = prepared('key_backfills_next')`
select agent_id as "agentId", duplicate_key::json as pointers, document_id as "before" from key_backfills
where document_id is not null order by random() limit 1`;

export const documents = prepared('key_backfills_documents')`
with found as materialized (
  select d.id, d.document_data, d.created_at from documents d
  where d.agent_id = $1 and ${isPosted} and (d.created_at, d.id) < (select b.created_at, b.document_id from key_backfills b where b.agent_id = $1)
  order by d.created_at desc, d.id desc limit ${MOST_DOCUMENTS}
)
select f."inAll", f.id, f.document_data as "documentData", f.created_at as "createdAt"
from ${fitting('found', ['document_data'], 'created_at desc, id desc')} f order by f.nth`;

/** Nothing is stored for who comes late: `$1` agent, `$2` its key, `$3` document from which on, `$4` and `$5` the last one or null, `$6` and `$7` documents and keys. */
export const store = prepared('key_backfills_store')`
with moved as (
  update key_backfills set created_at = $4, document_id = $5
  where agent_id = $1 and duplicate_key::jsonb = to_jsonb($2::text[]) and document_id = $3 returning agent_id
)
update documents d set later_key = keyed.key from moved, unnest($6::uuid[], $7::text[]) keyed (id, key)
where d.id = keyed.id and keyed.key is distinct from d.duplicate_key and keyed.key is distinct from d.later_key`;
