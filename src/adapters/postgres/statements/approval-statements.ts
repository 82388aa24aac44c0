import type { ApprovalRequest } from '../../../application/ports/queue.ts';
import { RESULT_MINUTES } from '../../../domain/approval.ts';
import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { ApprovalTable } from '../tables/entities.ts';
import { approvalStates, runStates } from '../tables/states.ts';
import { DECISIONS, isLeased as isLeasedTurn } from './conversation-statements.ts';
import { approvalData } from './event-data.ts';
import { fitting } from './page-bytes.ts';
import { leased } from './run-work-statements.ts';
import { visible } from './visibility.ts';

const approvalColumns = `${columnsOf(ApprovalTable, 'p')}, (select a.name from agents a where a.id = p.agent_id) as "agentName"`;

const PENDING = approvalStates.initial;
const APPROVED = approvalStates.after('approve');

export const ofCall = prepared('approvals_of_call')`
select ${approvalColumns} from approvals p where p.conversation_id = $1 and p.tool_call_id = $2`;

interface Call extends Omit<ApprovalRequest, 'id' | 'toolCallId'> {
  readonly toolCallId: string | null;
}

/** The parameters of a call, in the order of `callValues`. */
export const approvalValues = (
  { toolCallId, tool, approver, arguments: args, argumentsDigest, rehearsal }: Call,
  hours: number,
) => [
  toolCallId,
  tool,
  approver,
  JSON.stringify(args),
  argumentsDigest,
  rehearsal && JSON.stringify(rehearsal),
  hours * 3600,
];

const callColumns =
  'tool_call_id, tool, approver, arguments, arguments_digest, rehearsal, expires_at, status, requested_by';

/** The values of these columns: the first seven are parameters, from `first` on. */
const callValues = (first: number, user: string) => {
  const [call, tool, approver, input, digest, rehearsal, seconds] = Array.from(
    { length: 7 },
    (_, n) => `$${first + n}`,
  );
  const by = `(select json_build_object('id', u.id, 'name', u.name, 'email', u.email) from users u where u.id = ${user})`;
  const until = `clock_timestamp() + make_interval(secs => ${seconds})`;
  return `${call}, ${tool}, ${approver}, ${input}::json, ${digest}, ${rehearsal}::json, ${until}, ${PENDING}, ${by}`;
};

/** Keeps the call of a leased run, which waits for its approval from now on. A second request of one call changes nothing. */
export const request = prepared('approvals_request')`
with ${leased}, requested as (
  insert into approvals (id, workspace_id, agent_id, agent_version, run_id, conversation_id, ${callColumns})
  select $3, l.workspace_id, c.agent_id, coalesce(c.agent_version, l.agent_version), l.id, $4, ${callValues(5, 'l.user_id')}
  from leased l join conversations c on c.id = $4 on conflict do nothing returning *
), waiting as (
  update runs r set waiting_for = coalesce(r.waiting_for, '{}') || p.id from requested p where r.id = p.run_id
), logged as (
  insert into events (workspace_id, agent_id, run_id, type, data)
  select p.workspace_id, p.agent_id, p.run_id, 'approval.requested', ${approvalData} from requested p
)
select l.id, pg_notify('portico_runs', l.id || ' ' || l.status || ' ' || l.workspace_id) from leased l`;

