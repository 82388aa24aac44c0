import type { Coverage, UnreadContent } from '../../domain/coverage.ts';
import type { ReadingDoubt } from '../../domain/review.ts';
import { wayTo } from '../files/file-parts.ts';
import type { ModelMessage } from '../ports/models.ts';
import type { TextPage } from '../ports/text.ts';
import { partContent, type ReadFile, type ReadPart } from './file-reader.ts';
import { PAGE_TAGS } from './history.ts';

/** A stretch of the text of all files, by characters from the beginning of the first: pages follow each other without anything between. */
export interface FileWindow {
  readonly from: number;
  readonly to: number;
}

/** A page with its place in the text of all files. */
interface Placed {
  readonly page: TextPage;
  readonly from: number;
  readonly to: number;
}

const lengthOf = ({ pages }: ReadPart) => pages.reduce((sum, { text }) => sum + text.length, 0);

/** Up to `most` characters that end with a line if they can, and never within a surrogate pair. */
const beginningOf = (text: string, most: number): number => {
  const line = text.lastIndexOf('\n', most - 1) + 1;
  if (line > 0) return line;
  return /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') ? most - 1 || 2 : most;
};

/** What of the page stands in the window; null if nothing does. A page without text stands where its neighbours meet. */
const cut = ({ page, from, to }: Placed, window: FileWindow): TextPage | null => {
  if (from >= window.from && to <= window.to) return page;
  if (to <= window.from || from >= window.to) return null;
  const { unread, ...rest } = page;
  const text = page.text.slice(Math.max(0, window.from - from), window.to - from);
  return to <= window.to && unread !== undefined ? { ...rest, text, unread } : { ...rest, text };
};

export const fileWindows = (files: readonly ReadFile[]) => {
  let total = 0;
  const places = new Map<ReadPart, readonly Placed[]>();
  const starts = new Map<ReadPart, number>();
  for (const part of files.flatMap(({ parts }) => parts)) {
    starts.set(part, total);
    const placed = part.pages.map((page): Placed => {
      const from = total;
      total += page.text.length;
      return { page, from, to: total };
    });
    places.set(part, placed);
  }
  const pages = [...places.values()].flat();

  /** The file itself is shown beside the whole of its text alone: it cannot be cut. */
  const partIn = (part: ReadPart, window: FileWindow): readonly ReadPart[] => {
    const start = starts.get(part) ?? 0;
    const end = start + lengthOf(part);
    const inside = (places.get(part) ?? []).flatMap((placed) => cut(placed, window) ?? []);
    const isHere = inside.length > 0 || (start >= window.from && (start < window.to || window.to === total));
    if (!isHere) return [];
    const numbers = new Set(inside.map(({ number }) => number));
    const isWhole = start >= window.from && end <= window.to;
    const layouts = isWhole ? part.layouts : part.layouts.filter(({ number }) => numbers.has(number));
    return [{ ...part, pages: inside, layouts, native: isWhole ? part.native : null }];
  };

  return {
    /** How many characters the files have. */
    total,

    /**
     * The next window: as many whole pages as there is room for, at least one. A page that is too long alone is split behind a line, or
     * within one that is too long itself: then the lines on either side of the cut are what is whole.
     */
    next(from: number, room: number): FileWindow {
      let to = from;
      let left = room;
      for (const page of pages) {
        if (page.to < from || page.to === to) continue;
        left -= page.to - Math.max(page.from, from) + PAGE_TAGS;
        if (left < 0) break;
        to = page.to;
      }
      if (to > from || from >= total) return { from, to: Math.max(from, to) };
      const first = pages.find((page) => page.to > from);
      return {
        from,
        to: from + beginningOf(first?.page.text.slice(from - first.from) ?? '', Math.max(1, room - PAGE_TAGS)),
      };
    },

    /** The files with what stands in the window alone. */
    filesIn: (window: FileWindow): readonly ReadFile[] =>
      files.flatMap((file) => {
        const parts = file.parts.flatMap((part) => partIn(part, window));
        return parts.length === 0 ? [] : [{ ...file, parts }];
      }),
  };
};

