import type { Message, Provenance } from '../../domain/conversation.ts';
import type { Usage } from '../../domain/run.ts';
import type { Summary } from '../ports/conversations.ts';
import type { Clock, Ids } from '../ports/runtime.ts';

/** Where a turn stores what has happened. Each method rejects with LeaseLost once another worker has the conversation. */
export interface Journal {
  /** Stores messages that are final, and what they cost. */
  append(messages: readonly Message[], usage: Usage): Promise<void>;
  /** Records that these calls, which have side effects, are about to be made. */
  intend(toolCallIds: readonly string[]): Promise<void>;
  /** Keeps a summary in place of what no longer fits; null if none is kept. */
  readonly summarise: ((summary: Summary) => Promise<void>) | null;
}

/** Of text that Portico itself wrote. */
export const OWN: Provenance = { own: true, system: null };
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

export type MessageFields = Pick<Message, 'role' | 'content'> & Partial<Message>;

/** A message of now. */
export const newMessage = ({ ids, clock }: { readonly ids: Ids; readonly clock: Clock }, fields: MessageFields): Message => ({
  ...{ id: ids.next(), toolCalls: [], toolCallId: null, attachments: [], authorId: null, provenance: null, createdAt: clock.now() },
  ...fields,
});
