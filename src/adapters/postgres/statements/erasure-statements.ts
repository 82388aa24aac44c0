import { prepared } from '../connection/database.ts';
import { conversationStates, deliveryStates, documentStates } from '../tables/states.ts';
import { OVER } from './keyed-request-statements.ts';
import { visible } from './visibility.ts';

const subject = `json_build_object('type', e.subject_type, 'id', e.subject_id) as subject`;
const columns = `e.id, e.workspace_id as "workspaceId", ${subject}, e.reason, e.requested_by as "requestedBy", e.requested_at as "requestedAt",
  e.completed_at as "completedAt", e.stores, e.targets`;

/** A process that works at one has it for so long. */
const LEASE = `now() + interval '1 minute'`;

export const insert = `
insert into erasures as e (id, workspace_id, subject_type, subject_id, reason, requested_by, requested_at, targets, stores, due_at)
values ($1, $2, $3, $4, $5, $6, coalesce($7, date_trunc('milliseconds', clock_timestamp())), $8, $9, ${LEASE}) returning ${columns}`;

export const due = prepared('erasures_due')`
update erasures e set due_at = ${LEASE} where id in (
  select id from erasures where completed_at is null and due_at <= now() order by due_at limit 10 for update skip locked
) returning ${columns}`;

export const lockStores = prepared('erasures_lock_stores')`select stores from erasures where id = $1 for update`;

export const save = prepared('erasures_save')`
update erasures e set stores = $2::json, completed_at = case when $3 then coalesce(e.completed_at, clock_timestamp()) end where id = $1 returning ${columns}`;

export const list = prepared('erasures_list')`
select ${columns} from erasures e where e.workspace_id = $1 and ($2::timestamptz is null or (e.requested_at, e.id) < ($2::timestamptz, $3::uuid))
order by e.requested_at desc, e.id desc limit $4`;

export const missing = prepared('erasures_missing')`
select id from unnest($1::uuid[]) id where id not in (select e.id from erasures e) order by id`;

/** Whether the viewer (`$1` workspace, `$2` user) sees it. */
export const sees = {
  document: `select from documents d join agents a on a.id = d.agent_id where ${visible('a')} and d.workspace_id = $1 and d.id = $3`,
  run: `select from runs r join agents a on a.id = r.agent_id where ${visible('a')} and r.workspace_id = $1 and r.id = $3 and r.part_of is null`,
  thread: `select from conversations c join agents a on a.id = c.agent_id where ${visible('a')} and c.workspace_id = $1 and c.id = $3 and c.removed_at is null`,
} as const;

/** A run that reads parts of another one again belongs to that one: what is of either is of the run that people see. */
const ownRun = `coalesce(r.part_of, r.id)`;

/** The runs of these documents `$1`, runs `$2` and conversations `$3`. */
export const runsOf = `
select distinct ${ownRun} as id from runs r where r.id in (
  select run_id from documents where id = any ($1::uuid[]) union select unnest($2::uuid[])
  union select run_id from conversations where id = any ($3::uuid[]))`;

const keysOfUnit = `array(select r.files -> place ->> 'fileKey' from unnest(u.file_indexes) place)`;
const unitColumns = `${ownRun} as "ownRunId", u.run_id as "runId", u.index, u.document_id as "documentId", u.conversation_id as "conversationId",
  u.part, ${keysOfUnit} as keys`;

/** The units of runs `$1` that are erased: of documents `$2`, runs `$3` and conversations `$4`. */
export const units = `
select ${unitColumns} from run_units u join runs r on r.id = u.run_id where (r.id = any ($1::uuid[]) or r.part_of = any ($1::uuid[]))
  and (u.document_id = any ($2::uuid[]) or ${ownRun} = any ($3::uuid[]) or u.conversation_id = any ($4::uuid[]))`;

/** Units of any run that have read one of these files. */
const ofFiles = `from run_units u join runs r on r.id = u.run_id
where u.run_id in (select f.run_id from run_files f where f.key = any ($1::text[])) and ${keysOfUnit} && $1::text[]`;
export const unitsOfFiles = `select ${unitColumns} ${ofFiles}`;
/** Every document that was read from one of these files, whichever part. */
export const documentsOfFiles = `select u.document_id as id ${ofFiles} and u.document_id is not null`;

/** Of these runs, how many units each has that were not erased before. */
export const unitCounts = `
select ${ownRun} as id, count(u.run_id) filter (where u.file_indexes <> '{}' or u.conversation_id is not null)::int as units
from runs r left join run_units u on u.run_id = r.id where r.id = any ($1::uuid[]) or r.part_of = any ($1::uuid[]) group by 1`;

