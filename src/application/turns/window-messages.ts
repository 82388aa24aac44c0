import type { Message } from '../../domain/conversation.ts';
import { escapeToken, isObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { MergedDocument } from '../../domain/merged-document.ts';
import { shorten } from '../../domain/text.ts';
import type { ModelContent } from '../ports/models.ts';
import type { SupportedQuote } from './evidence.ts';
import type { ReadFile } from './file-reader.ts';
import type { FileWindow } from './file-windows.ts';

const pagesIn = (files: readonly ReadFile[]): string => {
  const parts = files.flatMap((file) => file.parts);
  const numbers = parts.flatMap(({ pages }) => pages.flatMap(({ number }) => number ?? []));
  const first = numbers[0];
  const last = numbers.at(-1);
  if (parts.length !== 1 || first === undefined) return '';
  return first === last ? ` (page ${first})` : ` (pages ${first} to ${last})`;
};

/** Asks about one window of the files. It is stored before the answer, so that a turn that goes on finds out where the last one stopped. */
export const windowNote = ({ from, to }: FileWindow, total: number, files: readonly ReadFile[]): string =>
  `Part of the files: characters ${from} to ${to} of ${total}${pagesIn(files)}. ` +
  'Answer with what stands in this part alone: every element of a list that stands here, and each other value that no earlier part gave, ' +
  'or that this part states otherwise. Leave out what does not stand here.';

const NOTE = /^Part of the files: characters (\d+) to (\d+) of (\d+)\b/;

/** A window that the model was asked about, and where in the history the messages of that are. */
export interface StoredWindow {
  readonly window: FileWindow;
  /** The place of the first one, */
  readonly since: number;
  /** and the place behind the last one; null of the newest window, which goes on. */
  readonly until: number | null;
}

const closed = (stored: StoredWindow, at: number): StoredWindow =>
  stored.until === null ? { ...stored, until: at } : stored;

/** The windows that a conversation has come through, without those that were begun anew or belong to files as they were once. */
export const storedWindows = (history: readonly Message[], total: number): readonly StoredWindow[] => {
  let windows: readonly StoredWindow[] =
    history.length > 1 ? [{ window: { from: 0, to: total }, since: 1, until: null }] : [];
  for (const [index, { role, content, provenance }] of history.entries()) {
    const isOwn = role === 'user' && provenance?.own === true;
    const [isNote, from, to, of] = (isOwn && NOTE.exec(content)) || [];
    if (isNote === undefined) continue;
    const window = { from: Number(from), to: Number(to) };
    const before = windows.filter((stored) => stored.window.from < window.from);
    const next = { window, since: index + 1, until: null };
    windows = Number(of) === total ? [...before.map((stored) => closed(stored, index)), next] : [];
  }
  return windows;
};

const MOST_VALUES = 50;
const MOST_CALLS = 20;
const MAX_VALUE = 200;
const MAX_ROW = 500;

const short = (value: JsonValue, most: number) => shorten(JSON.stringify(value), most);

interface Line {
  readonly of: 'list' | 'value';
  readonly text: string;
}

/** Each value by its pointer; of a list, how long it is and what stands in its last element: the next part may go on without a header. */
function* linesOf(data: JsonObject, quotes: readonly SupportedQuote[], at = ''): Generator<Line> {
  for (const [key, value] of Object.entries(data)) {
    const pointer = `${at}/${escapeToken(key)}`;
    if (isObject(value)) yield* linesOf(value as JsonObject, quotes, pointer);
    else if (!Array.isArray(value))
      yield* value === null ? [] : [{ of: 'value', text: `${pointer}: ${short(value, MAX_VALUE)}` }];
    else if (value.length > 0) {
      const last = `${pointer}/${value.length - 1}`;
      const quote = quotes.findLast((claim) => claim.pointer === last || claim.pointer.startsWith(`${last}/`))?.quote;
      const from = quote === undefined ? '' : `, read from ${short(quote, MAX_ROW)}`;
      yield {
        of: 'list',
        text: `${pointer}: ${value.length} so far, the last one ${short(value.at(-1) as JsonValue, MAX_ROW)}${from}`,
      };
    }
  }
}

/** What the earlier parts gave, as far as it helps with the next one; null if that is nothing. It is quoted: files may have written it. */
export const earlierParts = (
  { data, evidence }: MergedDocument<SupportedQuote>,
  messages: readonly Message[],
  most: number,
): Extract<ModelContent, { type: 'quote' }> | null => {
  const lines = [...linesOf(data, evidence)];
  const textsOf = (wanted: 'list' | 'value') => lines.flatMap(({ of, text }) => (of === wanted ? text : []));
  const calls = messages
    .flatMap(({ toolCalls }) => toolCalls)
    .slice(-MOST_CALLS)
    .map(({ name, arguments: args }) => `called ${name} ${short(args, MAX_VALUE)}`);
  // If there is too much, the last ones are left out.
  const text = [...textsOf('list'), ...calls, ...textsOf('value').slice(0, MOST_VALUES)].join('\n');
  return text === '' ? null : { type: 'quote', of: 'what earlier parts of the files gave', text: shorten(text, most) };
};
