import { prepared } from '../connection/database.ts';
import { approvalStates, conversationStates, documentStates, reviewStates, runStates } from '../tables/states.ts';
import { joinVersion } from './agent-statements.ts';
import { systemActs } from './audit-statements.ts';
import { isLimited, unreserved } from './budget-statements.ts';
import { mayBeReplaced } from './document-columns.ts';
import { approvalData, documentData, runData } from './event-data.ts';
import { insertMessages, messageColumns } from './message-statements.ts';
import { ofWork, withCost } from './usage-statements.ts';

/** The code of why a unit as a whole is tried again. */
const INTERRUPTED = 'interrupted';
const triedAgainAfter = `case when not exists (select from fresh) then '${INTERRUPTED}' end`;

/** The data of a step as `stepsOf` has it, without figures. */
const stepData = (name: string, error: string) =>
  `(select row_to_json(s) from (select u.index as unit, ${name} as name, null as "durationMs", null as usage, ${error} as error) s)`;

/** What becomes of a document that could not be read: one that was to take the place of another goes to the trash, and that one stays. */
const statusAfterFailing = `case when d.reread_of is null or d.held_at is not null then ${documentStates.after('fail')} else ${documentStates.after('trash')} end`;
const trashedAfterFailing = `case when d.reread_of is not null and d.held_at is null then ${documentStates.after('fail')} end`;

/**
 * The part of a statement that ends what is unfinished in the runs of its `ended (id, part_of, workspace_id, agent_id, status, reason, code, data)`,
 * and logs all of it. Units get the status of their run, and documents under extraction the reason as their error. Conversations become
 * idle, and approvals are cancelled.
 */
export const endUnfinished = `
units_ended as (
  update run_units u set status = e.status, error = e.reason, error_code = e.code from ended e
  where u.run_id = e.id and ${runStates.leads('u.status', 'e.status')} returning u.index, u.status, u.conversation_id, u.document_id, e.id as run_id, e.reason, e.code
), documents_ended as (
  update documents d set status = ${statusAfterFailing}, trashed_from = ${trashedAfterFailing}, error = u.reason, updated_at = clock_timestamp()
  from units_ended u
  where d.id = u.document_id and (d.status ${documentStates.before('fail')}) is true
  returning d.id, d.agent_id, u.run_id, d.run_id as own_run_id, 'document.' || d.status as type, ${documentData('d')} as data
), conversations_ended as (
  update conversations c set status = ${conversationStates.after('end')}, updated_at = clock_timestamp() from units_ended u
  where c.id = u.conversation_id and c.status ${conversationStates.before('end')}
), approvals_ended as (
  update approvals p set status = ${approvalStates.after('cancel')}, decided_at = clock_timestamp() from ended e
  where p.run_id = e.id and p.status ${approvalStates.before('cancel')}
  returning p.id, p.run_id, p.agent_id, ${approvalData} as data
), logged as (
  insert into events (workspace_id, agent_id, run_id, document_id, type, data)
  select e.workspace_id, coalesce(happened.agent_id, e.agent_id), coalesce(happened.own_run_id, e.part_of, e.id), happened.document_id, happened.type, happened.data
  from ended e join (
    select 1 as part, u.index, u.run_id, null::uuid as agent_id, null::uuid as own_run_id, null::uuid as document_id, 'unit.failed' as type, ${stepData('null', 'u.code')} as data
    from units_ended u where u.status = ${runStates.after('fail')}
    union all select 2, 0, e.id, null, null, null, 'run.' || e.status, e.data from ended e where e.part_of is null
    union all select 3, 0, d.run_id, d.agent_id, d.own_run_id, d.id, d.type, d.data from documents_ended d
    union all select 0, 0, p.run_id, p.agent_id, null, null, 'approval.decided', p.data from approvals_ended p
  ) happened on happened.run_id = e.id order by happened.part, happened.index, e.id, happened.document_id
)`;

/**
 * Whether attempt `$2` still leases run `$1`: the statement locks the run, so that no other worker leases it meanwhile. A statement that waits for
 * that lock reads the run anew, and not its lease: so a run that was handed back has no worker. The status is asked in a form for which the
 * planner may use no index: that of running runs is small, and it would read all of it.
 */
