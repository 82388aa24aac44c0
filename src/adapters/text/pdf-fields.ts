import type { Box } from '../../domain/page-words.ts';
import { isRightToLeft } from '../../domain/text.ts';
import { boxOf } from './boxes.ts';
import { type Bounds, type PrintedWord, shownBounds, toShown } from './pdf-words.ts';
import { type OpenPdf, writtenText } from './pdfium.ts';
import { checkMark } from './text.ts';

const WIDGET = 20;
const CHECK_BOX = 2;
const RADIO_BUTTON = 3;
const COMBO_BOX = 4;
const LIST_BOX = 5;
const TEXT_FIELD = 6;
/** Flags of annotations: never shown, and shown in print alone. */
const NOT_ON_SCREEN = 0x02 | 0x20;
const OFF = 'Off';
const MAX_FIELDS = 2000;
const MAX_OPTIONS = 1000;
const MAX_VALUE_BYTES = 200_000;

/** A field as its widget shows it on a page; the place is in the page's own points. */
export type Field = Readonly<
  | { kind: 'mark'; bounds: Bounds; isOn: boolean }
  /** `stored` is what an exact reader would find in the file, `shown` what a person reads. */
  | { kind: 'value'; bounds: Bounds; stored: string; shown: string }
  | { kind: 'list'; bounds: Bounds; options: readonly Option[] }
  /** A note on the page that the file has no drawing of. */
  | { kind: 'note'; bounds: Bounds; text: string }
>;

interface Option {
  readonly label: string;
  readonly isOn: boolean;
}

export const boundsOf = ({ pdfium, scratch, memory }: OpenPdf, annotation: number): Bounds | null => {
  if (!pdfium.FPDFAnnot_GetRect(annotation, scratch)) return null;
  const [a = 0, b = 0, c = 0, d = 0] = new Float32Array(memory().buffer, scratch, 4);
  const bounds: Bounds = [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  return bounds[2] > bounds[0] && bounds[3] > bounds[1] ? bounds : null;
};

const optionsOf = (pdf: OpenPdf, form: number, annotation: number): readonly Option[] => {
  const { pdfium } = pdf;
  const count = Math.min(MAX_OPTIONS, Math.max(0, pdfium.FPDFAnnot_GetOptionCount(form, annotation)));
  return Array.from({ length: count }, (_, index) => ({
    label: writtenText(pdf, MAX_VALUE_BYTES, (place, size) =>
      pdfium.FPDFAnnot_GetOptionLabel(form, annotation, index, place, size),
    ),
    isOn: pdfium.FPDFAnnot_IsOptionSelected(form, annotation, index),
  }));
};

const fieldOf = (pdf: OpenPdf, form: number, annotation: number): Field | null => {
  const { pdfium } = pdf;
  const bounds = boundsOf(pdf, annotation);
  if (bounds === null) return null;
  const text = (write: (place: number, size: number) => number) => writtenText(pdf, MAX_VALUE_BYTES, write);
  const kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation);
  if (kind === CHECK_BOX || kind === RADIO_BUTTON) {
    const state = text((place, size) => pdfium.FPDFAnnot_GetStringValue(annotation, 'AS', place, size));
    const exported = text((place, size) => pdfium.EPDFAnnot_GetButtonExportValue(annotation, place, size));
    const stored = text((place, size) => pdfium.EPDFAnnot_GetFormFieldRawValue(form, annotation, place, size));
    // What does not say its state shows the one that the whole field has.
    const isOn = state === '' ? stored !== '' && stored === exported : state !== OFF;
    return { kind: 'mark', bounds, isOn };
  }
  if (kind === LIST_BOX) return { kind: 'list', bounds, options: optionsOf(pdf, form, annotation) };
  if (kind !== TEXT_FIELD && kind !== COMBO_BOX) return null;
  const stored = text((place, size) => pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, place, size));
  const chosen = kind === COMBO_BOX ? optionsOf(pdf, form, annotation).find(({ isOn }) => isOn) : undefined;
  return stored === '' ? null : { kind: 'value', bounds, stored, shown: chosen?.label ?? stored };
};

