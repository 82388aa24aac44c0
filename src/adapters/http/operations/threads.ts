import type { Thread } from '../../../application/conversations/conversations.ts';
import type { ShownMessage } from '../../../application/ports/storage.ts';
import { about, closed, wire } from '../../../wire/kit/structures.ts';
import { text } from '../../../wire/kit/values.ts';
import {
  conversationReply,
  exampleReply,
  exampleThread,
  message,
  thread,
  threadHead,
  turnEvents,
} from '../../../wire/thread.ts';
import { BodyText, ONCE, operation } from '../operation.ts';
import { framesOfTurn, turnStream } from '../turn-stream.ts';

const params = wire({ id: about('The conversation.', text({ min: 1, max: 200 })) });

const CHUNK_CHARACTERS = 32_768;

/** A thread as JSON text, written while it is read. Small messages share a chunk. */
async function* written(
  { conversation }: Thread,
  first: readonly ShownMessage[],
  rest: AsyncIterator<readonly ShownMessage[]>,
) {
  let text = `{"data":${JSON.stringify(threadHead.encode(conversation)).slice(0, -1)},"messages":[`;
  let comma = '';
  for (let page = first; ; ) {
    for (const entry of page) {
      text += comma + JSON.stringify(message.encode(entry));
      comma = ',';
      if (text.length < CHUNK_CHARACTERS) continue;
      yield text;
      text = '';
    }
    const next = await rest.next();
    if (next.done === true) break;
    page = next.value;
  }
  yield `${text}]}}`;
}

export const getThread = operation({
  id: 'getThread',
  method: 'get',
  path: '/threads/{id}',
  resource: 'thread',
  tag: 'Threads',
  access: 'api-key',
  summary: 'Read a thread',
  description:
    'A conversation with its messages in stored order. Runs begin conversations: the `conversations` of a run name them. The system prompt is not among the messages. ' +
    'Only users who see a connection or database see what a tool read from it.',
  params,
  example: { params: { id: exampleThread.id } },
  success: { description: 'The thread.', data: thread, example: exampleThread },
  refuses: ['not_found'],
  handle: async ({ conversations }, { caller, params: { id } }) => {
    const conversation = await conversations.get(caller, id);
    const pages = conversation.messages[Symbol.asyncIterator]();
    const first = await pages.next();
    const messages = first.done === true ? [] : first.value;
    const second = first.done === true ? first : await pages.next();
    if (second.done === true) return { ...conversation.conversation, messages };
    return new BodyText(written(conversation, [...messages, ...second.value], pages));
  },
});

export const continueThread = operation({
  id: 'continueThread',
  method: 'post',
  path: '/threads/{id}/messages',
  resource: 'thread_messages',
  tag: 'Threads',
  access: { scope: 'runs:write' },
  specified: true,
  idempotent: ONCE,
  summary: 'Continue a thread',
  description:
    'Sends a message to the agent of the conversation and waits for the end of its turn: its answer, and the tools it called. ' +
    'A model that fails is no error of this operation: `error` is why there is no answer. While the conversation is responding, another message is ' +
    'refused with 409; `Retry-After` is when to try again. A turn goes on if its client hangs up. A call that needs the approval of a person ends the turn with ' +
    'a message that says so: it takes the result once the person has decided, and the turn goes on by itself. A message that comes first cancels the call. Tools may start runs that end later.\n\n' +
    'With `Accept: text/event-stream` it is a stream of Server-Sent Events: `message.delta` while the assistant writes a message, `message` for each message ' +
    'of the assistant and its tools once it is stored, and at the end `done`, with `error` if there is no answer. The deltas of a message are the beginning of its ' +
    '`content`; `message` has all of it. An attempt of the model that fails is made again under another `id`: discard deltas of a message that never comes. ' +
    'A client that reads slowly gets fewer deltas, and every message. A comment is sent every 15 seconds. A stream that ends without `done` broke off: read the thread.',
  params,
  body: closed({ message: about('The message.', text({ min: 1, max: 100_000 })) }),
  example: { params: { id: exampleThread.id }, body: { message: 'What do the invoices come to?' } },
  success: { description: 'The turn has ended, or a stream of it.', data: conversationReply, example: exampleReply },
  stream: turnEvents,
  streamedAgain: framesOfTurn,
  refuses: ['not_found', 'conversation_busy', 'budget_exhausted'],
  handle: ({ conversations }, { caller, params: { id }, body, streams, signal }) =>
    streams
      ? turnStream(id, (observer) => conversations.send(caller, id, body.message, observer), signal)
      : conversations.send(caller, id, body.message),
});