const isLeased = `r.id = $1 and r.attempt = $2 and (r.status = ${runStates.after('start')}) is true and r.worker is not null
    and exists (select from run_leases l where l.run_id = $1 and l.attempt = $2 and l.expires_at > clock_timestamp())`;
const endLease = (of: string) => `delete from run_leases l using ${of} where l.run_id = ${of}.id`;
export const leased = `leased as (select r.* from runs r where ${isLeased} for no key update)`;

/** Whose work a leased run is, with the version `v` of the agent that does it. */
const workOfVersion = 'leased.workspace_id, v.agent_id, v.version, leased.user_id, v.model';
/** Who does a unit `u`: the agent of its part, if it has one. */
const joinDoer = `join agent_versions v on v.agent_id = coalesce(u.agent_id, leased.agent_id) and v.version = coalesce(u.agent_version, leased.agent_version)`;
const unitAt = 'join run_units u on u.run_id = leased.id and u.index = $3';
/** Parts that are read again belong to the run that has them. */
const ownRun = 'coalesce(leased.part_of, leased.id)';

export const release = prepared('queue_release')`
with released as (
  update runs r set lease_expires_at = now() - interval '1 millisecond', handed_back = handed_back + 1, worker = null where ${isLeased}
  returning r.id
), lease as (${endLease('released')})
select id from released`;

/**
 * Leaves a run that can only wait: until one of the approvals `$3` is decided, no worker leases it. It is handed back at once where one of
 * them is decided already.
 */
export const park = prepared('queue_park')`
with parked as (
  update runs r set handed_back = handed_back + 1, worker = null,
    parked_at = case when r.waiting_for @> $3::uuid[] then clock_timestamp() end,
    lease_expires_at = case when r.waiting_for @> $3::uuid[] then null else now() - interval '1 millisecond' end
  where ${isLeased}
  returning r.id, r.workspace_id, r.parked_at
), lease as (${endLease('parked')})
select case when p.parked_at is null then pg_notify('portico_runs', p.id || ' queued ' || p.workspace_id) end from parked p`;

export const beginUnit = prepared('queue_begin_unit')`
with ${leased}, fresh as (
  update run_units u set status = ${runStates.after('start')}, conversation_id = $4, document_id = case when $6::text is not null then $5::uuid end
  from leased where u.run_id = leased.id and u.index = $3 and u.conversation_id is null and u.status ${runStates.before('start')}
  returning u.conversation_id, u.document_id, coalesce(u.agent_id, leased.agent_id) as agent_id, u.agent_version
), conversation as (
  insert into conversations (id, workspace_id, agent_id, agent_version, run_id, user_id, status)
  select $4, leased.workspace_id, fresh.agent_id, fresh.agent_version, leased.id, leased.user_id, ${conversationStates.after('begin')} from leased, fresh
), document as (
  insert into documents (id, workspace_id, run_id, agent_id, agent_version, conversation_id, name, status, reread_of)
  select $5, leased.workspace_id, ${ownRun}, fresh.agent_id, fresh.agent_version, $4, $6, ${documentStates.initial}, leased.reread_of
  from leased, fresh where $6 is not null
), resumed as (
  update conversations c set status = ${conversationStates.after('begin')}, updated_at = clock_timestamp() from leased, run_units u
  where u.run_id = leased.id and u.index = $3 and u.status = ${runStates.after('start')}
    and c.id = u.conversation_id and c.status ${conversationStates.before('begin')}
), used as (
  insert into usage_entries (${ofWork}, runs)
  select ${workOfVersion}, 1 from leased ${joinVersion('leased')}, fresh where $3 = 0 and leased.part_of is null
), steps as (
  insert into events (workspace_id, agent_id, run_id, type, data)
  select leased.workspace_id, leased.agent_id, ${ownRun},
    case when exists (select from fresh) then 'unit.started' else 'unit.retried' end,
    ${stepData(triedAgainAfter, 'null')}
  from leased join run_units u on u.run_id = leased.id and u.index = $3
)
select leased.workspace_id as "workspaceId", u.index is not null as known, exists (select from fresh) as fresh,
  case when exists (select from fresh) then $4 else u.conversation_id end as "conversationId",
  case when exists (select from fresh) then (select document_id from fresh) else u.document_id end as "documentId",
  ${isLimited('doer')} as "isLimited"
from leased left join run_units u on u.run_id = leased.id and u.index = $3
  cross join lateral (select leased.workspace_id, coalesce(u.agent_id, leased.agent_id) as agent_id) doer`;

