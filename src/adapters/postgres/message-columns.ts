import type { Message } from '../../domain/conversation.ts';

/** A row is the message. */
export const messageColumns = `
id, role, content, tool_calls as "toolCalls", tool_call_id as "toolCallId", attachments, created_at as "createdAt"`;

/** PostgreSQL's text cannot hold a NUL, which a model or a file may well say; in JSON it is written as an escape. */
export const storable = <T extends string | null>(text: T) => text?.replaceAll('\0', '\uFFFD') ?? null;

/** Messages as arrays, one for each column of `unnestMessages`. */
export const messageValues = (list: readonly Message[]) => [
  list.map(({ id }) => id),
  list.map(({ role }) => role),
  list.map(({ content }) => storable(content)),
  list.map(({ toolCalls }) => JSON.stringify(toolCalls)),
  list.map(({ toolCallId }) => storable(toolCallId)),
  list.map(({ attachments }) => JSON.stringify(attachments)),
  list.map(({ createdAt }) => createdAt.toISOString()),
];
