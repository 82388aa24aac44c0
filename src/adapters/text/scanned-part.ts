import type { FilePart, TextPage } from '../../application/ports/text.ts';
import type { ScannedPages } from './ocr/ocr.ts';
import type { OcrPage } from './ocr/pages.ts';
import type { GivenPart } from './reader-process.ts';

const byNumber = (a: { readonly number: number | null }, b: { readonly number: number | null }) => (a.number ?? 0) - (b.number ?? 0);

const textOf = ({ text, problem, layout: { number } }: OcrPage): TextPage => ({
  number,
  ...(problem === null ? { text } : { text: `[This page ${problem}.]`, unread: { pages: 1, characters: 0 } }),
});

/** One line for all that was left, on the first of those pages. */
const notRead = ([first, ...others]: readonly number[]): readonly TextPage[] => {
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` and ${others.length.toLocaleString('en')} more pages that are pictures`;
  const text = `[This page${more} could not be read in the time that there is for one file.]`;
  return [{ number: first, text, unread: { pages: others.length + 1, characters: 0 } }];
};

/** Why a file of which OCR could read nothing has no text. */
const reasonOf = (pages: readonly OcrPage[]): string => {
  const problems = [...new Set(pages.flatMap(({ problem }) => problem ?? []))];
  if (problems.length > 0 && pages.length === 1) return problems.join();
  if (problems.length > 0) return `has no text layer, and its pages cannot be read as pictures: the first ${problems[0]}`;
  return pages.length === 0 ? 'is damaged: it holds no picture that can be read' : 'has no text on its pages';
};

/** The part with what OCR read of its pages that are pictures. */
export const withScans = ({ scans: _, ...part }: GivenPart, { pages: read, unread }: ScannedPages): FilePart => {
  if (part.unreadable !== null && !read.some(({ text }) => text !== '')) return { ...part, unreadable: reasonOf(read) };
  const replaced = new Set([...read.map(({ layout }) => layout.number), ...unread]);
  const layouts = read.flatMap(({ layout }) => (layout.words.length > 0 ? layout : []));
  return {
    ...part,
    pages: [
      ...part.pages.filter(({ number }) => number === null || !replaced.has(number)),
      ...read.map(textOf),
      ...notRead(unread),
    ].toSorted(byNumber),
    layouts: [...part.layouts.filter(({ number }) => !replaced.has(number)), ...layouts].toSorted(byNumber),
    unreadable: null,
  };
};