export const messages = prepared('queue_messages')`
select ${messageColumns} from messages m where m.conversation_id = $1 order by m.seq`;

/** Records calls that are about to be made, until their result is stored. */
export const intend = prepared('queue_intend')`
with ${leased}, conversation as (
  update conversations c set begun = c.begun || $4::text[] from leased where c.id = $3 and c.run_id = leased.id returning c.id
)
select exists (select from conversation) as known from leased`;

const STEP_COST = 'cost_of_tokens(w.prices, v.model, $4, $5)';

export const append = prepared('queue_append')`
with leased as (
  update runs r set input_tokens = r.input_tokens + $4, output_tokens = r.output_tokens + $5, cost = ${withCost('r.cost', STEP_COST)}
  from conversations c, agent_versions v, workspaces w
  where ${isLeased} and c.id = $3 and v.agent_id = c.agent_id and v.version = coalesce(c.agent_version, r.agent_version) and w.id = r.workspace_id
  returning r.id, r.part_of, r.workspace_id, r.agent_id, v.agent_id as done_by, v.version, r.user_id, v.model, ${STEP_COST} as cost
), used as (
  insert into usage_entries (${ofWork}, input_tokens, output_tokens, cost)
  select workspace_id, done_by, version, user_id, model, $4, $5, cost from leased where $4::bigint + $5::bigint > 0
), free as (
  ${unreserved('$3')} and exists (select from leased)
), conversation as (
  update conversations c set updated_at = clock_timestamp() from leased where c.id = $3 and c.run_id = leased.id returning c.id
), stored as (
  ${insertMessages('conversation', 7)}
), logged as (
  insert into events (workspace_id, agent_id, run_id, type, data)
  select leased.workspace_id, leased.agent_id, ${ownRun}, s.step ->> 'type', s.step -> 'data'
  from leased, json_array_elements($6::json) with ordinality as s (step, number) order by s.number
)
select exists (select from conversation) as known, leased.workspace_id as "workspaceId", ${isLimited('doer')} as "isLimited"
from leased cross join lateral (select leased.workspace_id, leased.done_by as agent_id) doer`;

/** `$3` conversation, then what the step uses at most. It takes no lock of the run: what is reserved under a lease that is lost meanwhile counts as spent. */
export const reserve = prepared('queue_reserve_step')`
with leased as materialized (
  select r.id, r.workspace_id, v.agent_id, ${STEP_COST} as step, cost_of_pages(w.prices, $6) as pages
  from runs r join conversations c on c.id = $3 join agent_versions v on v.agent_id = c.agent_id and v.version = coalesce(c.agent_version, r.agent_version)
    join workspaces w on w.id = r.workspace_id where ${isLeased}
)
select reserved.outcome, reserved.budget
from leased l cross join lateral reserve_step(l.workspace_id, l.agent_id, l.id, $3, $2, ${withCost('l.step', 'l.pages')}) reserved`;

/**
 * Clients that watch the run are notified: it is still running, and one more unit has ended. What is extracted is the first revision. The run whose
 * parts `$21` is about is locked before anything of the unit, as by who changes them: so one of the two waits.
 */