/**
 * Gives the fields of a page the appearance that they have in a viewer: those without one are drawn from their values, and those that
 * are not for the screen are taken away. Answers what they show; the page has to be loaded anew before it is drawn or read.
 */
export const showFields = (pdf: OpenPdf, page: number): readonly Field[] => {
  const { pdfium, form } = pdf;
  const fields: Field[] = [];
  const count = form === null ? 0 : Math.min(MAX_FIELDS, pdfium.FPDFPage_GetAnnotCount(page));
  if (form === null || count === 0) return fields;
  // Draws what has no appearance, or is to be drawn anew as the form says.
  pdfium.FORM_OnAfterLoadPage(page, form);
  pdfium.FORM_OnBeforeClosePage(page, form);
  for (let index = count - 1; index >= 0; index -= 1) {
    const annotation = pdfium.FPDFPage_GetAnnot(page, index);
    const isWidget = pdfium.FPDFAnnot_GetSubtype(annotation) === WIDGET;
    const isHidden = (pdfium.FPDFAnnot_GetFlags(annotation) & NOT_ON_SCREEN) !== 0;
    const field = isWidget && !isHidden ? fieldOf(pdf, form, annotation) : null;
    if (field !== null) fields.unshift(field);
    pdfium.FPDFPage_CloseAnnot(annotation);
    if (isWidget && isHidden) pdfium.FPDFPage_RemoveAnnot(page, index);
  }
  return fields;
};

const contains = (box: Box, { x, y, width, height }: Box): boolean => {
  const across = x + width / 2 - box.x;
  const down = y + height / 2 - box.y;
  return across >= 0 && across <= box.width && down >= 0 && down <= box.height;
};

const around = (words: readonly Box[]): Box => {
  const x = Math.min(...words.map((word) => word.x));
  const y = Math.min(...words.map((word) => word.y));
  const right = Math.max(...words.map((word) => word.x + word.width));
  const bottom = Math.max(...words.map((word) => word.y + word.height));
  return { x, y, width: right - x, height: bottom - y };
};

const letters = (text: string) => text.replace(/\s/g, '');
/** The letters without their order: what a field without an appearance says from right to left is drawn from left to right. */
const sorted = (text: string) => [...letters(text)].toSorted().join('');
const inLatin1 = (text: string) => sorted(text.replace(/[^\0-\xff]/g, ''));
/** Whether a drawing says nothing else than this text: letters may be missing that the font of the form does not have. */
const isDrawingOf = (drawn: string, text: string): boolean =>
  inLatin1(drawn) === inLatin1(text) &&
  [...letters(drawn)].every((letter) => letter === '\ufffd' || text.includes(letter));

/** From half a mark's height to its baseline, in units of its size. */
const BELOW_CENTRE = 0.35;
/** No sign is larger beside the print that it belongs to. */
const MOST_SIZE = 12;
/** How wide a letter is, in units of its size. */
const LETTER = 0.5;

type Size = Readonly<{ width: number; height: number }>;

const wordAt = (text: string, box: Box, page: Size, likeWord: PrintedWord | null): PrintedWord => {
  const size = likeWord?.glyphs.size ?? Math.min(MOST_SIZE, box.width * page.width, box.height * page.height);
  const baseline = likeWord?.glyphs.y ?? -(box.y + box.height / 2) * page.height - BELOW_CENTRE * size;
  const x = box.x * page.width;
  const width = box.width * page.width;
  const glyphs = { text, x, y: baseline, width, size, angle: likeWord?.glyphs.angle ?? 0, isSpaced: true };
  return { ...box, text, confidence: null, glyphs, letters: likeWord?.letters ?? [] };
};

/** The sign for a box or a button in the line of another word, or alone. */
export const markAt = (isOn: boolean, box: Box, page: Size, beside: PrintedWord | null): PrintedWord =>
  wordAt(checkMark(isOn), box, page, beside);

