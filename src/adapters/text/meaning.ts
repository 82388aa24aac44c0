import type { PaintedLetter, PrintedWord } from './pdf-words.ts';
import type { OpenPdf } from './pdfium.ts';

/** What says nothing by itself: control characters, those for private use, and what stands for an unknown one. */
const MEANINGLESS = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/u;
const PRIVATE = /^\p{Co}$/u;
/** So many of them, and the font has no mapping to Unicode: what else it says is as little to be believed. */
const LEAST_LETTERS = 2;

/** Words of one sign for private use are bullets and ticks, which say nothing that OCR would read. */
const isSign = ({ text }: PrintedWord) => PRIVATE.test(text);

/** The letters of a page without a meaning, by their places in its text: their fonts do not say which characters they draw. */
export const meaninglessLetters = ({ pdfium }: OpenPdf, words: readonly PrintedWord[]): ReadonlySet<number> => {
  const fontOf = ({ object }: PaintedLetter) => pdfium.FPDFTextObj_GetFont(object);
  const counts = new Map<number, number>();
  for (const word of words) {
    if (!MEANINGLESS.test(word.text) || isSign(word)) continue;
    for (const letter of word.letters)
      if (MEANINGLESS.test(letter.text)) counts.set(fontOf(letter), (counts.get(fontOf(letter)) ?? 0) + 1);
  }
  const all = words.flatMap(({ letters }) => letters);
  const isMeaningless = (letter: PaintedLetter) => (counts.get(fontOf(letter)) ?? 0) >= LEAST_LETTERS;
  return new Set(counts.size === 0 ? [] : all.filter(isMeaningless).map(({ index }) => index));
};
