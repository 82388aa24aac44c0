import type { ConversationLease, ConversationTurns, StoredContext } from '../../application/ports/conversations.ts';
import { LeaseLost } from '../../application/ports/leases.ts';
import type { Message, MessageFacts } from '../../domain/conversation.ts';
import { storable } from '../../domain/text.ts';
import { type Database, prepared, type Statement } from './database.ts';
import { isId } from './ids.ts';
import { insertMessages, messageColumns, messageValues } from './messages.ts';
import { conversationStates } from './states.ts';

const lease = (seconds: string) => `clock_timestamp() + make_interval(secs => ${seconds})`;

/** A conversation that is responding without a lease belongs to a run. */
const begin = prepared('conversations_begin')`
update conversations c set status = ${conversationStates.after('begin')}, fence = c.fence + 1, lease_expires_at = ${lease('$2')},
  updated_at = clock_timestamp()
where c.id = $1 and (c.status ${conversationStates.before('begin')} or c.lease_expires_at <= clock_timestamp())
returning c.fence`;

const renew = prepared('conversations_renew')`
update conversations c set lease_expires_at = ${lease('$3')}
where c.id = any ($1::uuid[]) and c.id || ' ' || c.fence = any ($2::text[])
  and c.status ${conversationStates.before('end')} and c.lease_expires_at > clock_timestamp()
returning c.id`;

/** Whether `$2` is still the fencing number of conversation `$1`: the statement locks the row, so that no other lease begins meanwhile. */
const isLeased = `c.id = $1 and c.fence = $2 and c.status ${conversationStates.before('end')} and c.lease_expires_at > clock_timestamp()`;

const append = prepared('conversations_append')`
with leased as (
  update conversations c set updated_at = clock_timestamp(), input_tokens = input_tokens + $3, output_tokens = output_tokens + $4,
    begun = array(select unnest(c.begun) except select unnest($9::text[]))
  where ${isLeased} returning c.id
), stored as (
  ${insertMessages('leased', 5)}
)
select id from leased`;

const intend = prepared(
  'conversations_intend',
)`update conversations c set begun = c.begun || $3::text[] where ${isLeased} returning c.id`;

const summarise = prepared('conversations_summarise')`
update conversations c set summary = $3,
  summary_seq = coalesce((select m.seq from messages m where m.conversation_id = $1 and m.id = $4), c.summary_seq)
where ${isLeased} returning c.id`;

const end = prepared('conversations_end')`
update conversations c set status = ${conversationStates.after('end')}, lease_expires_at = null, updated_at = clock_timestamp()
where ${isLeased} returning c.id`;

const current = prepared('conversations_remembered')`select summary, begun from conversations where id = $1`;

/** The total runs from the newest message back; PostgreSQL knows the lengths without reading the texts. */
const recall = prepared('conversations_recall')`
select ${messageColumns}, "all", seq from (
  select m.*, count(*) over () as "all", sum(octet_length(m.content) + octet_length(m.tool_calls::text)) over (order by m.seq desc) as total
  from messages m join conversations c on c.id = m.conversation_id
  where m.conversation_id = $1 and m.seq > c.summary_seq
) m
where total - octet_length(content) - octet_length(tool_calls::text) <= $2 order by seq`;

/** The facts of the messages before `$2`, each once: the messages are many, and few of their facts differ. */
const facts = prepared('conversations_facts')`
select distinct on (m.role, m.author_id, m.provenance::text, json_array_length(m.attachments) > 0)
  m.role, m.author_id as "authorId", m.provenance, json_array_length(m.attachments) > 0 as "hasFiles"
from messages m where m.conversation_id = $1 and ($2::bigint is null or m.seq < $2)`;

type Current = { readonly summary: string | null; readonly begun: readonly string[] };

export const conversationTurns = ({ query }: Pick<Database, 'query'>): ConversationTurns => {
  const underLease = async (
    { conversationId, fence }: ConversationLease,
    statement: Statement,
    values: readonly unknown[],
  ) => {
    const [row] = await query(statement, [conversationId, fence, ...values]);
    if (!row) throw new LeaseLost('conversation', conversationId);
  };

  return {
    async begin(conversationId, leaseSeconds) {
      if (!isId(conversationId)) return null;
      const [row] = await query<{ fence: number }>(begin, [conversationId, leaseSeconds]);
      return row ? { conversationId, fence: row.fence } : null;
    },

    async renew(leases, leaseSeconds) {
      const fences = leases.map(({ conversationId, fence }) => `${conversationId} ${fence}`);
      const rows = await query<{ id: string }>(renew, [
        leases.map(({ conversationId }) => conversationId),
        fences,
        leaseSeconds,
      ]);
      return new Set(rows.map(({ id }) => id));
    },

    async readContext(conversationId, maxCharacters): Promise<StoredContext> {
      const [known] = await query<Current>(current, [conversationId]);
      const rows = await query<Message & { readonly all: number; readonly seq: number }>(recall, [
        conversationId,
        maxCharacters,
      ]);
      const messages = rows.map(({ all: _, seq: __, ...message }) => message);
      const earlier = await query<MessageFacts>(facts, [conversationId, rows[0]?.seq ?? null]);
      const incomplete = messages.length < (rows[0]?.all ?? 0);
      return { messages, earlier, incomplete, summary: known?.summary ?? null, begun: new Set(known?.begun) };
    },

    append: (lease, messages, { inputTokens, outputTokens }) =>
      underLease(lease, append, [inputTokens, outputTokens, ...messageValues(messages)]),
    intend: (lease, toolCallIds) => underLease(lease, intend, [toolCallIds]),
    summarise: (lease, { text, through }) => underLease(lease, summarise, [storable(text), through]),
    end: (lease) => underLease(lease, end, []),
  };
};
