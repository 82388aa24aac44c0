import type { Message } from '../../domain/conversation.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { truncate } from '../../domain/text.ts';
import type { ModelContent, ModelMessage, ModelTraits, ToolSpec } from '../ports/models.ts';
import { FAILED } from '../tools/tool.ts';

/** Stands for a file or a result that no longer fits. */
const leftOut = (characters: number) =>
  `[${characters} characters are left out here: the conversation has become too long]`;

/** A token seldom has fewer; the model's answer needs room as well. */
const CHARACTERS_PER_TOKEN = 2.5;
/** More of a conversation helps no model, however large its window is. */
const MAX_ROOM = 1_000_000;
const MIN_ROOM = 1000;
const SHORT = 200;
/** What the tags around a page take. */
export const PAGE_TAGS = 60;

/** How many characters fit into so many tokens beside what is always sent. */
const charactersIn = (tokens: number, instructions: string, tools: readonly ToolSpec[]): number =>
  Math.max(MIN_ROOM, Math.floor(tokens * CHARACTERS_PER_TOKEN) - instructions.length - JSON.stringify(tools).length);

/** What a model takes, and what is always sent to it. */
export interface Budget {
  readonly traits: ModelTraits;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
}

/** How many characters of conversation fit into a model's window. */
export const roomIn = ({ traits, instructions, tools }: Budget): number =>
  Math.min(MAX_ROOM, charactersIn(traits.contextTokens, instructions, tools));

/** How many characters of files a model is asked about at once (there is room for the longest answer beside them), and of an exchange about them. */
export const extractionRoomIn = (
  { traits: { contextTokens, outputTokens }, instructions, tools }: Budget,
  schema: JsonSchema,
): { readonly files: number; readonly exchange: number } => {
  const always = instructions + JSON.stringify(schema);
  return {
    files: charactersIn(contextTokens - outputTokens, always, tools),
    exchange: charactersIn(contextTokens, instructions, tools),
  };
};

/** As much of a stored conversation as a turn could use. */
export const contextCharacters = (traits: ModelTraits): number =>
  2 * Math.max(MIN_ROOM, roomIn({ traits, instructions: '', tools: [] }));

const contentSize = (content: ModelContent): number => {
  if (content.type === 'file') return 0;
  return content.type === 'document'
    ? content.pages.reduce((sum, { text }) => sum + text.length + PAGE_TAGS, 0)
    : content.text.length;
};

const sizeOf = (message: ModelMessage): number => {
  if (message.role === 'user') return message.content.reduce((sum, content) => sum + contentSize(content), 0);
  if (message.role === 'tool') return message.text.length;
  return message.text.length + (message.toolCalls.length === 0 ? 0 : JSON.stringify(message.toolCalls).length);
};

export const totalOf = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + sizeOf(message), 0);

/** The calls of an assistant message, each with its result right behind it, in whatever order they were stored: providers insist. */
const callsWithResults = (message: Message, results: ReadonlyMap<string, string>): readonly ModelMessage[] => [
  { role: 'assistant', text: message.content, toolCalls: message.toolCalls },
  ...message.toolCalls.map(({ id, name }): ModelMessage => {
    const text = results.get(id) ?? `${FAILED}There is no result.`;
    const isError = text.startsWith(FAILED);
    return { role: 'tool', toolCallId: id, toolName: name, text: isError ? text.slice(FAILED.length) : text, isError };
  }),
];

/** Only messages of the person who asks now are shown as theirs; the stored author decides, not the text. */
const partsOf = ({ content, authorId, provenance }: Message, personId: string): readonly ModelContent[] => {
  if (content === '') return [];
  if (provenance?.own === true) return [{ type: 'note', text: content }];
  if (provenance === null && authorId === personId) return [{ type: 'text', text: content }];
  return [
    { type: 'quote', of: provenance === null ? 'another user' : 'an agent that read what others wrote', text: content },
  ];
};

