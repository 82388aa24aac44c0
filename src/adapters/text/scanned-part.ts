import type { FilePart, TextPage } from '../../application/ports/text.ts';
import { omit } from '../../domain/omit.ts';
import type { PageLayout } from '../../domain/page-words.ts';
import { calibrated } from './ocr/calibration.ts';
import type { ScannedPages } from './ocr/ocr.ts';
import type { OcrPage } from './ocr/ocr-page.ts';
import type { GivenPart } from './reader-process.ts';

const byNumber = (a: { readonly number: number | null }, b: { readonly number: number | null }) =>
  (a.number ?? 0) - (b.number ?? 0);

const textOf = ({ text, problem, layout: { number } }: OcrPage): TextPage => ({
  number,
  ...(problem === null ? { text } : { text: `[This page ${problem}.]`, unread: { pages: 1, characters: 0 } }),
});

/** One line for all that was left, on the first of those pages. */
const notRead = ([first, ...others]: readonly number[]): readonly TextPage[] => {
  if (first === undefined) return [];
  const which =
    others.length === 0
      ? 'This page was'
      : `This page and ${others.length.toLocaleString('en')} more that are pictures were`;
  const text = `[${which} not read: one file may take no more time.]`;
  return [{ number: first, text, unread: { pages: others.length + 1, characters: 0 } }];
};

const noText = (notes: FilePart['notes'] = []): string => {
  const unread = notes.filter(({ kind }) => kind === 'unread').map(({ what }) => what);
  return ['has no text on its pages', ...(unread.length === 0 ? [] : [`not read: ${unread.join(', ')}`])].join('; ');
};

/** Why a file of which OCR could read nothing has no text. */
const reasonOf = ({ pages, unread }: ScannedPages, notes: FilePart['notes']): string => {
  const problem = pages.map((page) => page.problem).find((each) => each !== null);
  if (pages.length === 0 && unread.length > 0)
    return 'has too many pages that are pictures for the time that there is for one file';
  if (pages.length === 0) return 'is damaged: it holds no picture that can be read';
  if (problem === undefined && unread.length > 0)
    return 'has no text on its first pages, and too many more for the time of one file';
  if (problem === undefined) return noText(notes);
  return pages.length === 1
    ? problem
    : `has no text layer, and no page of it can be read as a picture: the first ${problem}`;
};

/** Its words are as sure as they have turned out to be. */
const withCalibrated = ({ words, ...layout }: PageLayout): PageLayout => ({
  ...layout,
  words: words.map((word) => (word.confidence === null ? word : { ...word, confidence: calibrated(word.confidence) })),
});

/** OCR gives no size of a page that it could not read. */
const layoutsWith = (printed: readonly PageLayout[], read: readonly OcrPage[]): readonly PageLayout[] => {
  const all = new Map(printed.map((layout) => [layout.number, layout]));
  for (const { layout } of read) {
    const { width, height } = layout.width > 0 ? layout : (all.get(layout.number) ?? layout);
    if (width > 0) all.set(layout.number, { ...withCalibrated(layout), width, height });
  }
  return [...all.values()].toSorted(byNumber);
};

/** What only the readers need to know of a part is taken away. */
export const withoutScans = (part: GivenPart): FilePart => omit(part, 'scans', 'isContainer', 'isIllustration');

/** Whether OCR saw all of a part, and there is nothing written on it. */
export const isBare = ({ pages, unread }: ScannedPages): boolean =>
  pages.length > 0 && unread.length === 0 && pages.every(({ text, problem }) => text === '' && problem === null);

/** The part with what OCR read of its pages that are pictures. */
export const withScans = (whole: GivenPart, scanned: ScannedPages): FilePart => {
  const part = withoutScans(whole);
  const { unread } = scanned;
  const printed = new Set(part.pages.flatMap(({ number, text }) => (text === '' ? [] : [number])));
  // Where OCR fails, what the file says of the page is kept.
  const read = scanned.pages.filter(({ problem, layout }) => problem === null || !printed.has(layout.number));
  const layouts = layoutsWith(part.layouts, read);
  if (part.unreadable !== null && !read.some(({ text }) => text !== ''))
    return { ...part, layouts, unreadable: reasonOf(scanned, part.notes) };
  const seen = new Set(read.map(({ layout }) => layout.number));
  const kept = part.pages.filter(({ number, text }) => number === null || (text !== '' && !seen.has(number)));
  const withText = new Set(kept.map(({ number }) => number));
  const left = unread.filter((number) => !withText.has(number));
  return {
    ...part,
    pages: [...kept, ...read.map(textOf), ...notRead(left)].toSorted(byNumber),
    layouts,
    notes: [
      ...(part.notes ?? []).filter(({ page }) => page === null || !seen.has(page)),
      ...read.flatMap(({ notes }) => notes ?? []),
    ],
    unreadable: null,
  };
};