/** Keeps the call of a leased turn, with the message that stands for its result. A second request of one call changes nothing. */
export const requestInConversation = prepared('approvals_request_in_conversation')`
with leased as (select c.* from conversations c where ${isLeasedTurn} for no key update), requested as (
  insert into approvals (id, workspace_id, agent_id, agent_version, conversation_id, ${callColumns})
  select $3, l.workspace_id, l.agent_id, $4, l.id, ${callValues(5, '$12::uuid')}
  from leased l on conflict do nothing returning *
), asking as (
  update conversations c set asked_by = $13::json, updated_at = clock_timestamp() from requested p where c.id = p.conversation_id
  returning c.id, p.id as approval, p.tool_call_id
), stored as (
  insert into messages (conversation_id, seq, id, role, content, tool_call_id, created_at, author_id, provenance, waits_for)
  select a.id, (select coalesce(max(seq), 0) + 1 from messages where conversation_id = a.id), $14, 'tool', $15, a.tool_call_id, $16, $12::uuid, $17::json, a.approval
  from asking a
), logged as (
  insert into events (workspace_id, agent_id, type, data)
  select p.workspace_id, p.agent_id, 'approval.requested', ${approvalData} from requested p
)
select l.id, pg_notify('${DECISIONS}', l.workspace_id::text) from leased l`;

/**
 * The rest of a statement that ends the approvals of its `decided`: their runs and the turns of their conversations go on. A run that no worker holds is a run again whose
 * lease is over, and has as much time left as when it was parked.
 */
const goOn = `
resumed as (
  update runs r set waiting_for = nullif(array(
      select w from unnest(r.waiting_for) w where w not in (select d.id from decided d where d.run_id = r.id)), '{}'),
    deadline_at = case when r.parked_at is null then r.deadline_at else r.deadline_at + (clock_timestamp() - r.parked_at) end,
    lease_expires_at = case when r.parked_at is null then r.lease_expires_at else now() - interval '1 millisecond' end,
    parked_at = null
  where r.id in (select d.run_id from decided d) and (r.status = ${runStates.after('start')}) is true
  returning r.id, r.workspace_id
), continued as (
  update conversations c set goes_on_after = c.fence from decided d where d.run_id is null and c.id = d.conversation_id
), logged as (
  insert into events (workspace_id, agent_id, run_id, type, data)
  select p.workspace_id, p.agent_id, p.run_id, 'approval.decided', ${approvalData} from decided p
), notified as (
  select pg_notify('portico_runs', r.id || ' queued ' || r.workspace_id) from resumed r
  union all select pg_notify('${DECISIONS}', p.workspace_id::text) from decided p where p.run_id is null
)`;

/** `$3` to `$6`: the new status, who decides, why, and the digest of what is decided on. The run, or the conversation, is locked first, as by who ends it. */
export const decide = prepared('approvals_decide')`
with asked as (select p.id, p.run_id, p.conversation_id from approvals p where p.workspace_id = $1 and p.id = $2
), locked as (select r.id from runs r join asked on asked.run_id = r.id for no key update of r
), talk as (select c.id from conversations c join asked on asked.conversation_id = c.id and asked.run_id is null for no key update of c
), decided as (
  update approvals p set status = $3, decided_at = clock_timestamp(), decided_by = $4::json, note = $5
  from asked left join locked on locked.id = asked.run_id left join talk on talk.id = asked.conversation_id
  where (asked.conversation_id is null or coalesce(locked.id, talk.id) is not null) and p.id = asked.id and ${approvalStates.leads('p.status', '$3')} and p.expires_at > clock_timestamp() and p.arguments_digest = $6
  returning p.*
), ${goOn}
select ${approvalColumns}, (select count(*) from notified) from decided p`;

export const BATCH = 200;

export const expire = prepared('approvals_expire')`
with due as (
  select p.id, p.run_id, p.conversation_id from approvals p where p.status = ${PENDING} and p.expires_at <= now() order by p.expires_at limit ${BATCH}
), locked as (
  select r.id from runs r where r.id in (select run_id from due) order by r.id for no key update skip locked
), talks as (
  select c.id from conversations c where c.id in (select conversation_id from due where run_id is null) order by c.id for no key update skip locked
), decided as (
  update approvals p set status = ${approvalStates.after('expire')}, decided_at = clock_timestamp()
  from due left join locked on locked.id = due.run_id left join talks on due.run_id is null and talks.id = due.conversation_id
  where (due.conversation_id is null or coalesce(locked.id, talks.id) is not null) and p.id = due.id and p.status = ${PENDING} returning p.*
), ${goOn}
select count(*)::int as ended, (select count(*) from notified) from decided`;