export const finishUnit = prepared('queue_finish_unit')`
with ${leased}, divided as materialized (
  select p.parts_revision as revision from runs p, leased where $21::int is not null and p.id = ${ownRun} for share of p
), unit as (
  update run_units u set status = $4, error = $5, error_code = $6 from leased
  where u.run_id = leased.id and u.index = $3 and ${runStates.leads('u.status', '$4')} and (select revision from divided) is not distinct from $21
  returning u.conversation_id, u.document_id
), document as (
  update documents d set document_data = $7::json,
    status = case when $7::json is null then ${statusAfterFailing} else ${documentStates.after('extract')} end,
    trashed_from = case when $7::json is null then ${trashedAfterFailing} end,
    revision = case when $7::json is null then d.revision else 1 end,
    evidence = coalesce($8::json, d.evidence), coverage = $10::json, contradictions = coalesce($11::json, d.contradictions),
    checks = coalesce($12::json, d.checks), review_reasons = coalesce($13::json, d.review_reasons),
    review_status = case when ${reviewStates.leads('d.review_status', '$14')} then $14 else d.review_status end, duplicate_key = $15, einvoice = $17::json,
    automatic = v.process = 'automatic' and not leased.trial,
    post_at = case when v.process = 'automatic' and not leased.trial and $7::json is not null and $14 = ${reviewStates.initial} then clock_timestamp() end,
    updated_at = clock_timestamp(),
    error = case when $7::json is null then coalesce($5, 'Nothing was extracted.') end
  from unit, leased ${unitAt} ${joinDoer}
  where d.id = unit.document_id and (d.status ${documentStates.before('extract', 'fail')}) is true
  returning d.id, d.agent_id, d.status, d.reread_of, ${documentData('d')} as data
), replaced as (
  update documents o set status = ${documentStates.after('trash')}, trashed_from = o.status, fence = o.fence + 1, post_at = null, updated_at = clock_timestamp()
  from document d where o.id = d.reread_of and $7::json is not null and ${mayBeReplaced('o')}
  returning o.id, o.workspace_id, o.agent_id, o.run_id, o.status, ${documentData('o')} as data
), revision as (
  insert into document_revisions (document_id, revision) select d.id, 1 from document d where $7::json is not null
), used as (
  insert into usage_entries (${ofWork}, documents, pages, pages_ocr, cost)
  select ${workOfVersion}, 1, $19, $20, cost_of_pages(w.prices, $20)
  from leased ${unitAt} ${joinDoer} join workspaces w on w.id = leased.workspace_id, document where $7::json is not null
  returning cost
), spent as (
  update runs r set cost = ${withCost('r.cost', 'used.cost')} from leased, used where r.id = leased.id and used.cost is not null
), files as (
  insert into document_files (document_id, agent_id, sha256) select d.id, d.agent_id, unnest($16::text[]) from document d on conflict do nothing
), conversation as (
  update conversations c set status = ${conversationStates.after('end')}, updated_at = clock_timestamp() from unit
  where c.id = unit.conversation_id and c.status ${conversationStates.before('end')}
), logged as (
  insert into events (workspace_id, agent_id, run_id, document_id, type, data)
  select leased.workspace_id, coalesce(happened.agent_id, leased.agent_id), ${ownRun}, happened.document_id, happened.type, happened.data
  from leased, unit, (
    select 1 as part, s.number, null::uuid as agent_id, null::uuid as document_id, s.step ->> 'type' as type, s.step -> 'data' as data
    from json_array_elements($9::json) with ordinality as s (step, number)
    union all select 2, e.number, d.agent_id, d.id, case d.status when ${documentStates.after('trash')} then 'document.' || d.status else e.type end, d.data
    from document d, unnest($18::text[]) with ordinality as e (type, number)
  ) happened order by happened.part, happened.number
), logged_replaced as (
  insert into events (workspace_id, agent_id, run_id, document_id, type, data)
  select workspace_id, agent_id, run_id, id, 'document.' || status, data from replaced
), acted as (${systemActs('replaced', 'document.trashed', `json_build_object('reason', 'read_again')`)})
select (select revision from divided) is not distinct from $21 as known,
  pg_notify('portico_runs', ${ownRun} || ' ' || ${runStates.after('start')} || ' ' || leased.workspace_id) from leased`;

export const finish = prepared('queue_finish')`
with ended as (
  update runs r set status = $3, status_reason = $4::json, error = $5, lease_expires_at = null, waiting_for = null, completed_at = clock_timestamp()
  where ${isLeased}
  returning r.id, r.part_of, r.workspace_id, r.agent_id, r.status, $5::text as reason, $6::text as code, ${runData('r')} as data
), ${endUnfinished}
select true as known from ended`;

/** Notifies those who follow a run of its steps, after their commit, as run-creation.ts does of new runs. */
export const announce = prepared('queue_announce_steps')`
select set_config('synchronous_commit', 'off', true), pg_notify('portico_steps', run || ' ' || workspace)
from unnest($1::text[], $2::text[]) as step (run, workspace)`;