export type FileWindows = ReturnType<typeof fileWindows>;

/** A last line of its own says that text was cut off. */
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
  const one = number === null ? 0 : 1;
  const readable = unread === undefined ? text.length : keptOf(text);
  return {
    pages: [seen === text.length && unread === undefined ? one : 0, unread?.pages ?? one],
    characters: [Math.min(readable, seen), readable + (unread?.characters ?? 0)],
  };
};

const MOST_UNREAD = 100;

const bounded = (unread: readonly UnreadContent[]): readonly UnreadContent[] => {
  const rest = unread.length - MOST_UNREAD;
  if (rest <= 0) return unread;
  return [
    ...unread.slice(0, MOST_UNREAD),
    { fileName: null, page: null, what: `and ${rest.toLocaleString('en')} more` },
  ];
};

/** What a page lacks: its last line says what the reader left out, else it is what did not fit into the windows of the model. */
const lackOf = ({ text, unread }: TextPage, seen: number): string | null => {
  if (unread !== undefined)
    return text
      .slice(keptOf(text))
      .trim()
      .replace(/^\[|\.?\]$/g, '');
  const left = text.length - seen;
  return left === 0 ? null : `${left.toLocaleString('en')} characters that the model was not shown`;
};

/** How much each page of a part was shown, in the order of the pages. */
type SeenPages = readonly { readonly page: TextPage; readonly seen: number }[];

const unreadOf = (part: ReadPart, pages: SeenPages): readonly UnreadContent[] => {
  const fileName = wayTo(part);
  const { unreadable, native, notes = [] } = part;
  return [
    ...(unreadable === null || native !== null ? [] : [{ fileName, page: null, what: `all of it: it ${unreadable}` }]),
    ...pages.flatMap(({ page, seen }) => {
      const what = lackOf(page, seen);
      return what === null ? [] : [{ fileName, page: page.number, what }];
    }),
    ...notes.flatMap(({ kind, page, what }) => (kind === 'unread' ? [{ fileName, page, what }] : [])),
  ];
};

const doubtsOf = (part: ReadPart): readonly ReadingDoubt[] =>
  (part.notes ?? []).flatMap(({ kind, page, what }): readonly ReadingDoubt[] => {
    const where = page === null ? wayTo(part) : `${wayTo(part)}, page ${page},`;
    if (kind === 'hidden') return [{ code: 'hidden_text', message: `${where} has ${what}: that was not read.` }];
    return kind === 'encoding' ? [{ code: 'encoding_uncertain', message: `${where} ${what}.` }] : [];
  });

/** How much of the files the model was shown. A file that it was given as bytes has no characters to count. */
export const coverageOf = (files: readonly ReadFile[], shown: readonly FileWindow[]): Coverage => {
  const stretches = joined(shown);
  const parts = files.flatMap((file) => file.parts);
  let at = 0;
  const seenPages = parts.map(
    ({ pages }): SeenPages =>
      pages.map((page) => {
        const from = at;
        const to = at + page.text.length;
        at = to;
        const overlaps = stretches.map((each) => Math.max(0, Math.min(to, each.to) - Math.max(from, each.from)));
        return { page, seen: overlaps.reduce((sum, length) => sum + length, 0) };
      }),
  );
  const counts = seenPages.flat().map(({ page, seen }) => countOf(page, seen));
  const sum = (of: (count: Count) => number) => counts.reduce((total, count) => total + of(count), 0);
  const unread = parts.flatMap((part, index) => unreadOf(part, seenPages[index] ?? []));
  return {
    pagesRead: sum(({ pages: [read] }) => read),
    pagesTotal: sum(({ pages: [, total] }) => total),
    charactersRead: sum(({ characters: [read] }) => read),
    charactersTotal: sum(({ characters: [, total] }) => total),
    complete: unread.length === 0,
    unread: bounded(unread),
    doubts: parts.flatMap(doubtsOf),
  };
};
