import type { Message, MessageFacts } from '../../domain/conversation.ts';
import type { Usage } from '../../domain/run.ts';

/** The right to continue a conversation: every write carries it, and is refused once it is no longer the newest or its lease is over. */
export interface ConversationLease {
  readonly conversationId: string;
  readonly fence: number;
}

/** What is kept of messages that no longer fit into a model's window. */
export interface Summary {
  readonly text: string;
  /** The newest message that it covers. */
  readonly through: string;
}

/** What a turn goes on from. */
export interface StoredContext {
  /** Those that no summary covers, in stored order; the oldest are left out if they are more than was asked for. */
  readonly messages: readonly Message[];
  /** What there is among those before them, each kind once. */
  readonly earlier: readonly MessageFacts[];
  /** Whether any were left out. */
  readonly incomplete: boolean;
  readonly summary: string | null;
  /** Calls with side effects that were begun and have no result. */
  readonly begun: ReadonlySet<string>;
}

/**
 * Who continues a conversation. Times are the database's; every write under a lease rejects with LeaseLost when it is not held.
 * A conversation that a run works on is leased with that run, and has no lease of its own.
 */
export interface ConversationTurns {
  /** Takes a conversation that is idle, or whose lease is over; null if its lease is held. Never waits. */
  begin(conversationId: string, leaseSeconds: number): Promise<ConversationLease | null>;
  /** Extends the leases; answers the conversations that are still held. */
  renew(leases: readonly ConversationLease[], leaseSeconds: number): Promise<ReadonlySet<string>>;
  /** The newest messages, of at most about so many characters together. */
  readContext(conversationId: string, maxCharacters: number): Promise<StoredContext>;
  /** Appends messages in order and adds up the usage, together. One at a time for each lease. */
  append(lease: ConversationLease, messages: readonly Message[], usage: Usage): Promise<void>;
  /** Records that these calls are about to be made. */
  intend(lease: ConversationLease, toolCallIds: readonly string[]): Promise<void>;
  summarise(lease: ConversationLease, summary: Summary): Promise<void>;
  /** Frees the conversation. */
  end(lease: ConversationLease): Promise<void>;
}
