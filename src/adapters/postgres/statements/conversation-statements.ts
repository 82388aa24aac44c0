import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { ConversationTable } from '../tables/entities.ts';
import { conversationStates } from '../tables/states.ts';
import { insertMessages, messageColumns } from './message-statements.ts';
import { visible } from './visibility.ts';

export const findVisible = prepared('conversations_find_visible')`
select ${columnsOf(ConversationTable, 'c', ['status'])},
  case when c.lease_expires_at <= now() then ${conversationStates.after('end')} else c.status end as status
from conversations c join agents a on a.id = c.agent_id where ${visible('a')} and c.workspace_id = $1 and c.id = $3`;

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
export const begin = prepared('conversations_begin')`
update conversations c set status = ${conversationStates.after('begin')}, fence = c.fence + 1, lease_expires_at = ${lease('$2')},
  updated_at = clock_timestamp()
where c.id = $1 and (c.status ${conversationStates.before('begin')} or c.lease_expires_at <= clock_timestamp())
returning c.fence`;

export const renew = prepared('conversations_renew')`
update conversations c set lease_expires_at = ${lease('$3')}
where c.id = any ($1::uuid[]) and c.id || ' ' || c.fence = any ($2::text[])
  and c.status ${conversationStates.before('end')} and c.lease_expires_at > clock_timestamp()
returning c.id`;

/** Whether `$2` is still the fencing number of conversation `$1`: the statement locks the row, so that no other lease begins meanwhile. */
const isLeased = `c.id = $1 and c.fence = $2 and c.status ${conversationStates.before('end')} and c.lease_expires_at > clock_timestamp()`;

export const append = prepared('conversations_append')`
with leased as (
  update conversations c set updated_at = clock_timestamp(), input_tokens = input_tokens + $3, output_tokens = output_tokens + $4,
    begun = array(select unnest(c.begun) except select unnest($9::text[]))
  where ${isLeased} returning c.id
), stored as (
  ${insertMessages('leased', 5)}
)
select id from leased`;

export const intend = prepared(
  'conversations_intend',
)`update conversations c set begun = c.begun || $3::text[] where ${isLeased} returning c.id`;

export const summarise = prepared('conversations_summarise')`
update conversations c set summary = $3,
  summary_seq = coalesce((select m.seq from messages m where m.conversation_id = $1 and m.id = $4), c.summary_seq)
where ${isLeased} returning c.id`;

export const end = prepared('conversations_end')`
update conversations c set status = ${conversationStates.after('end')}, lease_expires_at = null, updated_at = clock_timestamp()
where ${isLeased} returning c.id`;

export const current = prepared('conversations_remembered')`select summary, begun from conversations where id = $1`;

/** The total runs from the newest message back; PostgreSQL knows the lengths without reading the texts. */
export const recall = prepared('conversations_recall')`
select ${messageColumns}, "all", seq from (
  select m.*, count(*) over () as "all", sum(octet_length(m.content) + octet_length(m.tool_calls::text)) over (order by m.seq desc) as total
  from messages m join conversations c on c.id = m.conversation_id
  where m.conversation_id = $1 and m.seq > c.summary_seq
) m
where total - octet_length(content) - octet_length(tool_calls::text) <= $2 order by seq`;

/** The facts of the messages before `$2`, each once: the messages are many, and few of their facts differ. */
export const facts = prepared('conversations_facts')`
select distinct on (m.role, m.author_id, m.provenance::text, json_array_length(m.attachments) > 0)
  m.role, m.author_id as "authorId", m.provenance, json_array_length(m.attachments) > 0 as "hasFiles"
from messages m where m.conversation_id = $1 and ($2::bigint is null or m.seq < $2)`;
