import type { Coverage } from '../../domain/document.ts';
import type { ModelMessage } from '../ports/models.ts';
import type { TextPage } from '../ports/text.ts';
import type { ReadFile } from './file-reader.ts';

/** What was cut off is noted in a last line of its own. */
const keptOf = (text: string) => Math.max(0, text.lastIndexOf('\n'));

const key = (fileName: string, number: number | null) => JSON.stringify([fileName, number]);

/** The texts of the files' pages as the model was shown them. */
const shownTexts = (messages: readonly ModelMessage[]): ReadonlyMap<string, readonly string[]> => {
  const parts = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  const pages = parts.flatMap((part) =>
    part.type === 'document' ? part.pages.map(({ number, text }) => ({ at: key(part.fileName, number), text })) : [],
  );
  return new Map([...Map.groupBy(pages, ({ at }) => at)].map(([at, own]) => [at, own.map(({ text }) => text)]));
};

interface Count {
  readonly pages: readonly [read: number, total: number];
  readonly characters: readonly [read: number, total: number];
}

const countOf = ({ number, text, unread }: TextPage, shown: readonly string[]): Count => {
  const own = number === null ? 0 : 1;
  const readable = unread === undefined ? text.length : keptOf(text);
  const isWhole = shown.includes(text);
  const seen = isWhole
    ? readable
    : Math.min(readable, Math.max(0, ...shown.map((each) => (text.startsWith(each.slice(0, keptOf(each))) ? keptOf(each) : 0))));
  return {
    pages: [isWhole && unread === undefined ? own : 0, unread?.pages ?? own],
    characters: [seen, readable + (unread?.characters ?? 0)],
  };
};

/** How much of the files the model was shown. A file that it was given as bytes has no characters to count. */
export const coverageOf = (files: readonly ReadFile[], messages: readonly ModelMessage[]): Coverage => {
  const shown = shownTexts(messages);
  const counts = files.flatMap(({ parts }) =>
    parts.flatMap(({ fileName, pages }) => pages.map((page) => countOf(page, shown.get(key(fileName, page.number)) ?? []))),
  );
  const sum = (of: (count: Count) => number) => counts.reduce((total, count) => total + of(count), 0);
  const [pagesRead, pagesTotal] = [sum(({ pages: [read] }) => read), sum(({ pages: [, total] }) => total)];
  const [charactersRead, charactersTotal] = [sum(({ characters: [read] }) => read), sum(({ characters: [, total] }) => total)];
  const isGiven = ({ parts, content }: ReadFile) =>
    parts.every(
      ({ unreadable, fileName }) => unreadable === null || content.some((part) => part.type === 'file' && part.fileName === fileName),
    );
  const complete = pagesRead === pagesTotal && charactersRead === charactersTotal && files.every(isGiven);
  return { pagesRead, pagesTotal, charactersRead, charactersTotal, complete };
};