/** All runs that belong to the same ones as these. */
export const relatedRuns = `
with own as (select distinct ${ownRun} as id from runs r where r.id = any ($1::uuid[]))
select id from own union all select p.id from runs p join own on p.part_of = own.id`;

/** No run takes these files meanwhile. */
export const lockFiles = 'select from uploads where key = any ($1::text[]) order by key for update';

/** Locked in one order: nobody starts, posts, holds or continues any of it meanwhile. */
export const lockRuns = `
select id, completed_at is null as busy from runs where id = any ($1::uuid[]) order by id for update`;
export const lockDocuments = `
select id, held_at is not null as held, status ${documentStates.before('accept')} as busy, external_reference is not null or attempted_revision is not null as posted
from documents where id = any ($1::uuid[]) order by id for update`;
export const lockConversations = `
select id, not (status ${conversationStates.before('begin')}) and (lease_expires_at is null or lease_expires_at > clock_timestamp()) as busy
from conversations where id = any ($1::uuid[]) order by id for update`;

export const documentsOfRuns = 'select id from documents where run_id = any ($1::uuid[])';
export const documentConversations = 'select conversation_id as id from documents where id = any ($1::uuid[])';
export const snapshotKeys = `
select 'snapshots/' || workspace_id || '/' || conversation_id || '/' || id as key from sandbox_snapshots where conversation_id = any ($1::uuid[])`;

/** How many rows are about to be removed. */
export const count = `
select (select count(*) from documents where id = any ($1::uuid[])) + (select count(*) from document_revisions where document_id = any ($1::uuid[]))
  + (select count(*) from runs where id = any ($2::uuid[])) + (select count(*) from conversations where id = any ($3::uuid[]))
  + (select count(*) from messages where conversation_id = any ($3::uuid[])) + (select count(*) from approvals where conversation_id = any ($3::uuid[])) as rows`;

export const countAudit = `
select (select count(*) from audit_entries where workspace_id = $1 and subject_id = any ($2::uuid[]))
  + (select count(*) from audit_acts where workspace_id = $1 and subject_id = any ($2::uuid[])) as kept`;

export const removeDocuments = 'delete from documents where id = any ($1::uuid[])';

/** A unit of a run that stays is a number without words. */
export const emptyUnit = `
update run_units set file_indexes = '{}', part = null, document_id = null, conversation_id = null, error = null, error_code = null
where run_id = $1 and index = $2`;

/** What a routing agent found in the part that the unit has read. */
export const emptyPart = `
update run_parts set name = 'erased', evidence = '[]', confidence = null where unit_run_id = $1 and unit_index = $2`;

/** Conversations of runs that stay, of which no unit is: they have read all of it. */
export const runConversations = `
select c.id from conversations c where c.run_id = any ($1::uuid[]) and not exists (
  select from run_units u where u.run_id = c.run_id and u.conversation_id = c.id)`;

/** Units of the run `r`, or of one that belongs to the same, that read its file at this place and are not erased. */
const readersOf = (place: string) => `
  select from run_units u where ${place} = any (u.file_indexes) and u.run_id = any (array(
    select ${ownRun} union all select p.id from runs p where p.part_of = ${ownRun}))`;

/** Of runs `$1` that stay: removes why they failed, which may name files, and the names of their files `$2` that no unit reads any more. */
export const emptyRuns = `
update runs r set error = null, status_reason = null, files = (
  select json_agg(case when f.file ->> 'fileKey' = any ($2::text[]) and not exists (${readersOf('f.place - 1')})
    then json_build_object('fileKey', f.file -> 'fileKey', 'fileName', 'erased', 'contentType', f.file -> 'contentType') else f.file end order by f.place)
  from json_array_elements(r.files) with ordinality f (file, place))
where r.id = any ($1::uuid[]) and json_array_length(r.files) > 0`;

/** The doubts of a document of a run that stays, of which one may name a file that is forgotten. */
const withoutNames = (doubts: string) => `(
  select coalesce(json_agg(case when doubt ->> 'code' = 'unassigned_pages'
    then (doubt::jsonb || '{"message": "Nobody reads some of the pages: they are in no part."}')::json else doubt end), '[]')
  from json_array_elements(${doubts}) doubt)`;

