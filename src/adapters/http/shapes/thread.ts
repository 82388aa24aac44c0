import * as t from 'io-ts';
import type { Exchange } from '../../../application/conversations/conversations.ts';
import type { ShownMessage } from '../../../application/ports/storage.ts';
import type { Conversation, Message } from '../../../domain/conversation.ts';
import { dateTime, oneOf, uuid } from '../codecs.ts';
import { named } from '../json-schema.ts';
import { about, list, nullable, wire } from '../structures.ts';
import { conversationStatus } from './run.ts';

const toolCall = named(
  'ToolCall',
  wire({
    id: t.string,
    name: t.string,
    arguments: about('As the model gave them: an object, where it kept to the tool’s schema.', t.unknown),
  }),
);

export const message = named(
  'Message',
  wire({
    id: uuid,
    role: oneOf('user', 'assistant', 'tool'),
    content: about(
      'Empty where an assistant only calls tools. What a tool could not do begins with `Error: `. What came from a connection or database that the reader does not see is `[withheld: …]`.',
      t.string,
    ),
    toolCalls: list(toolCall),
    author: about(
      'Who wrote it, or in whose name the turn ran; null for none, and for messages from before this was stored.',
      nullable(named('Author', wire({ id: uuid, name: t.string }))),
    ),
    toolCallId: about('The call that a tool’s message answers.', nullable(t.string)),
    createdAt: dateTime,
  }),
);

const fields = {
  id: uuid,
  agentId: uuid,
  status: conversationStatus,
  createdAt: dateTime,
  updatedAt: dateTime,
};

export const thread = named('Thread', wire({ ...fields, messages: list(message) }));

/** A thread without its messages, for answers that are written while they are read. */
export const threadHead = wire(fields);

export const exchange = named(
  'Exchange',
  wire({
    conversationId: uuid,
    messages: about('What the assistant and its tools said in this turn, in stored order.', list(message)),
    error: about('Why the turn ended without an answer; the conversation can be continued all the same.', nullable(t.string)),
  }),
);

const at = (time: string) => new Date(`2026-11-20T${time}Z`);
const id = (digit: number) => `01989c0e-65f2-7a1b-8c3d-${String(digit).repeat(12)}`;

const ada = { id: id(7), name: 'Ada Lovelace' };

const said = (digit: number, fields: Pick<Message, 'role' | 'content'> & Partial<Message>): ShownMessage => ({
  ...{
    id: id(digit),
    author: ada,
    authorId: ada.id,
    provenance: null,
    toolCalls: [],
    toolCallId: null,
    attachments: [],
    createdAt: at(`09:31:0${digit}.000`),
  },
  ...fields,
});

const answers: readonly ShownMessage[] = [
  said(2, {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'call_1', name: 'ledger_query', arguments: { query: 'select sum(total) from demo.invoices' } }],
  }),
  said(3, { role: 'tool', content: '{"records":[{"sum":2392.88}],"row_count":1,"truncated":false}', toolCallId: 'call_1' }),
  said(4, { role: 'assistant', content: 'The invoices come to 2,392.88 GBP.' }),
];

export const exampleConversation: Conversation = {
  ...{ id: id(5), workspaceId: id(1), agentId: id(2), runId: id(4), userId: id(7), status: 'idle' },
  ...{ createdAt: at('09:30:00.150'), updatedAt: at('09:31:04.000') },
};

export const exampleThread = {
  ...exampleConversation,
  messages: [said(1, { role: 'user', content: 'What do the invoices come to?' }), ...answers],
};

export const exampleExchange: Exchange = { conversationId: exampleConversation.id, messages: answers, error: null };
