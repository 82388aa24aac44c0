import type { ReadingNote } from '../../application/ports/text.ts';
import type { PageLayout, PageWord } from '../../domain/page-words.ts';
import { linesText } from './formats/pdf-lines.ts';
import { showFields, withFields } from './pdf-fields.ts';
import { hiddenLetters } from './pdf-ink.ts';
import { type PrintedWord, wordsOf } from './pdf-words.ts';
import type { OpenPdf } from './pdfium.ts';

const NORMAL_DISPLAY = 0;

/** A page with its words in the order in which the file has them, those of its form fields too. */
export interface PrintedPage {
  readonly text: string;
  readonly layout: PageLayout;
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

const hiddenNote = (page: number, count: number): readonly ReadingNote[] =>
  count === 0 ? [] : [{ kind: 'hidden', page, what: count === 1 ? '1 hidden word' : `${count} hidden words` }];

/** What so many characters of a page say, by a look at the page where it may be drawn. Throws for a page that is damaged. */
export const printedPage = (pdf: OpenPdf, number: number, most: number, mayDraw = true): PrintedPage => {
  const { pdfium } = pdf;
  // Makes what is filled into forms a part of the page, which takes effect when the page is loaded anew.
  const fields = pdf.onPage(number, (page) => {
    const seen = showFields(pdf, page);
    pdfium.FPDFPage_Flatten(page, NORMAL_DISPLAY);
    return seen;
  });
  return pdf.onPage(number, (page) => {
    const { words, outside } = wordsOf(pdf, page, most);
    const hidden = hiddenLetters(pdf, page, words, mayDraw);
    const own = hidden.size === 0 ? words : wordsOf(pdf, page, most, hidden).words;
    const shown = withFields(pdf, page, own, fields);
    const isHidden = ({ letters }: PrintedWord) => letters.some(({ index }) => hidden.has(index));
    const [width, height] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)];
    return {
      text: linesText(shown.map(({ glyphs }) => glyphs)),
      layout: { number, width, height, source: shown.length === 0 ? 'ocr' : 'text', words: shown.map(plain) },
      notes: hiddenNote(number, words.filter(isHidden).length + outside),
    };
  });
};

/** A look at so many characters of a page says whether it has text. */
const SOME_CHARACTERS = 2000;

/** Whether a page shows text of its own, which OCR need not read. */
export const showsText = (pdf: OpenPdf, number: number): boolean =>
  printedPage(pdf, number, SOME_CHARACTERS, false).layout.words.length > 0;