/** `$3` the status, `$4` the agent, `$5` the run, each null for any; `$6` and `$7` what the page begins behind, null for the newest. */
const page = (status: string, after: string) => `
with found as materialized (
  select p.* from approvals p join agents a on a.id = p.agent_id
  where p.workspace_id = $1 and ${visible('a')} and ($4::uuid is null or p.agent_id = $4) and ($5::uuid is null or p.run_id = $5)
    and ${status} and ${after} order by p.requested_at desc, p.id desc limit $8::int + 1
)
select ${approvalColumns}, p."inAll" from ${fitting('found', ['arguments', 'rehearsal'], 'requested_at desc, id desc')} p
order by p.requested_at desc, p.id desc limit $8`;
const statuses = { any: '$3::text is null', one: 'p.status = $3' };
const starts = {
  first: '($6::timestamptz, $7::uuid) is null',
  after: '(p.requested_at, p.id) < ($6::timestamptz, $7::uuid)',
};

export const list = {
  anyFirst: prepared('approvals_list_any_first')`${page(statuses.any, starts.first)}`,
  anyAfter: prepared('approvals_list_any_after')`${page(statuses.any, starts.after)}`,
  oneFirst: prepared('approvals_list_one_first')`${page(statuses.one, starts.first)}`,
  oneAfter: prepared('approvals_list_one_after')`${page(statuses.one, starts.after)}`,
};

export const find = prepared('approvals_find')`
select ${approvalColumns} from approvals p join agents a on a.id = p.agent_id where p.id = $3 and p.workspace_id = $1 and ${visible('a')}`;

/** The newest call like this one that still answers it. */
export const findOfProgram = prepared('approvals_find_of_program')`
select ${approvalColumns}, p.result,
  case when p.begun_at is null then 'not_begun' when p.begun_at > clock_timestamp() - make_interval(secs => $3) then 'under_way' else 'lost' end as progress
from approvals p
where p.credential_id = $1 and p.arguments_digest = $2
  and (p.answered_at is null or (p.result is not null and p.answered_at > clock_timestamp() - make_interval(mins => ${RESULT_MINUTES})))
  and (p.status <> ${APPROVED} or p.begun_at is not null or p.decided_at + (p.expires_at - p.requested_at) > clock_timestamp())
order by p.requested_at desc limit 1`;

export const requestOfProgram = prepared('approvals_request_of_program')`
with requested as (
  insert into approvals (id, workspace_id, agent_id, agent_version, credential_id, ${callColumns})
  values ($1, $2, $3, $4, $5, ${callValues(6, '$13::uuid')}) on conflict do nothing returning *
), logged as (
  insert into events (workspace_id, agent_id, type, data)
  select p.workspace_id, p.agent_id, 'approval.requested', ${approvalData} from requested p
)
select pg_notify('${DECISIONS}', p.workspace_id::text) from requested p`;

export const beginOfProgram = prepared('approvals_begin_of_program')`
update approvals p set begun_at = clock_timestamp() where p.id = $1 and p.status = ${APPROVED} and p.begun_at is null returning p.id`;

export const answerProgram = prepared('approvals_answer_program')`
with stored as (
  update approvals p set result = $2::json, answered_at = clock_timestamp() where p.id = $1 and p.result is null returning p.result
)
select result from stored union all select p.result from approvals p where p.id = $1 and p.result is not null`;

export const tellProgram = prepared('approvals_tell_program')`
update approvals p set answered_at = clock_timestamp() where p.id = $1 and p.answered_at is null returning p.id`;

export const forgetResults = prepared('approvals_forget_results')`
update approvals p set result = null where p.result is not null and p.answered_at < now() - make_interval(mins => ${RESULT_MINUTES})`;
