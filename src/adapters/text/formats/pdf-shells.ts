import type { TextPage } from '../../../application/ports/text.ts';
import type { OpenPdf } from '../pdfium.ts';

const XFA_THAT_IS_NOT_DRAWN = 2;
/** So many pages of a form are looked at for fields that are drawn. */
const LOOKED_AT = 10;
/** A page that says no more than how to open the file has no more characters. */
const MOST_OF_A_COVER = 1500;
const SENDS_TO_ADOBE = /\bAdobe\b|\bAcrobat\b/;

export const NOT_DRAWN =
  'is a form that Adobe Acrobat and Reader alone draw (XFA): open it there, print it to PDF and upload that';

/** Whether the pages of a form say "Please wait" and no more: programs draw the form itself from a language of its own. */
export const isNotDrawn = ({ pdfium, document, pageCount, onPage }: OpenPdf): boolean => {
  if (pdfium.FPDF_GetFormType(document) !== XFA_THAT_IS_NOT_DRAWN) return false;
  const pages = Array.from({ length: Math.min(LOOKED_AT, pageCount) }, (_, index) => index + 1);
  return pages.every((number) => onPage(number, (page) => pdfium.FPDFPage_GetAnnotCount(page)) === 0);
};

/** Whether a file that holds others has one page, which only says what to open it with. */
export const isCover = (pages: readonly TextPage[], attached: number): boolean => {
  const [{ text } = { text: '' }, ...others] = pages;
  return attached > 0 && others.length === 0 && text.length <= MOST_OF_A_COVER && SENDS_TO_ADOBE.test(text);
};
