import type { Message } from '../../../domain/conversation.ts';
import { storable } from '../../../domain/text.ts';

/** What of a row `m` of the messages is the message. */
export const messageColumns = `
m.id, m.role, m.content, m.tool_calls as "toolCalls", m.tool_call_id as "toolCallId", m.attachments,
m.author_id as "authorId", m.provenance, m.created_at as "createdAt"`;

/** Messages as arrays, one for each column of `insertMessages`. */
export const messageValues = (list: readonly Message[]) => [
  list.map(({ id }) => id),
  list.map(({ role }) => role),
  list.map(({ content }) => storable(content)),
  list.map(({ toolCalls }) => JSON.stringify(toolCalls)),
  list.map(({ toolCallId }) => toolCallId && storable(toolCallId)),
  list.map(({ attachments }) => JSON.stringify(attachments)),
  list.map(({ createdAt }) => createdAt.toISOString()),
  list.map(({ authorId }) => authorId),
  list.map(({ provenance }) => provenance && JSON.stringify(provenance)),
];

const types = ['uuid', 'text', 'text', 'text', 'text', 'text', 'timestamptz', 'uuid', 'text'];

/** Who wrote the first of the messages, whose arrays begin at this parameter. */
export const firstAuthor = (first: number): string => `($${first + 7}::uuid[])[1]`;

/** Appends the messages in the arrays from parameter `first` on to the conversation in the one row of `conversation`. */
export const insertMessages = (conversation: string, first: number): string => `
insert into messages (conversation_id, seq, id, role, content, tool_calls, tool_call_id, attachments, created_at, author_id, provenance)
select ${conversation}.id, (select coalesce(max(seq), 0) from messages where conversation_id = ${conversation}.id) + n,
  m.id, m.role, m.content, m.tool_calls::json, m.tool_call_id, m.attachments::json, m.created_at, m.author_id, m.provenance::json
from ${conversation}, unnest(${types.map((type, index) => `$${first + index}::${type}[]`).join(', ')})
  with ordinality as m (id, role, content, tool_calls, tool_call_id, attachments, created_at, author_id, provenance, n)`;
