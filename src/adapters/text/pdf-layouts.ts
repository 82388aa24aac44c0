import type { PageLayout, PageWord } from '../../domain/page-words.ts';
import { linesText } from './formats/pdf-lines.ts';
import { showFields, withFields } from './pdf-fields.ts';
import { type Bounds, type PrintedWord, wordsOf } from './pdf-words.ts';
import type { OpenPdf } from './pdfium.ts';

const NORMAL_DISPLAY = 0;
const TEXT = 1;
const IMAGE = 3;
/** The mode of text that is there to be found and copied, and is not painted: scanners put what they read under the picture of a page. */
const INVISIBLE = 3;
/** How much of a page is looked at for text under pictures. */
const MAX_OBJECTS = 20_000;
const MAX_PICTURES = 100;

const boundsOf = ({ pdfium, scratch, memory }: OpenPdf, object: number): Bounds | null => {
  if (!pdfium.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12)) return null;
  const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(memory().buffer, scratch, 4);
  return [left, bottom, right, top];
};

const covers = ([left, bottom, right, top]: Bounds, [a, b, c, d]: Bounds) =>
  left <= a && bottom <= b && right >= c && top >= d;

/** Whether most of a page's text lies under pictures that were painted later, so that it says something else than it shows. */
const isCovered = (pdf: OpenPdf, page: number): boolean => {
  const { pdfium } = pdf;
  const count = Math.min(MAX_OBJECTS, pdfium.FPDFPage_CountObjects(page));
  let [texts, hidden] = [0, 0];
  const pictures: Bounds[] = [];
  for (let index = count - 1; index >= 0; index -= 1) {
    const object = pdfium.FPDFPage_GetObject(page, index);
    const kind = pdfium.FPDFPageObj_GetType(object);
    const bounds = kind === TEXT || kind === IMAGE ? boundsOf(pdf, object) : null;
    if (bounds === null) continue;
    if (kind === TEXT) {
      texts += 1;
      hidden += pictures.some((picture) => covers(picture, bounds)) ? 1 : 0;
    } else if (pictures.length < MAX_PICTURES && !pdfium.FPDFPageObj_HasTransparency(object)) pictures.push(bounds);
  }
  return hidden * 2 > texts;
};

/** A page with its words in the order in which the file has them, those of its form fields too. */
export interface PrintedPage {
  readonly text: string;
  readonly layout: PageLayout;
  /** Whether most of its text is not to be seen: it lies under pictures, or is not painted at all. */
  readonly isHidden: boolean;
}

const plain = ({ text, x, y, width, height, confidence }: PrintedWord): PageWord => ({
  text,
  x,
  y,
  width,
  height,
  confidence,
});

/** What so many characters of a page say. Throws for a page that is damaged. */
export const printedPage = (pdf: OpenPdf, number: number, most: number): PrintedPage => {
  const { pdfium } = pdf;
  // Makes what is filled into forms a part of the page, which takes effect when the page is loaded anew.
  const fields = pdf.onPage(number, (page) => {
    const seen = showFields(pdf, page);
    pdfium.FPDFPage_Flatten(page, NORMAL_DISPLAY);
    return seen;
  });
  return pdf.onPage(number, (page) => {
    const words = wordsOf(pdf, page, most);
    const painted = words.filter(({ object }) => pdfium.FPDFTextObj_GetTextRenderMode(object) !== INVISIBLE);
    const isHidden = painted.length * 2 < words.length || isCovered(pdf, page);
    // Where a page shows most of its text, a box around what it does not show would be empty.
    const shown = withFields(pdf, page, isHidden ? words : painted, fields);
    const [width, height] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)];
    return {
      text: linesText(shown.map(({ glyphs }) => glyphs)),
      layout: { number, width, height, source: words.length === 0 ? 'ocr' : 'text', words: shown.map(plain) },
      isHidden,
    };
  });
};

/** A look at so many characters of a page says whether it has text. */
const SOME_CHARACTERS = 2000;

/** Whether a page shows text of its own, which OCR need not read. */
export const showsText = (pdf: OpenPdf, number: number): boolean => {
  const { layout, isHidden } = printedPage(pdf, number, SOME_CHARACTERS);
  return layout.words.length > 0 && !isHidden;
};
