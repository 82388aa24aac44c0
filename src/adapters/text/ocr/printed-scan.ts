import { distance } from 'fastest-levenshtein';
import type { ReadingNote } from '../../../application/ports/text.ts';
import type { PageWord } from '../../../domain/page-words.ts';
import { type Glyphs, readLines } from '../formats/pdf-lines.ts';
import { hiddenNote, type PrintedPage, unreadWriting } from '../pdf-layouts.ts';
import { unreadNotes } from '../pdf-notes.ts';
import { clean } from '../text.ts';
import type { OcrPage } from './ocr-page.ts';
import type { Recognized } from './recognize.ts';

/** Beside print, what OCR is less sure of is a drawing. */
const LEAST_SURE = 0.6;
/** As a share of its letters: by how much a word may differ that another program has read at the same place. */
const MISREAD = 0.4;

const isThere = (word: PageWord, other: PageWord) =>
  Math.min(word.x + word.width, other.x + other.width) > Math.max(word.x, other.x) &&
  Math.min(word.y + word.height, other.y + other.height) > Math.max(word.y, other.y);

/** Without the words that OCR reads at the same place: another program has put under the scan what it has read. */
const hiddenStill = (hidden: readonly PageWord[], read: readonly PageWord[]) =>
  hidden.filter(
    (word) =>
      !read.some(
        (other) =>
          isThere(word, other) &&
          (other.text.includes(word.text) ||
            distance(word.text, other.text) <= MISREAD * Math.max(word.text.length, other.text.length)),
      ),
  );

const glyphsOf = ({ text, x, y, width, height }: PageWord, page: OcrPage['layout']): Glyphs => {
  const baseline = -(y + height) * page.height;
  const size = height * page.height;
  return { text, x: x * page.width, y: baseline, width: width * page.width, size, angle: 0, isSpaced: true };
};

/** What the file says of a page and what OCR reads of the rest of it, in one. */
export const withPrint = (
  printed: PrintedPage,
  read: OcrPage,
  turn: Recognized['turn'],
): Omit<OcrPage, 'notes'> & { readonly notes: readonly ReadingNote[] } => {
  const { number } = read.layout;
  const notes = [
    ...hiddenNote(number, hiddenStill(printed.hidden, read.layout.words).length + printed.outside),
    ...unreadNotes(number, printed.leftOut),
  ];
  if (printed.text === '') return { ...read, notes };
  const words = read.layout.words.filter(
    ({ confidence, text }) => (confidence ?? 1) >= LEAST_SURE && /[\p{L}\p{N}]/u.test(text),
  );
  const layout = { ...printed.layout, words: [...printed.layout.words, ...words] };
  if (words.length === 0)
    return { text: clean(printed.text), layout, problem: null, notes: [...notes, unreadWriting(number)] };
  const isUpright = turn === 0;
  const lines = [...printed.glyphs, ...words.map((word) => glyphsOf(word, read.layout))];
  const text = isUpright ? readLines(lines).text : `${printed.text}\n${read.text}`;
  return { text: clean(text), layout: { ...layout, source: 'ocr' }, problem: null, notes };
};