/** The words of a text in a box, like other words in it that say the same in another way: a line each for a line, and as long as their letters. */
const wordsIn = (text: string, box: Box, drawn: readonly PrintedWord[], page: Size): readonly PrintedWord[] => {
  const [first = null] = drawn;
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  return lines.flatMap((line, row) => {
    const y = box.y + (box.height * row) / lines.length;
    const height = box.height / lines.length;
    const like = drawn.find((word) => contains({ ...box, y, height }, word)) ?? first;
    return [...line.matchAll(/\S+/g)].map(({ 0: word, index }) => {
      const share = word.length / line.length;
      const from = isRightToLeft(line) ? 1 - index / line.length - share : index / line.length;
      return wordAt(word, { x: box.x + box.width * from, y, width: box.width * share, height }, page, like);
    });
  });
};

/** A sign before each option that a list shows. */
const markedOptions = (options: readonly Option[], drawn: readonly PrintedWord[], page: Size): readonly PrintedWord[] =>
  options.flatMap(({ label, isOn }) => {
    const [start] = label.trim().split(/\s+/);
    const word = drawn.find(({ text }) => text === start);
    if (word === undefined) return [];
    const width = word.glyphs.size / page.width;
    return [markAt(isOn, { ...word, x: Math.max(0, word.x - 1.5 * width), width }, page, word)];
  });

/** The words that a field takes the place of, and its own. */
interface Shown {
  readonly replaced: readonly PrintedWord[];
  readonly added: readonly PrintedWord[];
}

const AS_DRAWN: Shown = { replaced: [], added: [] };

const textOf = (words: readonly PrintedWord[]) => words.map(({ text }) => text).join(' ');

const shownByNote = (note: string, box: Box, drawn: readonly PrintedWord[], page: Size): Shown => {
  const wanted = note.split(/\s+/);
  if (wanted.every((word) => word === '' || drawn.some(({ text }) => text === word))) return AS_DRAWN;
  const wantedWords = drawn.filter(({ text }) => wanted.includes(text));
  const longest = Math.max(...note.split(/[\r\n]+/).map((line) => line.length));
  const width = Math.min(box.width, (LETTER * MOST_SIZE * longest) / page.width);
  return {
    replaced: isDrawingOf(textOf(drawn), note) ? drawn : wantedWords,
    added: wordsIn(note, { ...box, width }, wantedWords, page),
  };
};

/** What a field shows in its box, in which these words are drawn. */
const shownBy = (field: Field, box: Box, drawn: readonly PrintedWord[], page: Size): Shown => {
  if (field.kind === 'list') return { replaced: [], added: markedOptions(field.options, drawn, page) };
  if (field.kind === 'note') return shownByNote(field.text, box, drawn, page);
  // Of a mark, the letters of a font of signs are drawn.
  if (field.kind === 'mark') return { replaced: drawn, added: [markAt(field.isOn, box, page, null)] };
  const text = textOf(drawn);
  if (drawn.length === 0 || !isDrawingOf(text, field.stored) || text === field.shown) return AS_DRAWN;
  return { replaced: drawn, added: wordsIn(field.shown, around(drawn), drawn, page) };
};

/** The words of a page with those that its fields show in place of what the file stores, and a sign for each box and button. */
export const withFields = (
  pdf: OpenPdf,
  page: number,
  words: readonly PrintedWord[],
  fields: readonly Field[],
): readonly PrintedWord[] => {
  if (fields.length === 0) return words;
  const size = { width: pdf.pdfium.FPDF_GetPageWidthF(page), height: pdf.pdfium.FPDF_GetPageHeightF(page) };
  const toPage = toShown(pdf, page);
  const shown = fields.flatMap((field) => {
    const box = boxOf(...shownBounds(toPage, field.bounds));
    if (box === null) return [];
    const drawn = words.filter((word) => contains(box, word));
    return [shownBy(field, box, drawn, size)];
  });
  const replaced = new Set(shown.flatMap((each) => each.replaced));
  return [...words.filter((word) => !replaced.has(word)), ...shown.flatMap(({ added }) => added)];
};