/** Stored messages, with their files, as a model is shown them that this person asks; results whose call is not among them are left out. */
export const show = (
  history: readonly Message[],
  personId: string,
  files: ReadonlyMap<string, readonly ModelContent[]>,
): readonly ModelMessage[] => {
  const results = new Map(
    history.flatMap(({ toolCallId, content }) => (toolCallId === null ? [] : [[toolCallId, content]])),
  );
  return history.flatMap((stored): readonly ModelMessage[] => {
    if (stored.role === 'assistant') return callsWithResults(stored, results);
    if (stored.role === 'tool') return [];
    return [{ role: 'user', content: [...partsOf(stored, personId), ...(files.get(stored.id) ?? [])] }];
  });
};

/** As much of it as there is room for: a fence is put around what is left, so that no cut can open one. */
export const cutPart = (content: ModelContent, most: number): ModelContent => {
  if (content.type === 'file') return content;
  if (content.type !== 'document') return { ...content, text: truncate(content.text, most) };
  let room = most;
  const pages = content.pages.flatMap(({ number, text }) => {
    if (room <= 0) return [];
    const kept = truncate(text, room);
    room -= text.length + PAGE_TAGS;
    return [{ number, text: kept }];
  });
  const missing = content.pages.length - pages.length;
  const rest = missing === 0 ? [] : [{ number: null, text: `[${missing} more pages are left out]` }];
  return { ...content, pages: [...pages, ...rest] };
};

const shortened = (message: ModelMessage): ModelMessage => {
  if (message.role !== 'tool' || message.text.length <= SHORT) return message;
  return { ...message, text: leftOut(message.text.length) };
};

/** Takes tool results out, the oldest first, until the rest fits; those that the model has not answered to yet stay. */
export const withoutOldResults = (messages: readonly ModelMessage[], room: number): readonly ModelMessage[] => {
  const lastStep = messages.findLastIndex(({ role }) => role === 'assistant');
  let over = totalOf(messages) - room;
  return messages.map((message, index) => {
    if (over <= 0 || index > lastStep) return message;
    const short = shortened(message);
    over -= sizeOf(message) - sizeOf(short);
    return short;
  });
};

/** Cuts what is longest until everything fits: never an error, however long the messages are. */
export const clipped = (messages: readonly ModelMessage[], room: number): readonly ModelMessage[] => {
  if (totalOf(messages) <= room) return messages;
  const share = Math.max(SHORT, Math.floor(room / messages.length));
  const small = messages.filter((message) => sizeOf(message) <= share);
  const large = messages.length - small.length;
  const most = large === 0 ? share : Math.max(SHORT, Math.floor((room - totalOf(small)) / large));
  return messages.map((message): ModelMessage => {
    if (sizeOf(message) <= most) return message;
    if (message.role === 'tool' || message.role === 'assistant')
      return { ...message, text: truncate(message.text, most) };
    const share = Math.floor(most / Math.max(1, message.content.length));
    const content = message.content.map((part) => cutPart(part, share));
    return { ...message, content };
  });
};

export const note = (text: string): ModelContent => ({ type: 'note', text: `[${text}]` });

export const summaryPart = (text: string): ModelContent => ({
  type: 'quote',
  of: 'summary of the conversation so far',
  text,
});

/** Where the newest turn begins, or the oldest turn before it that still fits into `room`. */
export const keptFrom = (history: readonly Message[], room: number): number => {
  const sizes = history.map(
    ({ content, toolCalls }) => Math.min(content.length, SHORT) + JSON.stringify(toolCalls).length,
  );
  let from = history.findLastIndex(({ role }) => role === 'user');
  if (from === -1) return 0;
  let used = 0;
  for (let at = from - 1; at >= 0; at--) {
    used += history[at]?.role === 'tool' ? (sizes[at] ?? 0) : (history[at]?.content.length ?? 0) + (sizes[at] ?? 0);
    if (used > room) break;
    if (history[at]?.role === 'user') from = at;
  }
  return from;
};

/** A part of a conversation as text, each message cut so that all of it fits. */
export const transcript = (history: readonly Message[], room: number): string => {
  const share = Math.max(SHORT, Math.floor(room / Math.max(1, history.length)));
  const lines = history.map(({ role, content, toolCalls }) => {
    const calls = toolCalls.map(({ name, arguments: args }) => `calls ${name} ${JSON.stringify(args)}`);
    return `${role}: ${truncate([content, ...calls].filter((part) => part !== '').join('\n'), share)}`;
  });
  return truncate(lines.join('\n').replace(/^/gm, '> '), room);
};
