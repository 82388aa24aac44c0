import type { ReadingNote } from '../../application/ports/text.ts';
import type { PageLayout, PageWord } from '../../domain/page-words.ts';
import { lettersDrawnOtherwise } from './drawn-otherwise.ts';
import type { TableRow } from './formats/columns.ts';
import { filesOnPage, nothingAttached, type Room } from './formats/pdf-attachments.ts';
import { type Glyphs, readLines } from './formats/pdf-lines.ts';
import { meaninglessLetters } from './meaning.ts';
import { counted, noteIfAny, unread } from './notes.ts';
import { checkBoxesOn, noCheckBoxes } from './pdf-check-boxes.ts';
import { type Field, showFields, withFields } from './pdf-fields.ts';
import { hasWriting, hiddenLetters, restOf } from './pdf-ink.ts';
import { countedIfAny, keepShownNotes, unreadNotes } from './pdf-notes.ts';
import { objectsOf, type PageObject } from './pdf-objects.ts';
import { undecodedPictures } from './pdf-pictures.ts';
import { withStruck } from './pdf-struck.ts';
import { type PrintedWord, wordsOf } from './pdf-words.ts';
import type { OpenPdf } from './pdfium.ts';
import type { Contained } from './text.ts';

const NORMAL_DISPLAY = 0;

/** A page with its words in the order in which the file has them, those of its form fields too. */
export interface PrintedPage {
  readonly text: string;
  readonly layout: PageLayout;
  readonly glyphs: readonly Glyphs[];
  /** The rows of tables at its end. */
  readonly rows: readonly TableRow[];
  /** The words that it does not show, and how many more stand beyond its edges. */
  readonly hidden: readonly PageWord[];
  readonly outside: number;
  /** What of its notes was left out, and of its pictures. */
  readonly leftOut: readonly string[];
  /** The files that are attached to places on it. */
  readonly attached: Contained;
  /** The objects that paint what its words say. */
  readonly painters: ReadonlySet<number>;
  /** Whether it shows more than its words say, which OCR may read. */
  readonly isPicture: boolean;
  readonly notes: readonly ReadingNote[];
}

const plain = ({ text, x, y, width, height, confidence }: PrintedWord): PageWord => ({
  text,
  x,
  y,
  width,
  height,
  confidence,
});

export const hiddenNote = (page: number, count: number): readonly ReadingNote[] =>
  noteIfAny('hidden', count, counted(count, 'hidden word'), page);

export const unreadWriting = (page: number): ReadingNote => unread('writing that is no text of the file', page);

/** The texts of a page but for those that say nothing. Also those that say what others say at the same place, and so paint no word of their own. */
const textsBesides = (
  objects: readonly PageObject[],
  words: readonly PrintedWord[],
  unread: ReadonlySet<number>,
): ReadonlySet<number> => {
  const letters = words.flatMap((word) => word.letters);
  const meaningless = new Set(letters.flatMap(({ index, object }) => (unread.has(index) ? [object] : [])));
  const texts = objects.filter(({ kind, handle }) => kind === 'text' && !meaningless.has(handle));
  return new Set(texts.map(({ handle }) => handle));
};

/** What stands on a page besides its own content: fields and notes that are drawn, what of its notes is left out, and files. */
interface Added {
  readonly fields: readonly Field[];
  readonly notesLeft: readonly string[];
  readonly attached: Contained;
}

const nothingAdded: Added = { fields: [], notesLeft: [], attached: nothingAttached };

/** Makes notes, and what is filled into forms, a part of the page, which takes effect when the page is loaded anew. */
const flattened = (pdf: OpenPdf, page: number, { room }: Look): Added => {
  const attached = room === undefined ? nothingAttached : filesOnPage(pdf, page, room);
  const fields = showFields(pdf, page);
  const notes = keepShownNotes(pdf, page);
  pdf.pdfium.FPDFPage_Flatten(page, NORMAL_DISPLAY);
  return { fields: [...fields, ...notes.drawn], notesLeft: notes.left, attached };
};

