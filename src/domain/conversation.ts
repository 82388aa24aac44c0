import { DomainError } from './errors.ts';
import type { JsonValue } from './json.ts';
import type { Pages } from './routing/part.ts';
import type { RunFile } from './run.ts';
import { machine } from './state-machine.ts';

type ConversationStatus = 'idle' | 'responding';
export const conversationMachine = machine<ConversationStatus, 'begin' | 'end'>('conversation', {
  idle: { begin: 'responding' },
  responding: { end: 'idle' },
});

/** How often processes begin to go on with a turn after a decision; one that dies each time is given up. */
export const MOST_CONTINUATIONS = 5;

/** What `begin` is answered with while the conversation is responding. */
export const conversationBusy = (id: string, retryAfterSeconds: number) =>
  new DomainError('conflict', 'The conversation is responding: send the message again when that is done.', {
    code: 'conversation_busy',
    extra: { conversation_id: id },
    retryAfterSeconds,
  });

export interface Conversation {
  readonly id: string;
  readonly workspaceId: string;
  readonly agentId: string;
  /** The run that began it; null for one that a conversation client began. */
  readonly runId: string | null;
  readonly userId: string;
  readonly status: ConversationStatus;
  /** The approvals that calls in it wait for; null if there are none. */
  readonly waitingFor: readonly string[] | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** A file that belongs to a user message. */
export interface Attachment extends RunFile {
  /** Set if no more than this part of it does. */
  readonly part?: Pages;
}

/** A connection or database of the workspace. */
export interface SystemRef {
  readonly kind: 'connection' | 'database';
  readonly id: string;
}

/** Where text comes from that neither a person nor the model wrote. */
export interface Provenance {
  /** Whether they are Portico's own: a count, an id, a refusal. */
  readonly own: boolean;
  /** Whose content they are, so that those who do not see it do not read them; null for none. */
  readonly system: SystemRef | null;
}

/**
 * A message is stored when it is final and never changes, but for that of a call that waits for its approval: it takes the result as its
 * content. Its place in the conversation is the order it was stored in.
 */
export interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool';
  /** Always text; '' if an assistant only calls tools. */
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly toolCallId: string | null;
  /** Files that belong to a user message: their text is read again whenever the model is asked. */
  readonly attachments: readonly Attachment[];
  /** Who wrote it, or in whose name the turn ran; null for none. */
  readonly authorId: string | null;
  /** null if a person or the model wrote it. */
  readonly provenance: Provenance | null;
  readonly createdAt: Date;
}

/** The author of a message, as readers are shown them. */
export interface Author {
  readonly id: string;
  readonly name: string;
}

/** What decides whether the content of a message is trusted, and who may read it. */
export interface MessageFacts extends Pick<Message, 'role' | 'authorId' | 'provenance'> {
  readonly hasFiles: boolean;
}

export const factsOf = ({ role, authorId, provenance, attachments }: Message): MessageFacts => ({
  role,
  authorId,
  provenance,
  hasFiles: attachments.length > 0,
});

/** Whether it has content that neither this person nor the model nor Portico wrote: a file, an answer of a tool, a message of another user. */
export const isForeign = ({ role, authorId, provenance, hasFiles }: MessageFacts, personId: string): boolean => {
  if (hasFiles) return true;
  if (provenance !== null) return !provenance.own;
  return role === 'tool' || (role === 'user' && authorId !== personId);
};
