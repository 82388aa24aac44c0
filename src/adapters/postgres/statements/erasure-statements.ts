import { prepared } from '../connection/database.ts';
import { conversationStates, deliveryStates, documentStates } from '../tables/states.ts';
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
  run: `select from runs r join agents a on a.id = r.agent_id where ${visible('a')} and r.workspace_id = $1 and r.id = $3`,
  thread: `select from conversations c join agents a on a.id = c.agent_id where ${visible('a')} and c.workspace_id = $1 and c.id = $3 and c.removed_at is null`,
} as const;

/** The runs of these documents `$1`, runs `$2` and conversations `$3`. */
export const runsOf = `
select run_id as id from documents where id = any ($1::uuid[]) union select id from runs where id = any ($2::uuid[])
union select run_id from conversations where id = any ($3::uuid[]) and run_id is not null`;

const keysOfUnit = `array(select r.files -> place ->> 'fileKey' from unnest(u.file_indexes) place)`;
const unitColumns = `u.run_id as "runId", u.index, u.document_id as "documentId", u.conversation_id as "conversationId", u.part, ${keysOfUnit} as keys`;

/** The units of runs `$1` that are erased: of documents `$2`, runs `$3` and conversations `$4`. */
export const units = `
select ${unitColumns} from run_units u join runs r on r.id = u.run_id where u.run_id = any ($1::uuid[])
  and (u.document_id = any ($2::uuid[]) or u.run_id = any ($3::uuid[]) or u.conversation_id = any ($4::uuid[]))`;

/** Units of any run that have read one of these files. */
export const unitsOfFiles = `
select ${unitColumns} from run_units u join runs r on r.id = u.run_id
where u.run_id in (select f.run_id from run_files f where f.key = any ($1::text[])) and ${keysOfUnit} && $1::text[]`;

/** Of these runs, how many units each has. */
export const unitCounts = `
select r.id, count(u.run_id)::int as units from runs r left join run_units u on u.run_id = r.id where r.id = any ($1::uuid[]) group by r.id`;

/** Locked in one order: nobody starts, posts, holds or continues any of it meanwhile. */
export const lockRuns = `
select id, completed_at is null as busy from runs where id = any ($1::uuid[]) order by id for update`;
export const lockDocuments = `
select id, held_at is not null as held, status ${documentStates.before('accept')} as busy, external_reference is not null or attempted_revision is not null as posted
from documents where id = any ($1::uuid[]) order by id for update`;
export const lockConversations = `
select id, not (status ${conversationStates.before('begin')}) and (lease_expires_at is null or lease_expires_at > clock_timestamp()) as busy
from conversations where id = any ($1::uuid[]) order by id for update`;

export const documentsOfRuns =
  'select id, conversation_id as "conversationId" from documents where run_id = any ($1::uuid[])';
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
update run_units set document_id = null, conversation_id = null, error = null, error_code = null where run_id = $1 and index = $2`;

/** What a routing agent found in the part that the unit has read. */
export const emptyPart = `
update run_parts set name = 'erased', evidence = '[]', confidence = null where unit_run_id = $1 and unit_index = $2`;

/** Conversations of runs that stay, of which no unit is: they have read all of it. */
export const runConversations = `
select c.id from conversations c where c.run_id = any ($1::uuid[]) and not exists (
  select from run_units u where u.run_id = c.run_id and u.conversation_id = c.id)`;

/** Where a file of a run that stays came from. */
export const emptySources = `
with runs_of as (update runs set source = null where id = any ($1::uuid[]) and source is not null returning id)
update source_items i set ref = 'erased ' || place, key = '', name = 'erased', unsettled = false from runs_of r where i.run_id = r.id`;

export const partRuns = 'select id, part_of as "partOf" from runs where part_of = any ($1::uuid[])';

/** A run that stays forgets what its files `$2` were called, and its reason to fail, which may name them. */
export const emptyRuns = `
update runs r set error = null, status_reason = null, files = (
  select json_agg(case when f.file ->> 'fileKey' = any ($2::text[])
    then json_build_object('fileKey', f.file -> 'fileKey', 'fileName', 'erased', 'contentType', f.file -> 'contentType') else f.file end order by f.place)
  from json_array_elements(r.files) with ordinality f (file, place))
where r.id = any ($1::uuid[]) and json_array_length(r.files) > 0`;

export const forgetRunFiles = 'delete from run_files where key = any ($1::text[])';

/** Who moves a webhook on in the log has its row: no delivery of an event is made that is being removed. */
export const lockWebhooks = 'select from webhooks where workspace_id = $1 order by id for update';

/** Partitions one by one: no statement that changes rows reads the log as a whole (docs/decisions/the-event-log.md). */
export const partitions = `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`;

/** The field of an event that says why a run failed. */
const REASON = 'error';

/** What tells of it: `$2` runs, `$3` documents, `$4` conversations, and of runs that stay (`$5`), their units `$6` and their failures. */
const tells = (row: string, type: string) => `(
  ${row}.run_id = any ($2::uuid[]) or ${row}.document_id = any ($3::uuid[])
  or ${row}.${type} like 'approval.%' and ${row}.data ->> 'conversationId' = any ($4::uuid[]::text[])
  or exists (select from unnest($5::uuid[], $6::int[]) as kept (run_id, index) where kept.run_id = ${row}.run_id and (
    ${row}.data ->> 'unit' = kept.index::text or ${row}.${type} like 'run.%' and ${row}.data ->> '${REASON}' is not null)))`;

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
update idempotent_requests set answer = null, lease_expires_at = now() where lease_id = any ($1::uuid[])`;
