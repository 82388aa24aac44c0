import * as t from 'io-ts';
import type { Conversation, Message } from '../domain/conversation.ts';
import { exampleId, exampleTime } from './example.ts';
import { about, component, list, nullable, wire } from './kit/structures.ts';
import { dateTime, oneOf, uuid } from './kit/values.ts';
import { conversationStatus, waitingFor } from './run.ts';

const toolCall = component('ToolCall', {
  id: t.string,
  name: t.string,
  arguments: about('As the model wrote them: an object if they match the tool’s schema.', t.unknown),
});

/** A user, as readers are shown who did something. */
export const author = component('Author', { id: uuid, name: t.string });

export const message = component('Message', {
  id: uuid,
  role: oneOf('user', 'assistant', 'tool'),
  content: about(
    'Empty if an assistant only calls tools. A call that waits for its approval says so; its message takes the result in the end. A failed tool call begins with `Error: `. Content of a connection or database that the reader does not see is `[withheld: …]`.',
    t.string,
  ),
  toolCalls: list(toolCall),
  author: about(
    'The user who wrote it or in whose name the turn ran; null for none, and for old messages.',
    nullable(author),
  ),
  toolCallId: about('The call that the message of a tool answers.', nullable(t.string)),
  createdAt: dateTime,
});

const fields = {
  id: uuid,
  agentId: uuid,
  status: conversationStatus,
  waitingFor: about(
    'Set while calls of tools wait for the approval of a person; the turn goes on by itself once they are decided, unless a message comes first.',
    waitingFor,
  ),
  createdAt: dateTime,
  updatedAt: dateTime,
};

export const thread = component('Thread', { ...fields, messages: list(message) });

/** A thread without its messages, which an answer streams. */
export const threadHead = wire(fields);

const ending = {
  conversationId: uuid,
  error: about('Why the turn ended without an answer; the conversation can continue.', nullable(t.string)),
};

/** What `continueThread` returns. */
export const conversationReply = component('Exchange', {
  conversationId: ending.conversationId,
  messages: about('The messages of the assistant and its tools in this turn, in stored order.', list(message)),
  error: ending.error,
});

/** The events of a turn that is followed. */
export const turnEvents = {
  'message.delta': component('MessageDelta', {
    id: about('The message that the assistant is writing.', uuid),
    text: about('By what it has grown.', t.string),
  }),
  message,
  done: component('TurnEnd', ending),
};

const ada = { id: exampleId(7), name: 'Ada Lovelace' };

const exampleMessage = (digit: number, fields: Pick<Message, 'role' | 'content'> & Partial<Message>) => ({
  id: exampleId(digit),
  author: ada,
  authorId: ada.id,
  provenance: null,
  toolCalls: [],
  toolCallId: null,
  attachments: [],
  createdAt: exampleTime(`09:31:0${digit}.000`),
  ...fields,
});

const answers = [
  exampleMessage(2, {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'call_1', name: 'ledger_query', arguments: { query: 'select sum(total) from demo.invoices' } }],
  }),
  exampleMessage(3, {
    role: 'tool',
    content: '{"records":[{"sum":2392.88}],"row_count":1,"truncated":false}',
    toolCallId: 'call_1',
  }),
  exampleMessage(4, { role: 'assistant', content: 'The invoices come to 2,392.88 GBP.' }),
];

export const exampleConversation: Conversation = {
  id: exampleId(5),
  workspaceId: exampleId(1),
  agentId: exampleId(2),
  runId: exampleId(4),
  userId: exampleId(7),
  status: 'idle',
  waitingFor: null,
  createdAt: exampleTime('09:30:00.150'),
  updatedAt: exampleTime('09:31:04.000'),
};

export const exampleThread = {
  ...exampleConversation,
  messages: [exampleMessage(1, { role: 'user', content: 'What do the invoices come to?' }), ...answers],
};

export const exampleReply = { conversationId: exampleConversation.id, messages: answers, error: null };
