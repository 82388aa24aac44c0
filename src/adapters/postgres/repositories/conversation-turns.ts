import type { Limited } from '../../../application/ports/budgets.ts';
import type {
  Asker,
  ConversationLease,
  ConversationTurns,
  Decisions,
  StoredContext,
} from '../../../application/ports/conversations.ts';
import { LeaseLost } from '../../../application/ports/leases.ts';
import type { Scope } from '../../../domain/access.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { Message, MessageFacts } from '../../../domain/conversation.ts';
import { omit } from '../../../domain/omit.ts';
import { storable } from '../../../domain/text.ts';
import type { Database, Statement } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import type { Listener } from '../connection/listener.ts';
import * as approvals from '../statements/approval-statements.ts';
import * as sql from '../statements/conversation-statements.ts';
import { messageValues } from '../statements/message-statements.ts';
import { type Reserved, reservationOf } from './budget-repository.ts';

type Current = {
  readonly summary: string | null;
  readonly begun: readonly string[];
  readonly waiting: Readonly<Record<string, string>> | null;
  readonly isLimited: boolean;
};

/** As JSON has it. */
type StoredAsker = Omit<Asker, 'scopes'> & { readonly scopes: readonly Scope[] | null };

interface Taken {
  readonly id: string;
  readonly fence: number;
  readonly workspaceId: string;
  readonly agentId: string;
  readonly asker: StoredAsker;
}

const storedAsker = ({ userId, credential, scopes, boundToAgent }: Asker): StoredAsker => ({
  userId,
  credential,
  scopes: scopes && [...scopes],
  boundToAgent,
});

export const conversationTurns = ({ query, apart }: Pick<Database, 'query' | 'apart'>): ConversationTurns => {
  const rowOf = async <Row extends object>(
    { conversationId, fence }: ConversationLease,
    statement: Statement,
    values: readonly unknown[],
  ) => {
    const [row] = await query<Row>(statement, [conversationId, fence, ...values]);
    if (!row) throw new LeaseLost('conversation', conversationId);
    return row;
  };
  const underLease = async (...terms: Parameters<typeof rowOf>): Promise<void> => void (await rowOf(...terms));

  return {
    async begin(conversationId, leaseSeconds) {
      if (!isId(conversationId)) return null;
      const [row] = await query<{ fence: number }>(sql.begin, [conversationId, leaseSeconds]);
      return row ? { conversationId, fence: row.fence } : null;
    },

    async renew(leases, leaseSeconds) {
      const fences = leases.map(({ conversationId, fence }) => `${conversationId} ${fence}`);
      const rows = await apart<{ id: string }>(sql.renew, [
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
      const waiting = new Map(Object.entries(known?.waiting ?? {}));
      const incomplete = messages.length < (rows[0]?.all ?? 0);
      const { summary = null, begun, isLimited = false } = known ?? {};
      return { messages, earlier, incomplete, summary, begun: new Set(begun), waiting, isLimited };
    },

    append: (lease, messages, { inputTokens, outputTokens }) =>
      rowOf<Limited>(lease, sql.append, [inputTokens, outputTokens, ...messageValues(messages)]),
    async reserve(lease, { inputTokens, outputTokens }) {
      return reservationOf(await rowOf<Reserved>(lease, sql.reserve, [inputTokens, outputTokens]));
    },
    intend: (lease, toolCallIds) => underLease(lease, sql.intend, [toolCallIds]),
    summarise: (lease, { text, through }) => underLease(lease, sql.summarise, [storable(text), through]),
    async approvalOf(conversationId, toolCallId) {
      const [approval] = await query<Approval>(approvals.ofCall, [conversationId, toolCallId]);
      return approval ?? null;
    },

    requestApproval(lease, { id, agentVersion, asker, message, hours, ...request }) {
      const call = approvals.approvalValues(request, hours);
      const stands = [
        message.id,
        storable(message.content),
        message.createdAt.toISOString(),
        JSON.stringify(message.provenance),
      ];
      const values = [id, agentVersion, ...call, asker.userId, JSON.stringify(storedAsker(asker)), ...stands];
      return underLease(lease, approvals.requestInConversation, values);
    },

    settle: (lease, { id, toolCallId, content, provenance }) =>
      underLease(lease, sql.settle, [id, toolCallId, storable(content), provenance && JSON.stringify(provenance)]),
    withdraw: (lease, content, ifBegun) => underLease(lease, sql.withdraw, [content, ifBegun]),

    async takeDecided(most, leaseSeconds) {
      const taken = await query<Taken>(sql.takeDecided, [most, leaseSeconds]);
      return taken.map(({ id: conversationId, fence, asker, ...turn }) => ({
        ...turn,
        lease: { conversationId, fence },
        asker: { ...asker, scopes: asker.scopes && new Set(asker.scopes) },
      }));
    },

    end: (lease) => underLease(lease, sql.end, []),
    release: (lease) => underLease(lease, sql.release, []),
  };
};

export const decisions = (listener: Listener): Decisions => ({
  subscribe: (wake) => listener.listen(sql.DECISIONS, { message: wake, gap: wake }),
});
