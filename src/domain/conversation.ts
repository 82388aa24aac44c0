import { DomainError } from './errors.ts';
import type { JsonValue } from './json.ts';
import { machine } from './state-machine.ts';

export type ConversationStatus = 'idle' | 'responding';
export const conversationMachine = machine<ConversationStatus, 'begin' | 'end'>('conversation', {
  idle: { begin: 'responding' },
  responding: { end: 'idle' },
});

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
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

export interface Attachment {
  readonly fileKey: string;
  readonly fileName: string;
  readonly contentType: string;
}

/** A message is stored when it is final and never changes. Its place in the conversation is the order it was stored in. */
export interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool';
  /** Always text; '' where an assistant only calls tools. */
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly toolCallId: string | null;
  /** Files that belong to a user message: their text is read again whenever the model is asked. */
  readonly attachments: readonly Attachment[];
  readonly createdAt: Date;
}
