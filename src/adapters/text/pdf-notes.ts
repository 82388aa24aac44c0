import type { ReadingNote } from '../../application/ports/text.ts';
import type { OpenPdf } from './pdfium.ts';

/** Flags of annotations: hidden where their kind is not known, always, and on a screen. */
const UNLESS_KNOWN = 0x01;
const HIDDEN = 0x02;
const NOT_VIEWED = 0x20;
const MAX_ANNOTATIONS = 10_000;

/**
 * Takes the annotations away that a viewer does not show, before the others become a part of the page. PDFium does not say whether the
 * layer of an annotation is off: those on layers are not read. Answers how many these are.
 */
export const keepShownNotes = ({ pdfium }: OpenPdf, page: number): number => {
  let layered = 0;
  for (let index = Math.min(MAX_ANNOTATIONS, pdfium.FPDFPage_GetAnnotCount(page)) - 1; index >= 0; index -= 1) {
    const annotation = pdfium.FPDFPage_GetAnnot(page, index);
    const flags = pdfium.FPDFAnnot_GetFlags(annotation);
    const isHidden = (flags & (HIDDEN | NOT_VIEWED)) !== 0;
    const isLayered = !isHidden && pdfium.FPDFAnnot_HasKey(annotation, 'OC');
    // It is known to PDFium, which would still leave it out.
    if ((flags & UNLESS_KNOWN) !== 0) pdfium.FPDFAnnot_SetFlags(annotation, flags & ~UNLESS_KNOWN);
    pdfium.FPDFPage_CloseAnnot(annotation);
    if (isHidden || isLayered) pdfium.FPDFPage_RemoveAnnot(page, index);
    if (isLayered) layered += 1;
  }
  return layered;
};

export const unreadNotes = (page: number, count: number): readonly ReadingNote[] =>
  count === 0
    ? []
    : [{ kind: 'unread', page, what: `${count === 1 ? '1 note' : `${count} notes`} on a layer, which may be off` }];
