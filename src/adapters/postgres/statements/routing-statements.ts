import { prepared } from '../connection/database.ts';
import { jsonOf } from '../tables/columns.ts';
import { RunUnitTable } from '../tables/entities.ts';
import { conversationStates, documentStates, runStates } from '../tables/states.ts';
import { documentData } from './event-data.ts';
import { presentTurn } from './run-creation-statements.ts';
import { leased } from './run-work-statements.ts';

/** The columns of parts, as they come in JSON. `unit`: the place of the unit that reads the part, counted from the first one of these. */
const part =
  'index int, name text, file_name text, pages int[], evidence json, confidence float8, file_index int, unit int, agent_id uuid, agent_version int';
const sheet = 'file_name text, file_index int, place int, pages int, blank int[]';

const unitPart = `json_build_object('fileName', p.file_name, 'pages', p.pages)`;

/** Ends the unit `$3`, which has divided files: what came of it, and the units that read its parts, are stored together. */
export const divide = prepared('queue_divide')`
with ${leased}, unit as (
  update run_units u set status = ${runStates.after('complete')} from leased
  where u.run_id = leased.id and u.index = $3 and ${runStates.leads('u.status', runStates.after('complete'))}
  returning u.run_id, u.conversation_id
), conversation as (
  update conversations c set status = ${conversationStates.after('end')}, updated_at = clock_timestamp() from unit
  where c.id = unit.conversation_id and c.status ${conversationStates.before('end')}
), base as (
  select unit.run_id, (select count(*) from run_parts p where p.run_id = unit.run_id) as parts,
    (select max(u.index) + 1 from run_units u where u.run_id = unit.run_id) as units from unit
), part as materialized (select * from json_to_recordset($5::json) as p (${part})
), sheets as (
  insert into run_sheets (run_id, file_name, file_index, place, pages, blank)
  select base.run_id, s.file_name, s.file_index, s.place, s.pages, s.blank from base, json_to_recordset($4::json) as s (${sheet})
), units as (
  insert into run_units (run_id, index, file_indexes, status, agent_id, agent_version, part)
  select base.run_id, base.units + p.unit, array[p.file_index], ${runStates.initial}, p.agent_id, p.agent_version, ${unitPart}
  from base, part p where p.unit is not null
), parts as (
  insert into run_parts (run_id, index, name, file_name, pages, evidence, confidence, unit_run_id, unit_index)
  select base.run_id, base.parts + p.index, p.name, p.file_name, p.pages, p.evidence, p.confidence,
    case when p.unit is not null then base.run_id end, base.units + p.unit
  from base, part p
), logged as (
  insert into events (workspace_id, agent_id, run_id, type, data)
  select leased.workspace_id, leased.agent_id, leased.id, s.step ->> 'type', s.step -> 'data'
  from leased, unit, json_array_elements($6::json) with ordinality as s (step, number) order by s.number
)
select pg_notify('portico_runs', leased.id || ' ' || ${runStates.after('start')} || ' ' || leased.workspace_id) from leased`;

const sheets = (run: string) => `
  (select json_agg(json_build_object('fileName', s.file_name, 'fileIndex', s.file_index, 'pages', s.pages, 'blank', s.blank) order by s.file_index, s.place)
    from run_sheets s where s.run_id = ${run})`;

/** What is left to do of a leased run once its files are divided, and the parts of the run that has them. */
export const routed = prepared('queue_routed')`
select (select json_agg(${jsonOf(RunUnitTable, 'u', ['runId'])} order by u.index) from run_units u where u.run_id = r.id and u.part is not null) as units,
  ${sheets('coalesce(r.part_of, r.id)')} as files,
  (select json_agg(json_build_object('fileName', p.file_name, 'pages', p.pages)) from run_parts p where p.run_id = coalesce(r.part_of, r.id)) as parts,
  (select whole.parts_revision from runs whole where whole.id = coalesce(r.part_of, r.id)) as revision
from runs r where r.id = $1`;

/** Columns of a run `r` that are null unless it divides files. A part whose document the viewer does not see, or is in the trash, has none. */
export const partColumns = (isSeen: string) => `
  case when r.workflow_type = 'document_routing' then ${sheets('r.id')} end as sheets,
  case when r.workflow_type = 'document_routing' then (
    select json_agg(json_build_object('name', p.name, 'fileName', p.file_name, 'pages', p.pages, 'evidence', p.evidence,
      'confidence', p.confidence, 'unitStatus', u.status, 'documentId', d.id) order by s.file_index, s.place, p.index)
    from run_parts p join run_sheets s on s.run_id = p.run_id and s.file_name = p.file_name
      left join run_units u on u.run_id = p.unit_run_id and u.index = p.unit_index
      left join documents d on d.id = u.document_id and d.status <> ${documentStates.after('trash')} and ${isSeen}
    where p.run_id = r.id) end as "storedParts",
  r.parts_revision as "partsRevision"`;

/** The runs that have units of a run `r`: itself, and those that read its parts again. */
export const runsOfUnits = `any (case when r.workflow_type = 'document_routing'
    then array(select r.id union all select c.id from runs c where c.part_of = r.id) else array[r.id] end)`;

/** Whether a unit `u` of a run `r` does not read a part that is no longer there. */
export const isOfPart = `(u.part is null or r.workflow_type <> 'document_routing' or exists (
    select from run_parts p where p.run_id = r.id and p.unit_run_id = u.run_id and p.unit_index = u.index))`;

export const lockParts = `
select r.workspace_id as "workspaceId", r.parts_revision as revision from runs r where r.id = $1 for no key update`;

