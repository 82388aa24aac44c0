import { TRIAL_MINUTES } from '../../../domain/run.ts';
import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { DocumentTable } from '../tables/entities.ts';
import { documentStates } from '../tables/states.ts';
import { systemActs } from './audit-statements.ts';
import { besideColumns, duplicatesBy, joinRun } from './document-columns.ts';
import { documentData } from './event-data.ts';
import { fitting } from './page-bytes.ts';
import { visible } from './visibility.ts';

/** A document has the version of its run. Its data and evidence are read beside it. */
const shown = `${columnsOf(DocumentTable, 'd', ['documentData', 'evidence'])}, ${besideColumns} from documents d ${joinRun}`;
export const find = prepared('documents_find')`select ${shown} where d.id = $1`;
export const findVisible = prepared('documents_find_visible')`
select ${shown} join agents a on a.id = d.agent_id where ${visible('a')} and d.workspace_id = $1 and d.id = $3`;

/** A read is short up to this size in the database, which compresses text. */
const SHORT_BYTES = 65_536;
const isShort = `coalesce(pg_column_size(d.document_data), 0) + pg_column_size(d.evidence) <= ${SHORT_BYTES}`;

/** Data and evidence of the document `$1` in the revision `$2`, as text: those that are short, and any. */
const contentsAs = (name: string, evidence: string) => {
  const text = `select coalesce(d.document_data::text, 'null') as "documentData", ${evidence} as evidence from documents d where d.id = $1 and d.revision = $2`;
  return {
    short: prepared(`${name}_short`)`${text} and ${isShort}`,
    any: prepared(name)`${text}`,
  };
};
export const contents = contentsAs('documents_contents', 'd.evidence::text');

/** As the API answers them. Only a name has a quotation mark behind a comma: those inside of a text are escaped. */
export const printedContents = contentsAs(
  'documents_print',
  `replace(d.evidence::text, ',"fileName":', ',"file_name":')`,
);

export const names = prepared('documents_names')`
select d.id, d.name from documents d join agents a on a.id = d.agent_id where ${visible('a')} and d.workspace_id = $1 and d.id = any ($3::uuid[])`;

export const now = prepared('documents_now')`select clock_timestamp() as now`;

export const recoverDeliveries = prepared('documents_recover_deliveries')`
with recovered as (
  update documents d set status = ${documentStates.after('postpone')}, lease_expires_at = null, updated_at = clock_timestamp(),
    attempted_revision = coalesce(attempted_revision, revision)
  where status ${documentStates.before('postpone')} and lease_expires_at <= clock_timestamp()
  returning d.id, d.workspace_id, d.agent_id, d.run_id, d.revision, 'document.' || d.status as type, ${documentData('d')} as data
), logged as (
  insert into events (workspace_id, agent_id, run_id, document_id, type, data) select workspace_id, agent_id, run_id, id, type, data from recovered
), acted as (${systemActs('recovered', 'document.processed', `json_build_object('outcome', 'unknown', 'revision', d.revision)`)})
select id from recovered`;

/** A document that is being posted by then stays: a person wants it. */
export const trashTried = prepared('documents_trash_tried')`
with tried as (
  update runs r set trial = false where r.trial and r.created_at < now() - make_interval(mins => ${TRIAL_MINUTES}) and r.completed_at is not null returning r.id
), trashed as (
  update documents d set status = ${documentStates.after('trash')}, trashed_from = d.status, fence = d.fence + 1, post_at = null, updated_at = clock_timestamp()
  from tried where d.run_id = tried.id and d.held_at is null and d.status ${documentStates.before('correct')}
  returning d.id, d.workspace_id, d.agent_id, d.run_id, 'document.' || d.status as type, ${documentData('d')} as data
), logged as (
  insert into events (workspace_id, agent_id, run_id, document_id, type, data) select workspace_id, agent_id, run_id, id, type, data from trashed
)
select id from trashed`;

export const lock = 'select from documents where id = $1 for update';
/** As it is once it is locked, with the time after that, in milliseconds like the tables. */
export const locked = `select date_trunc('milliseconds', clock_timestamp()) as now, ${shown} where d.id = $1`;

export const findDuplicates = prepared('documents_find_duplicates')`
select ${duplicatesBy('$2')} from documents d where d.id = $1`;
export const hasFiles = prepared('documents_has_files')`select 1 from document_files where document_id = $1 limit 1`;

/** Once the document is ready its key is its data's. */
export const claimKeys = prepared('documents_claim_keys')`
with claimed as (
  update documents d set duplicate_key = $2 where d.id = $1 and d.status ${documentStates.before('extract')} returning d.id, d.agent_id
)
insert into document_files (document_id, agent_id, sha256) select c.id, c.agent_id, unnest($3::text[]) from claimed c on conflict do nothing`;

/** The id comes behind the values that are assigned. */
export const write = (assignments: readonly string[]) =>
  `update documents set ${assignments.join(', ')} where id = $${assignments.length + 1}`;

export const insertRevision =
  'insert into document_revisions (document_id, revision, user_id, via, changes, created_at) values ($1, $2, $3, $4, $5, $6)';

/** The events `$2` of the document, in this order. */
export const logEvents = `
insert into events (workspace_id, agent_id, run_id, document_id, type, data)
select d.workspace_id, d.agent_id, d.run_id, d.id, happened.type, ${documentData('d')}
from documents d, unnest($2::text[]) with ordinality as happened (type, number) where d.id = $1 order by happened.number`;

export const revisions = prepared('documents_revisions')`
with found as materialized (
  select * from document_revisions where document_id = $1 and ($2::int is null or revision < $2) order by revision desc limit $3::int + 1
)
select r."inAll", r.revision, r.created_at as "createdAt", r.changes,
  json_build_object('type', case when r.user_id is null then 'agent' else 'user' end, 'name', coalesce(u.name, a.name), 'via', r.via) as by
from ${fitting('found', ['changes'], 'revision desc')} r
  join documents d on d.id = r.document_id join agents a on a.id = d.agent_id left join users u on u.id = r.user_id
order by r.revision desc limit $3`;

export const isWorkOf = prepared('documents_is_work_of')`
select (r.user_id = $2 and r.source is null) or exists (
  select from document_revisions v where v.document_id = d.id and v.user_id = $2 and v.revision > coalesce(d.approved_revision, 0)
) as own from documents d join runs r on r.id = d.run_id where d.id = $1`;

export const currentStatus = prepared('documents_current_status')`select status from documents where id = $1`;
