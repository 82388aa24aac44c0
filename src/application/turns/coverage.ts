import type { Coverage } from '../../domain/document.ts';
import type { ModelMessage } from '../ports/models.ts';
import type { TextPage } from '../ports/text.ts';
import { partContent, type ReadFile } from './file-reader.ts';
import type { FileWindow } from './file-windows.ts';

/** What was cut off is noted in a last line of its own. */
const keptOf = (text: string) => Math.max(0, text.lastIndexOf('\n'));

const seenOf = (text: string, shown: string): number => {
  if (shown === text) return text.length;
  return text.startsWith(shown.slice(0, keptOf(shown))) ? keptOf(shown) : 0;
};

/** The stretches of a window that the model was shown; `files` have what stands in the window alone. */
export const shownOf = (
  { from }: FileWindow,
  files: readonly ReadFile[],
  messages: readonly ModelMessage[],
): readonly FileWindow[] => {
  const parts = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  const documents = parts.filter((part) => part.type === 'document').values();
  let at = from;
  return files
    .flatMap((file) => file.parts)
    .flatMap((part) => {
      const isShown = partContent(part).some(({ type }) => type === 'document');
      const shown = isShown ? (documents.next().value?.pages ?? []) : [];
      return part.pages.map(({ text }, page) => {
        const start = at;
        at += text.length;
        return { from: start, to: start + seenOf(text, shown[page]?.text ?? '') };
      });
    });
};

/** Stretches that follow each other as one; they are in order and apart from each other. */
const joined = (stretches: readonly FileWindow[]): readonly FileWindow[] => {
  const whole: FileWindow[] = [];
  for (const { from, to } of stretches) {
    const last = whole.at(-1);
    if (last?.to === from) whole.splice(-1, 1, { from: last.from, to });
    else whole.push({ from, to });
  }
  return whole;
};

interface Count {
  readonly pages: readonly [read: number, total: number];
  readonly characters: readonly [read: number, total: number];
}

const countOf = ({ number, text, unread }: TextPage, seen: number): Count => {
  const own = number === null ? 0 : 1;
  const readable = unread === undefined ? text.length : keptOf(text);
  return {
    pages: [seen === text.length && unread === undefined ? own : 0, unread?.pages ?? own],
    characters: [Math.min(readable, seen), readable + (unread?.characters ?? 0)],
  };
};

/** How much of the files the model was shown. A file that it was given as bytes has no characters to count. */
export const coverageOf = (files: readonly ReadFile[], shown: readonly FileWindow[]): Coverage => {
  const stretches = joined(shown);
  const parts = files.flatMap((file) => file.parts);
  let at = 0;
  const counts = parts
    .flatMap(({ pages }) => pages)
    .map((page) => {
      const [from, to] = [at, at + page.text.length];
      at = to;
      const seen = stretches.reduce(
        (sum, each) => sum + Math.max(0, Math.min(to, each.to) - Math.max(from, each.from)),
        0,
      );
      return countOf(page, seen);
    });
  const sum = (of: (count: Count) => number) => counts.reduce((total, count) => total + of(count), 0);
  const [pagesRead, pagesTotal] = [sum(({ pages: [read] }) => read), sum(({ pages: [, total] }) => total)];
  const [charactersRead, charactersTotal] = [
    sum(({ characters: [read] }) => read),
    sum(({ characters: [, total] }) => total),
  ];
  const isGiven = parts.every(({ unreadable, native }) => unreadable === null || native !== null);
  const complete = pagesRead === pagesTotal && charactersRead === charactersTotal && isGiven;
  return { pagesRead, pagesTotal, charactersRead, charactersTotal, complete };
};
