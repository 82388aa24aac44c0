import type { ReadingNote } from '../../application/ports/text.ts';
import { htmlText } from './formats/html.ts';
import { counted, unread } from './notes.ts';
import { boundsOf, type Field } from './pdf-fields.ts';
import { type OpenPdf, writtenText } from './pdfium.ts';
import { cleanName } from './text.ts';

/** Flags of annotations: hidden where their kind is not known, always, and on a screen. */
const UNLESS_KNOWN = 0x01;
const HIDDEN = 0x02;
const NOT_VIEWED = 0x20;
const MAX_ANNOTATIONS = 10_000;
const MAX_COMMENT_BYTES = 2000;
const MAX_TEXT_BYTES = 200_000;

const FREE_TEXT = 3;
/** Squares, circles and polygons: what is filled covers what lies below. */
const FILLED = new Set([5, 6, 7]);
const STRIKE_OUT = 12;
const STAMP = 13;
/** PDFium's numbers of notes, of marks on text and of drawings: viewers show what is said of them beside the page, or when they are asked. */
const COMMENTED = new Set([1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15]);
/** Sounds, films, screens for them, and models. */
const PLAYED = new Set([18, 19, 21, 25, 26]);
const NORMAL_APPEARANCE = 0;

export const countedIfAny = (count: number, one: string, more = `${one}s`, behind = ''): readonly string[] =>
  count === 0 ? [] : [`${counted(count, one, more)}${behind}`];

const entryOf = (pdf: OpenPdf, annotation: number, key: string, most: number): string =>
  writtenText(pdf, most, (place, size) => pdf.pdfium.FPDFAnnot_GetStringValue(annotation, key, place, size));

const contentsOf = (pdf: OpenPdf, annotation: number, most: number): string =>
  entryOf(pdf, annotation, 'Contents', most);

const hasComment = (pdf: OpenPdf, annotation: number): boolean =>
  COMMENTED.has(pdf.pdfium.FPDFAnnot_GetSubtype(annotation)) &&
  /[\p{L}\p{N}]/u.test(contentsOf(pdf, annotation, MAX_COMMENT_BYTES));

/** Viewers draw text that is written on a page also where the file has no drawing of it. PDFium's may lack letters, or all of them. */
const drawText = (pdf: OpenPdf, annotation: number): Field | null => {
  const { pdfium } = pdf;
  if (pdfium.FPDFAnnot_GetSubtype(annotation) !== FREE_TEXT) return null;
  if (pdfium.EPDFAnnot_HasAppearanceStream(annotation, NORMAL_APPEARANCE)) return null;
  pdfium.EPDFAnnot_GenerateAppearance(annotation);
  const bounds = boundsOf(pdf, annotation);
  // Some programs write it with its formats alone.
  const text = contentsOf(pdf, annotation, MAX_TEXT_BYTES) || htmlText(entryOf(pdf, annotation, 'RC', MAX_TEXT_BYTES));
  return bounds && { kind: 'note', bounds, text };
};

/** Viewers draw shapes also where the file has no drawing of them. */
const drawShape = ({ pdfium }: OpenPdf, annotation: number): void => {
  if (!FILLED.has(pdfium.FPDFAnnot_GetSubtype(annotation))) return;
  if (!pdfium.EPDFAnnot_HasAppearanceStream(annotation, NORMAL_APPEARANCE))
    pdfium.EPDFAnnot_GenerateAppearance(annotation);
};

/** Viewers draw stamps of their own by their names, and the file says no more of them. */
const isUndrawnStamp = ({ pdfium }: OpenPdf, annotation: number): boolean =>
  pdfium.FPDFAnnot_GetSubtype(annotation) === STAMP &&
  !pdfium.EPDFAnnot_HasAppearanceStream(annotation, NORMAL_APPEARANCE);

/** What is not read of the annotations of a page. */
interface LeftOut {
  layered: number;
  comments: number;
  struck: number;
  /** The names of stamps without a drawing. */
  readonly stamps: string[];
  played: number;
}

const countUnread = (pdf: OpenPdf, annotation: number, left: LeftOut) => {
  const kind = pdf.pdfium.FPDFAnnot_GetSubtype(annotation);
  if (hasComment(pdf, annotation)) left.comments += 1;
  if (kind === STRIKE_OUT) left.struck += 1;
  if (isUndrawnStamp(pdf, annotation))
    left.stamps.unshift(entryOf(pdf, annotation, 'Name', MAX_COMMENT_BYTES) || 'Draft');
  if (PLAYED.has(kind)) left.played += 1;
};

const wordsFor = ({ layered, comments, struck, stamps, played }: LeftOut): readonly string[] => [
  ...countedIfAny(layered, 'note', 'notes', ' on a layer, which may be off'),
  ...countedIfAny(comments, 'comment'),
  ...countedIfAny(struck, 'note that strikes out text', 'notes that strike out text'),
  ...countedIfAny(stamps.length, 'stamp', 'stamps', ` without a drawing: ${cleanName(stamps.join(', '), 'Draft')}`),
  ...countedIfAny(played, 'film, sound or model', 'films, sounds or models'),
];

/**
 * Takes the annotations away that a viewer does not show, before the others become a part of the page. PDFium does not say whether the
 * layer of an annotation is off: those on layers are not read, and what is said of others in comments is no part of the page. Answers what
 * is left out, and the notes that have to be drawn.
 */
export const keepShownNotes = (pdf: OpenPdf, page: number) => {
  const { pdfium } = pdf;
  const drawn: Field[] = [];
  const left: LeftOut = { layered: 0, comments: 0, struck: 0, stamps: [], played: 0 };
  for (let index = Math.min(MAX_ANNOTATIONS, pdfium.FPDFPage_GetAnnotCount(page)) - 1; index >= 0; index -= 1) {
    const annotation = pdfium.FPDFPage_GetAnnot(page, index);
    const flags = pdfium.FPDFAnnot_GetFlags(annotation);
    const isHidden = (flags & (HIDDEN | NOT_VIEWED)) !== 0;
    const isLayered = !isHidden && pdfium.FPDFAnnot_HasKey(annotation, 'OC');
    const isShown = !isHidden && !isLayered;
    const note = isShown ? drawText(pdf, annotation) : null;
    if (note !== null) drawn.unshift(note);
    if (isShown) drawShape(pdf, annotation);
    if (isShown) countUnread(pdf, annotation, left);
    if (isLayered) left.layered += 1;
    // It is known to PDFium, which would still leave it out.
    if ((flags & UNLESS_KNOWN) !== 0) pdfium.FPDFAnnot_SetFlags(annotation, flags & ~UNLESS_KNOWN);
    pdfium.FPDFPage_CloseAnnot(annotation);
    if (!isShown) pdfium.FPDFPage_RemoveAnnot(page, index);
  }
  return { left: wordsFor(left), drawn };
};

export const unreadNotes = (page: number, left: readonly string[]): readonly ReadingNote[] =>
  left.map((what) => unread(what, page));