export interface Look {
  readonly most: number;
  readonly mayDraw: boolean;
  /** The rows at the end of the page before, if it was read. */
  readonly before?: readonly TableRow[];
  /** For the files that are attached to places on it; absent: they are not wanted. */
  readonly room?: Room;
}

const printedOn = (
  pdf: OpenPdf,
  page: number,
  number: number,
  { most, mayDraw, before }: Look,
  { fields, notesLeft, attached }: Added,
): PrintedPage => {
  const { words, outside } = wordsOf(pdf, page, most);
  const hidden = hiddenLetters(pdf, page, words, mayDraw);
  const isHidden = ({ letters }: PrintedWord) => letters.some(({ index }) => hidden.has(index));
  const visible = words.filter((word) => !isHidden(word));
  const unread = new Set([...meaninglessLetters(pdf, visible), ...lettersDrawnOtherwise(pdf, page, visible, mayDraw)]);
  const without = new Set([...hidden, ...unread]);
  const seen = without.size === 0 ? words : wordsOf(pdf, page, most, without).words;
  const inFields = withFields(pdf, page, seen, fields);
  const width = pdf.pdfium.FPDF_GetPageWidthF(page);
  const height = pdf.pdfium.FPDF_GetPageHeightF(page);
  const objects = objectsOf(pdf, page);
  const texts = textsBesides(objects, words, unread);
  const rest = seen.length === 0 ? null : restOf(pdf, page, texts, mayDraw);
  const boxes = rest === null ? noCheckBoxes : checkBoxesOn(pdf, page, inFields, texts, rest);
  const unticked = inFields.filter((word) => !boxes.replaced.has(word));
  const shown = withStruck(pdf, page, [...unticked, ...boxes.words], objects);
  const painters = new Set([...texts, ...boxes.painters]);
  const bare = boxes.painters.size === 0 ? rest : restOf(pdf, page, painters, mayDraw);
  const isPicture = seen.length === 0 || unread.size > 0 || hasWriting(pdf, page, painters, bare);
  const glyphs = shown.map((word) => word.glyphs);
  const hiddenWords = words.filter(isHidden);
  const undecoded = mayDraw ? undecodedPictures(pdf, objects) : 0;
  const leftOut = [
    ...notesLeft,
    ...countedIfAny(undecoded, 'picture', 'pictures', ' that cannot be decoded'),
    ...countedIfAny(boxes.unclear, 'drawing', 'drawings', ' that may be a ticked box'),
  ];
  return {
    ...readLines(glyphs, before),
    glyphs,
    layout: { number, width, height, source: shown.length === 0 ? 'ocr' : 'text', words: shown.map(plain) },
    hidden: hiddenWords,
    outside,
    leftOut,
    attached,
    painters,
    isPicture,
    notes: [
      ...hiddenNote(number, hiddenWords.length + outside),
      ...(isPicture && (shown.length > 0 || unread.size > 0) ? [unreadWriting(number)] : []),
      ...unreadNotes(number, leftOut),
    ],
  };
};

/** Reads an open page and gives it on; throws for one that is damaged. */
export const onPrintedPage = <T>(
  pdf: OpenPdf,
  number: number,
  look: Look,
  use: (page: number, printed: PrintedPage) => T,
): T => {
  const read = (page: number, added: Added) => use(page, printedOn(pdf, page, number, look, added));
  const first = pdf.onPage(number, (page) =>
    pdf.pdfium.FPDFPage_GetAnnotCount(page) === 0 ? { read: read(page, nothingAdded) } : flattened(pdf, page, look),
  );
  return 'read' in first ? first.read : pdf.onPage(number, (page) => read(page, first));
};

/** What so many characters of a page say, by a look at the page where it may be drawn. Throws for a page that is damaged. */
export const printedPage = (pdf: OpenPdf, number: number, look: Look): PrintedPage =>
  onPrintedPage(pdf, number, look, (_, printed) => printed);

/** A look at so many characters of a page says whether it has text. */
const SOME_CHARACTERS = 2000;

/** Whether a page shows text of its own, which OCR need not read. */
export const showsText = (pdf: OpenPdf, number: number): boolean =>
  printedPage(pdf, number, { most: SOME_CHARACTERS, mayDraw: false }).layout.words.length > 0;
