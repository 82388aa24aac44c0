import type { TextPage } from '../ports/text.ts';
import type { ReadFile, ReadPart } from './file-reader.ts';
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
    const own = (places.get(part) ?? []).flatMap((placed) => cut(placed, window) ?? []);
    const isHere = own.length > 0 || (start >= window.from && (start < window.to || window.to === total));
    if (!isHere) return [];
    const numbers = new Set(own.map(({ number }) => number));
    const isWhole = start >= window.from && end <= window.to;
    const layouts = isWhole ? part.layouts : part.layouts.filter(({ number }) => numbers.has(number));
    return [{ ...part, pages: own, layouts, native: isWhole ? part.native : null }];
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
