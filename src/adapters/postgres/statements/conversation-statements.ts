import { MOST_CONTINUATIONS } from '../../../domain/conversation.ts';
import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { ConversationTable } from '../tables/entities.ts';
import { approvalStates, conversationStates } from '../tables/states.ts';
import { isLimited, unreserved } from './budget-statements.ts';
import { approvalData } from './event-data.ts';
import { firstAuthor, insertMessages, messageColumns } from './message-statements.ts';
import { ofWork } from './usage-statements.ts';
import { visible } from './visibility.ts';

/** Notified of approvals that no run waits for, with the workspace: of new ones and of decisions. */
export const DECISIONS = 'portico_approvals';

/** Whether the turn of conversation `c` goes on by itself because of a decision. */
const goesOn = `(c.goes_on_after is not null and c.fence - c.goes_on_after < ${MOST_CONTINUATIONS})`;

export const findVisible = prepared('conversations_find_visible')`
select ${columnsOf(ConversationTable, 'c', ['status'])},
  case when ${goesOn} then ${conversationStates.after('begin')} when c.lease_expires_at <= now() then ${conversationStates.after('end')} else c.status end as status,
  (select array_agg(p.id order by p.requested_at, p.id) from approvals p
    where p.conversation_id = c.id and p.status = ${approvalStates.initial}) as "waitingFor"
from conversations c join agents a on a.id = c.agent_id where ${visible('a')} and c.workspace_id = $1 and c.id = $3 and c.removed_at is null`;

const shownColumns = `m.seq, ${messageColumns}, case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as author`;
const shownMessages = `messages m left join users u on u.id = m.author_id`;

/** Few enough to fit into memory together, however long each message is. */
export const PAGE = 50;

/** Each page carries the number of the last message at the start: messages that are added meanwhile are left out. */
export const firstPage = prepared('conversations_first_messages')`
select (select max(seq) from messages where conversation_id = $1) as last, ${shownColumns}
from ${shownMessages} where m.conversation_id = $1 order by m.seq limit ${PAGE}`;

export const nextPage = prepared('conversations_next_messages')`
select $3::bigint as last, ${shownColumns}
from ${shownMessages} where m.conversation_id = $1 and m.seq > $2 and m.seq <= $3 order by m.seq limit ${PAGE}`;

export const begunCalls = prepared('conversations_begun_calls')`select begun from conversations where id = $1`;

const lease = (seconds: string) => `clock_timestamp() + make_interval(secs => ${seconds})`;

/** A conversation that is responding without a lease belongs to a run. */
const isFree = `(c.status ${conversationStates.before('begin')} or c.lease_expires_at <= clock_timestamp())`;
const begun = `status = ${conversationStates.after('begin')}, fence = c.fence + 1, lease_expires_at = ${lease('$2')}, updated_at = clock_timestamp()`;

export const begin = prepared('conversations_begin')`
update conversations c set ${begun}, goes_on_after = null where c.id = $1 and c.removed_at is null and ${isFree} and not ${goesOn} returning c.fence`;

export const takeDecided = prepared('conversations_take_decided')`
with due as (
  select c.id from conversations c where ${goesOn} and ${isFree} order by c.id limit $1 for no key update skip locked
)
update conversations c set ${begun} from due where c.id = due.id
returning c.id, c.fence, c.workspace_id as "workspaceId", c.agent_id as "agentId", c.asked_by as asker`;

export const renew = prepared('conversations_renew')`
update conversations c set lease_expires_at = ${lease('$3')}
where c.id = any ($1::uuid[]) and c.id || ' ' || c.fence = any ($2::text[])
  and c.status ${conversationStates.before('end')} and c.lease_expires_at > clock_timestamp()
returning c.id`;

/** Whether `$2` is still the fencing number of conversation `$1`: the statement locks the row, so that no other lease begins meanwhile. */
export const isLeased = `c.id = $1 and c.fence = $2 and c.status ${conversationStates.before('end')} and c.lease_expires_at > clock_timestamp()`;

export const append = prepared('conversations_append')`
with leased as (
  update conversations c set updated_at = clock_timestamp(), input_tokens = input_tokens + $3, output_tokens = output_tokens + $4,
    begun = array(select unnest(c.begun) except select unnest($9::text[]))
  where ${isLeased} returning c.*
), used as (
  insert into usage_entries (${ofWork}, input_tokens, output_tokens, cost)
  select c.workspace_id, c.agent_id, a.version, coalesce(${firstAuthor(5)}, c.user_id), a.model, $3, $4, cost_of_tokens(w.prices, a.model, $3, $4)
  from leased c join agents a on a.id = c.agent_id join workspaces w on w.id = c.workspace_id where $3::bigint + $4::bigint > 0
), free as (
  ${unreserved('$1')} and exists (select from leased)
), stored as (
  ${insertMessages('leased', 5)}
)
select ${isLimited('leased')} as "isLimited" from leased`;

