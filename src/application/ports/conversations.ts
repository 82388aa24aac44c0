import type { Approval } from '../../domain/approval.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Message, MessageFacts } from '../../domain/conversation.ts';
import type { Usage } from '../../domain/run.ts';
import type { Limited, Reservation, StepBound } from './budgets.ts';
import type { ApprovalRequest } from './queue.ts';

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
export interface StoredContext extends Limited {
  /** Those that no summary covers and that wait for nothing, in stored order; the oldest are left out if they are more than was asked for. */
  readonly messages: readonly Message[];
  /** What there is among those before them, each kind once. */
  readonly earlier: readonly MessageFacts[];
  /** Whether any were left out. */
  readonly incomplete: boolean;
  readonly summary: string | null;
  /** Calls with side effects that were begun and have no result. */
  readonly begun: ReadonlySet<string>;
  /** The messages that stand for the results of calls while these wait for their approval, by the calls. */
  readonly waiting: ReadonlyMap<string, string>;
}

/** What of a caller a turn keeps that goes on later; their role is what it is then. */
export type Asker = Pick<Caller, 'userId' | 'credential' | 'scopes' | 'boundToAgent'>;

/** The call of a turn that waits for its approval. */
export interface ConversationApproval extends ApprovalRequest {
  readonly agentVersion: number;
  readonly asker: Asker;
  /** Stands for the result meanwhile. */
  readonly message: Message;
  /** How long a person has to decide. */
  readonly hours: number;
}

/** A turn that goes on because of a decision. */
export interface DecidedTurn {
  readonly lease: ConversationLease;
  readonly workspaceId: string;
  readonly agentId: string;
  readonly asker: Asker;
}

/**
 * Who continues a conversation. Times are the database's; every write under a lease rejects with LeaseLost when it is not held.
 * A conversation that a run works on is leased with that run, and has no lease of its own.
 */
export interface ConversationTurns {
  /** Takes a conversation that is idle, or whose lease is over; null if its lease is held, or its turn goes on by itself. Never waits. */
  begin(conversationId: string, leaseSeconds: number): Promise<ConversationLease | null>;
  /** Extends the leases; answers the conversations that are still held. */
  renew(leases: readonly ConversationLease[], leaseSeconds: number): Promise<ReadonlySet<string>>;
  /** The newest messages, of at most about so many characters together. */
  readContext(conversationId: string, maxCharacters: number): Promise<StoredContext>;
  /** Appends messages in order and adds up the usage, together. What was reserved is free again. One at a time for each lease. */
  append(lease: ConversationLease, messages: readonly Message[], usage: Usage): Promise<Limited>;
  /** Reserves what the next step may cost at most, as `RunQueue` does. */
  reserve(lease: ConversationLease, bound: StepBound): Promise<Reservation>;
  /** Records that these calls are about to be made. */
  intend(lease: ConversationLease, toolCallIds: readonly string[]): Promise<void>;
  summarise(lease: ConversationLease, summary: Summary): Promise<void>;
  approvalOf(conversationId: string, toolCallId: string): Promise<Approval | null>;
  /** Keeps a call until a person has decided, with its message; of a call that is kept already, nothing. One at a time with `append`. */
  requestApproval(lease: ConversationLease, request: ConversationApproval): Promise<void>;
  /** Gives a message that waits its content and provenance: those of the result. */
  settle(lease: ConversationLease, message: Message): Promise<void>;
  /**
   * Cancels the approvals that are pending; their messages get this content, as do those of a turn that was given up, unless the call was
   * begun. What is decided while this turn goes on is left to go on by itself.
   */
  withdraw(lease: ConversationLease, content: string, ifBegun: string): Promise<void>;
  /** Takes up to so many conversations whose turn has to go on because of a decision. After `MOST_CONTINUATIONS` in vain one is given up. */
  takeDecided(most: number, leaseSeconds: number): Promise<readonly DecidedTurn[]>;
  /** Frees the conversation. A turn goes on by itself if a decision fell in it. */
  end(lease: ConversationLease): Promise<void>;
  /** Frees the conversation of a turn that goes on by itself, for another process. */
  release(lease: ConversationLease): Promise<void>;
}

/** Notifies that a decision may have fallen. A missed one costs a poll. */
export interface Decisions {
  subscribe(wake: () => void): () => void;
}
