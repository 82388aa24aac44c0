import type { FilePart, SourceFile, TextExtractor, TextPage } from '../ports/text.ts';

/** A bundle is read in so many stretches at most, each within the bounds of one file. */
const MOST_STRETCHES = 10;
/** The server keeps the places of about so many words of a bundle in memory; those of later pages are not known. */
const MOST_WORDS = 600_000;

const isPage = ({ number }: TextPage) => number !== null;

/** The page from which on a PDF was not read, for want of room or time; null if there is none. */
const leftAt = ({ contentType, pages, data }: FilePart): number | null => {
  const last = pages.findLast(isPage);
  const { pages: left = 0, characters = 0 } = last?.unread ?? {};
  const isLeft = left > 1 || characters > 0;
  return isLeft && contentType === 'application/pdf' && data.length > 0 ? (last?.number ?? null) : null;
};

const wordsOf = ({ layouts }: FilePart) => layouts.reduce((sum, { words }) => sum + words.length, 0);

/** The part as far as it was read, and `next` from this page on. */
const joined = (part: FilePart, next: FilePart, from: number): FilePart => {
  const isBefore = (number: number | null) => number !== null && number < from;
  const hasRoom = wordsOf(part) < MOST_WORDS;
  return {
    ...part,
    pages: [
      ...part.pages.filter(({ number }) => isBefore(number)),
      ...next.pages.filter(isPage),
      ...part.pages.filter((page) => !isPage(page)),
    ],
    layouts: [
      ...part.layouts.filter(({ number }) => number < from),
      ...(hasRoom ? next.layouts : next.layouts.map((layout) => ({ ...layout, words: [] }))),
    ],
    notes: [
      ...(part.notes ?? []).filter(({ page }) => page === null || page < from),
      ...(next.notes ?? []).filter(({ page }) => page !== null),
    ],
  };
};

const wholeOf = async (text: TextExtractor, part: FilePart, source: SourceFile, signal: AbortSignal) => {
  let whole = part;
  let from = leftAt(part);
  for (let stretch = 2; from !== null && stretch <= MOST_STRETCHES; stretch += 1) {
    const [next] = await text.extract({ ...source, data: part.data, firstPage: from }, signal);
    if (next === undefined || next.unreadable !== null) return whole;
    const end = leftAt({ ...next, data: part.data });
    // One page that is too long alone is as it was.
    if (end === from) return whole;
    whole = joined(whole, next, from);
    from = end;
  }
  return whole;
};

/** What was read of a file, with the pages that one reading has no room or time for: of a bundle each page is a document's. */
export const readOn = async (
  text: TextExtractor,
  parts: readonly FilePart[],
  sharer: SourceFile['sharer'],
  signal: AbortSignal,
): Promise<readonly FilePart[]> => {
  const whole: FilePart[] = [];
  for (const part of parts) {
    const { fileName, contentType, data } = part;
    const source = { fileName, contentType, data, ...(sharer && { sharer }) };
    whole.push(await wholeOf(text, part, source, signal));
  }
  return whole;
};