/** With the documents that were made of them, in the trash too. */
export const storedParts = `
select p.index, p.name, p.file_name as "fileName", p.pages, p.evidence, p.confidence, p.unit_run_id as "unitRunId", p.unit_index as "unitIndex",
  u.document_id as "documentId"
from run_parts p left join run_units u on u.run_id = p.unit_run_id and u.index = p.unit_index where p.run_id = $1 order by p.index`;

/** Those that cannot go to the trash for a part that has changed: they are written to the system of record, or may be. */
export const lockProcessed = `
select d.id from (
  select d.id, d.status, d.attempted_revision from documents d where d.id = any ($1::uuid[]) order by d.id for no key update
) d where d.status in (${documentStates.after('process')}, ${documentStates.after('accept')}) or d.attempted_revision is not null`;

export const trash = `
with trashed as (
  update documents d set status = ${documentStates.after('trash')}, trashed_from = d.status, fence = d.fence + 1, post_at = null, updated_at = clock_timestamp()
  where d.id = any ($1::uuid[]) and d.status <> ${documentStates.after('trash')}
  returning d.id, d.workspace_id, d.agent_id, d.run_id, d.revision, 'document.' || d.status as type, ${documentData('d')} as data
), logged as (
  insert into events (workspace_id, agent_id, run_id, document_id, type, data) select workspace_id, agent_id, run_id, id, type, data from trashed
)
select id, workspace_id as "workspaceId", revision from trashed`;

/** Nobody decides on them meanwhile. */
export const lockKept = `
select d.id, d.status, d.trashed_from as "trashedFrom", d.revision, d.reopened, d.coverage, d.review_status as "reviewStatus",
  d.review_reasons as "reviewReasons", d.attempted_revision as "attemptedRevision", d.automatic, d.posted_by as "postedBy", d.post_at as "postAt",
  d.post_failures as "postFailures", d.post_failing_since as "postFailingSince", d.post_error as "postError", d.updated_at as "updatedAt",
  v.review ->> 'when' as "when", date_trunc('milliseconds', clock_timestamp()) as now
from documents d join runs r on r.id = d.run_id
  join agent_versions v on v.agent_id = d.agent_id and v.version = coalesce(d.agent_version, r.agent_version)
where d.id = any ($1::uuid[]) order by d.id for no key update of d`;

export const storeDoubts = `
update documents d set coverage = c.coverage, review_status = c."reviewStatus", review_reasons = c."reviewReasons", post_at = c."postAt",
  post_failures = c."postFailures", post_failing_since = c."postFailingSince", post_error = c."postError", updated_at = c."updatedAt"
from json_to_recordset($1::json) as c (id uuid, coverage json, "reviewStatus" text, "reviewReasons" json, "postAt" timestamptz, "postFailures" int,
  "postFailingSince" timestamptz, "postError" text, "updatedAt" timestamptz)
where d.id = c.id`;

/** The events `$2` of the documents `$1`, in this order. */
export const logDoubts = `
insert into events (workspace_id, agent_id, run_id, document_id, type, data)
select d.workspace_id, d.agent_id, d.run_id, d.id, happened.type, ${documentData('d')}
from unnest($1::uuid[], $2::text[]) with ordinality as happened (id, type, number) join documents d on d.id = happened.id order by happened.number`;

/** Units that nobody has begun: their parts are gone. */
export const cancelUnits = `
update run_units u set status = ${runStates.after('cancel')}
from unnest($1::uuid[], $2::int[]) as gone (run_id, index)
where u.run_id = gone.run_id and u.index = gone.index and u.status = ${runStates.initial}`;

export const clearParts = 'delete from run_parts where run_id = $1';

export const numberParts = 'update runs set parts_revision = parts_revision + 1 where id = $1';

export const insertParts = `
insert into run_parts (run_id, index, name, file_name, pages, evidence, confidence, unit_run_id, unit_index)
select $1, p.index, p.name, p.file_name, p.pages, p.evidence, p.confidence, p.unit_run_id, p.unit_index
from json_to_recordset($2::json) as p (${part}, unit_run_id uuid, unit_index int)`;

/** A run that reads parts of the run `$1` again, in the name of the user `$3`, who waits for it: in the present turn. What no person wrote stays so. */
export const insertReading = `
with run as (
  insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, user_message, files, trace_id, trial,
    part_of, turn, deadline_at)
  select $2, r.workspace_id, r.agent_id, r.agent_version, $3, case r.origin when 'api' then 'tool' else r.origin end, r.workflow_type,
    ${runStates.initial}, r.process_together, r.user_message, r.files, r.trace_id, r.trial, r.id, ${presentTurn('r.workspace_id', '0')}, now() + make_interval(secs => $4)
  from runs r where r.id = $1 returning id, workspace_id
)
insert into run_units (run_id, index, file_indexes, status, agent_id, agent_version, part)
select run.id, p.unit, array[p.file_index], ${runStates.initial}, p.agent_id, p.agent_version, ${unitPart}
from run, json_to_recordset($5::json) as p (${part}) where p.unit is not null`;

/** What a document was read from: the unit that read it is of its run, or of one that read parts of it again. */
export const findSource = prepared('runs_find_source')`
select r.files, u.file_indexes as "fileIndexes", u.part, (
  select p.name from run_parts p where p.run_id = r.id and p.unit_run_id = u.run_id and p.unit_index = u.index) as "partName"
from documents d join runs r on r.id = d.run_id join run_units u on u.run_id = ${runsOfUnits} and u.document_id = d.id
where d.id = $1`;
