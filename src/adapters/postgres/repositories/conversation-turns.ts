import type { ConversationLease, ConversationTurns, StoredContext } from '../../../application/ports/conversations.ts';
import { LeaseLost } from '../../../application/ports/leases.ts';
import type { Message, MessageFacts } from '../../../domain/conversation.ts';
import { omit } from '../../../domain/omit.ts';
import { storable } from '../../../domain/text.ts';
import type { Database, Statement } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as sql from '../statements/conversation-statements.ts';
import { messageValues } from '../statements/message-statements.ts';

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
      const [row] = await query<{ fence: number }>(sql.begin, [conversationId, leaseSeconds]);
      return row ? { conversationId, fence: row.fence } : null;
    },

    async renew(leases, leaseSeconds) {
      const fences = leases.map(({ conversationId, fence }) => `${conversationId} ${fence}`);
      const rows = await query<{ id: string }>(sql.renew, [
        leases.map(({ conversationId }) => conversationId),
        fences,
        leaseSeconds,
      ]);
      return new Set(rows.map(({ id }) => id));
    },

    async readContext(conversationId, maxCharacters): Promise<StoredContext> {
      const [known] = await query<Current>(sql.current, [conversationId]);
      const rows = await query<Message & { readonly all: number; readonly seq: number }>(sql.recall, [
        conversationId,
        maxCharacters,
      ]);
      const messages = rows.map((message) => omit(message, 'all', 'seq'));
      const earlier = await query<MessageFacts>(sql.facts, [conversationId, rows[0]?.seq ?? null]);
      const incomplete = messages.length < (rows[0]?.all ?? 0);
      return { messages, earlier, incomplete, summary: known?.summary ?? null, begun: new Set(known?.begun) };
    },

    append: (lease, messages, { inputTokens, outputTokens }) =>
      underLease(lease, sql.append, [inputTokens, outputTokens, ...messageValues(messages)]),
    intend: (lease, toolCallIds) => underLease(lease, sql.intend, [toolCallIds]),
    summarise: (lease, { text, through }) => underLease(lease, sql.summarise, [storable(text), through]),
    end: (lease) => underLease(lease, sql.end, []),
  };
};