/** `$3` and `$4`: what the step uses at most. */
export const reserve = prepared('conversations_reserve_step')`
with leased as materialized (
  select c.id, c.workspace_id, c.agent_id, cost_of_tokens(w.prices, a.model, $3, $4) as cost
  from conversations c join agents a on a.id = c.agent_id join workspaces w on w.id = c.workspace_id where ${isLeased}
)
select reserved.outcome, reserved.budget
from leased l cross join lateral reserve_step(l.workspace_id, l.agent_id, null, l.id, $2, l.cost) reserved`;

export const intend = prepared(
  'conversations_intend',
)`update conversations c set begun = c.begun || $3::text[] where ${isLeased} returning c.id`;

export const summarise = prepared('conversations_summarise')`
update conversations c set summary = $3,
  summary_seq = coalesce((select m.seq from messages m where m.conversation_id = $1 and m.id = $4), c.summary_seq)
where ${isLeased} returning c.id`;

export const settle = prepared('conversations_settle')`
with leased as (
  update conversations c set updated_at = clock_timestamp(), begun = array_remove(c.begun, $4) where ${isLeased} returning c.id
)
update messages m set content = $5, provenance = $6::json, waits_for = null from leased
where m.conversation_id = leased.id and m.id = $3 and m.waits_for is not null returning m.id`;

/** The process that goes on with decided calls takes care of their messages, unless the conversation was given up. */
export const withdraw = prepared('conversations_withdraw')`
with leased as (select c.* from conversations c where ${isLeased} for no key update
), cancelled as (
  update approvals p set status = ${approvalStates.after('cancel')}, decided_at = clock_timestamp() from leased l
  where p.conversation_id = l.id and p.status ${approvalStates.before('cancel')} returning p.*
), settled as (
  update messages m set content = case when m.tool_call_id = any (l.begun) then $4 else $3 end, waits_for = null from leased l
  where m.conversation_id = l.id and m.waits_for is not null and (l.goes_on_after is null or m.waits_for in (select p.id from cancelled p))
), logged as (
  insert into events (workspace_id, agent_id, type, data)
  select p.workspace_id, p.agent_id, 'approval.decided', ${approvalData} from cancelled p
)
select l.id, pg_notify('${DECISIONS}', l.workspace_id::text) from leased l`;

const freed = `status = ${conversationStates.after('end')}, lease_expires_at = null, updated_at = clock_timestamp()`;

/** A decision that fell in this turn may have come too late for it: another one goes on. */
export const end = prepared('conversations_end')`
update conversations c set ${freed}, goes_on_after = case when c.goes_on_after >= c.fence then c.goes_on_after end where ${isLeased} returning c.id`;

export const release = prepared(
  'conversations_release',
)`update conversations c set ${freed} where ${isLeased} returning c.id`;

export const current = prepared('conversations_remembered')`
select c.summary, c.begun, ${isLimited('c')} as "isLimited",
  (select json_object_agg(m.tool_call_id, m.id) from messages m where m.conversation_id = c.id and m.waits_for is not null) as waiting
from conversations c where c.id = $1`;

/** The total runs from the newest message back; PostgreSQL knows the lengths without reading the texts. */
export const recall = prepared('conversations_recall')`
select ${messageColumns}, "all", seq from (
  select m.*, count(*) over () as "all", sum(octet_length(m.content) + octet_length(m.tool_calls::text)) over (order by m.seq desc) as total
  from messages m join conversations c on c.id = m.conversation_id
  where m.conversation_id = $1 and m.seq > c.summary_seq and m.waits_for is null
) m
where total - octet_length(content) - octet_length(tool_calls::text) <= $2 order by seq`;

/** The facts of the messages before `$2`, each once: the messages are many, and few of their facts differ. */
export const facts = prepared('conversations_facts')`
select distinct on (m.role, m.author_id, m.provenance::text, json_array_length(m.attachments) > 0)
  m.role, m.author_id as "authorId", m.provenance, json_array_length(m.attachments) > 0 as "hasFiles"
from messages m where m.conversation_id = $1 and ($2::bigint is null or m.seq < $2)`;