/** Of runs `$1` that stay: removes from their lists what was attached to a file `$2`, once no unit reads it or anything in it. */
export const forgetSheets = `
with gone as (
  delete from run_sheets s using runs r where r.id = any ($1::uuid[]) and s.run_id = r.id and r.files -> s.file_index ->> 'fileKey' = any ($2::text[])
    and not exists (${readersOf('s.file_index')}
      and (u.part is null or u.part ->> 'fileName' = s.file_name or starts_with(u.part ->> 'fileName', s.file_name || ' › ')))
  returning s.run_id, s.file_name
), parts as (
  delete from run_parts p using gone where p.run_id = gone.run_id and p.file_name = gone.file_name
)
update documents d set review_reasons = ${withoutNames('d.review_reasons')},
  coverage = case when d.coverage is not null then (d.coverage::jsonb || jsonb_build_object('doubts', ${withoutNames(`d.coverage -> 'doubts'`)}))::json end
where d.run_id in (select run_id from gone) and concat(d.review_reasons, d.coverage) like '%"unassigned_pages"%'`;

export const forgetRunFiles = 'delete from run_files where key = any ($1::text[])';

/** Who moves a webhook on in the log has its row: no delivery of an event is made that is being removed. */
export const lockWebhooks = 'select from webhooks where workspace_id = $1 order by id for update';

/** Partitions one by one: no statement that changes rows reads the log as a whole (docs/decisions/the-event-log.md). */
export const partitions = `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`;

/** The field of an event that says why a run failed. */
const REASON = 'error';

/** The runs that people see of units `$2` of runs `$1` that stay: by these the log knows their steps. */
export const loggedUnits = `
select coalesce(r.part_of, kept.run_id) as "runId", kept.index from unnest($1::uuid[], $2::int[]) as kept (run_id, index) left join runs r on r.id = kept.run_id`;

/**
 * What tells of it: `$2` runs, `$3` documents, `$4` conversations, and of runs that stay (`$5`), their units `$6`, their failures, and doubts
 * that may name what was attached to a file.
 */
const tells = (row: string, type: string) => `(
  ${row}.run_id = any ($2::uuid[]) or ${row}.document_id = any ($3::uuid[])
  or ${row}.${type} like 'approval.%' and ${row}.data ->> 'conversationId' = any ($4::uuid[]::text[])
  or exists (select from unnest($5::uuid[], $6::int[]) as kept (run_id, index) where kept.run_id = ${row}.run_id and (
    ${row}.data ->> 'unit' = kept.index::text or ${row}.${type} like 'run.%' and ${row}.data ->> '${REASON}' is not null
    or ${row}.data::text like '%"unassigned_pages"%' and ${row}.data::text like '% › %')))`;

export const removeEvents = (partition: string) =>
  `delete from ${partition} e where e.workspace_id = $1 and ${tells('e', 'type')}`;

export const removeDeliveries = `
delete from webhook_deliveries d using webhooks w where w.id = d.webhook_id and w.workspace_id = $1 and ${tells('d', 'event')} returning d.ended_at is not null and d.status = ${deliveryStates.after('deliver')} as delivered`;

/** Calls that programs made at the tool endpoint, of which one of these texts is in what they were given or what came of them. */
export const removeCalls = `
delete from approvals where workspace_id = $1 and conversation_id is null and run_id is null
  and (arguments::text like any ($2::text[]) or rehearsal::text like any ($2::text[]) or result::text like any ($2::text[]))`;

/** Other conversations that name it, with the first message that does. */
export const readers = `
select m.conversation_id as id, min(m.seq) as first from messages m join conversations c on c.id = m.conversation_id
where c.workspace_id = $1 and (m.content like any ($2::text[]) or m.tool_calls::text like any ($2::text[])) group by 1 order by 1`;

/** From the turn on that this message is part of. */
export const turnOf = `
select seq, created_at as at from messages where conversation_id = $1 and seq >= coalesce(
  (select max(u.seq) from messages u where u.conversation_id = $1 and u.role = 'user' and u.seq <= $2), $2) order by seq limit 1`;
export const removeTurns = 'delete from messages where conversation_id = $1 and seq >= $2';
export const removeAskedSince = 'delete from approvals where conversation_id = $1 and requested_at >= $2';
export const forgetSummary = `
update conversations set summary = null, summary_seq = -1, goes_on_after = null where id = $1 and summary_seq >= $2`;

export const answers = prepared('erasures_answers')`
select lease_id as id, answer from idempotent_requests where answer is not null and ($1::uuid is null or lease_id > $1::uuid) order by lease_id limit 200`;
export const forgetAnswers = prepared('erasures_forget_answers')`
update idempotent_requests set answer = null, lease_expires_at = ${OVER} where lease_id = any ($1::uuid[])`;
