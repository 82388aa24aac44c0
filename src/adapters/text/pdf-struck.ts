import { struck } from './formats/html.ts';
import { boundsOf } from './pdf-appearance.ts';
import type { PageObject } from './pdf-objects.ts';
import { type Bounds, type PrintedWord, toShown } from './pdf-words.ts';
import type { OpenPdf } from './pdfium.ts';

/** In units of the size of print: how thick such a line is at most, by bounds that PDFium gives twice its width, and how high above the baseline it runs. */
const THICKEST = 0.25;
const LOWEST = 0.15;
const HIGHEST = 0.45;
/** How far it begins and ends from the first and the last word that it strikes out. */
const OFF = 0.35;

/** Lines and words of a page together: plans and maps have many of both, and nothing that is struck out. */
const MAX_COMPARED = 20_000_000;

interface Line {
  /** In points, upward, as the baselines of words are given. */
  readonly left: number;
  readonly right: number;
  readonly above: number;
  readonly thickness: number;
  /** When it is painted. */
  readonly place: number;
}

/** The words with those as struck out that a line strikes out which is painted over them, from the first of them to the last. */
export const withStruck = (
  pdf: OpenPdf,
  page: number,
  words: readonly PrintedWord[],
  objects: readonly PageObject[],
): readonly PrintedWord[] => {
  const width = pdf.pdfium.FPDF_GetPageWidthF(page);
  const height = pdf.pdfium.FPDF_GetPageHeightF(page);
  const shown = toShown(pdf, page);
  const places = new Map(objects.map(({ handle }, place) => [handle, place]));
  const lineOf = ([left, top, right, bottom]: Bounds, place: number): Line => ({
    left: left * width,
    right: right * width,
    above: (-(top + bottom) * height) / 2,
    thickness: (bottom - top) * height,
    place,
  });
  const upright = words.filter(({ glyphs }) => glyphs.angle === 0);
  const sizes = upright.map(({ glyphs }) => glyphs.size);
  const thickest = THICKEST * sizes.reduce((most, size) => Math.max(most, size), 0);
  const lines = objects.flatMap(({ handle, kind, isNested }, place) => {
    const line = kind !== 'path' || isNested ? null : lineOf(boundsOf(pdf, handle, shown), place);
    return line === null || line.thickness > thickest ? [] : [line];
  });
  if (lines.length * upright.length > MAX_COMPARED) return words;
  const found = new Set<PrintedWord>();
  for (const line of lines) {
    const crossed = upright.filter(({ glyphs: { x, y, width: length, size }, letters: [letter] }) => {
      const rise = (line.above - y) / size;
      const isOver = x + length / 2 > line.left && x + length / 2 < line.right;
      const isAbove = letter !== undefined && line.place > (places.get(letter.object) ?? objects.length);
      return isOver && isAbove && rise > LOWEST && rise < HIGHEST && line.thickness <= THICKEST * size;
    });
    const begin = Math.min(...crossed.map(({ glyphs }) => glyphs.x));
    const end = Math.max(...crossed.map(({ glyphs }) => glyphs.x + glyphs.width));
    const most = OFF * Math.max(0, ...crossed.map(({ glyphs }) => glyphs.size));
    if (Math.abs(begin - line.left) > most || Math.abs(end - line.right) > most) continue;
    for (const word of crossed) found.add(word);
  }
  if (found.size === 0) return words;
  return words.map((word) => {
    if (!found.has(word)) return word;
    const text = struck(word.text);
    return { ...word, text, glyphs: { ...word.glyphs, text } };
  });
};
