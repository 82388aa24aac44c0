import type { PageLayout, PageWord } from '../../domain/page-words.ts';
import { boxOf } from './boxes.ts';
import type { OpenPdf } from './pdfium.ts';

/** As the page is shown: how many device units PDFium divides its width and its height into. */
const FRACTION = 1 << 24;
/** What PDFium puts in place of a hyphen at the end of a line. */
const LINE_HYPHEN = 0x02;
const SOFT_HYPHEN = 0xad;
const LAST_CODE_POINT = 0x10ffff;
const NORMAL_DISPLAY = 0;
const TEXT = 1;
const IMAGE = 3;
/** The mode of text that is there to be found and copied, and is not painted. */
const INVISIBLE = 3;
/** How much of a page is looked at for text under pictures. */
const MAX_OBJECTS = 20_000;
const MAX_PICTURES = 100;
/** Of one file: the server keeps them in memory while it reads the file. */
const MAX_WORDS = 200_000;
/** Text without places is better than none because there was no time left. */
const MAX_MILLISECONDS = 15_000;

type Point = readonly [x: number, y: number];

/** From the page's own points to fractions of the page as it is shown: three points say all of an affine map. */
const toShown = ({ pdfium, scratch, memory }: OpenPdf, page: number) => {
  const at = (x: number, y: number): Point => {
    pdfium.FPDF_PageToDevice(page, 0, 0, FRACTION, FRACTION, 0, x, y, scratch, scratch + 4);
    const view = new DataView(memory().buffer, scratch);
    return [view.getInt32(0, true) / FRACTION, view.getInt32(4, true) / FRACTION];
  };
  const [[x0, y0], [x1, y1], [x2, y2]] = [at(0, 0), at(100, 0), at(0, 100)];
  return (x: number, y: number): Point => [
    x0 + ((x1 - x0) * x + (x2 - x0) * y) / 100,
    y0 + ((y1 - y0) * x + (y2 - y0) * y) / 100,
  ];
};

/** Some fonts have glyphs for several letters at once; `ﬁ` is written as it is read. */
const readable = (letters: string) => letters.replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize('NFKC'));

/** Left, bottom, right and top, in the page's own points. */
type Bounds = readonly [number, number, number, number];

interface Letter {
  /** Its place in the text of the page. */
  readonly index: number;
  /** Empty for a soft hyphen. */
  readonly text: string;
  readonly bounds: Bounds | null;
}

/** The letters of a page; null where a word ends. */
function* lettersOf({ pdfium, scratch, memory }: OpenPdf, text: number): Generator<Letter | null, void> {
  const count = pdfium.FPDFText_CountChars(text);
  for (let index = 0; index < count; index += 1) {
    const code = pdfium.FPDFText_GetUnicode(text, index);
    const letter = String.fromCodePoint(code > 0 && code <= LAST_CODE_POINT ? code : 0xfffd);
    if (code === 0 || /\s/.test(letter)) {
      yield null;
      continue;
    }
    const isPlaced = pdfium.FPDFText_GetLooseCharBox(text, index, scratch);
    const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(memory().buffer, scratch, 4);
    const shown = code === SOFT_HYPHEN ? '' : code === LINE_HYPHEN ? '-' : letter;
    yield { index, text: shown, bounds: isPlaced ? [left, bottom, right, top] : null };
    if (code === LINE_HYPHEN) yield null;
  }
}

/** As a share of a letter's size: no two letters of a word lie further apart, along their line or across it. */
const APART = 0.5;

/** Whether a letter goes on with the word of the one before it: where a file has a table column by column, the next may be another cell's. */
const goesOn = (before: Bounds, letter: Bounds, angle: number): boolean => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const sizes = [before, letter].map(([left, bottom, right, top]) => [right - left, top - bottom] as const);
  const most = APART * Math.max(...sizes.flat());
  const [dx, dy] = [letter[0] + letter[2] - before[0] - before[2], letter[1] + letter[3] - before[1] - before[3]];
  const reach = sizes.reduce((sum, [width, height]) => sum + width * Math.abs(cos) + height * Math.abs(sin), 0);
  return Math.abs(dx * cos + dy * sin) - reach < 2 * most && Math.abs(dy * cos - dx * sin) < 2 * most;
};

const wordOf = (letters: readonly Letter[], shown: ReturnType<typeof toShown>): PageWord | null => {
  const text = readable(letters.map((letter) => letter.text).join(''));
  const points = letters.flatMap(({ bounds }) =>
    bounds === null ? [] : [shown(bounds[0], bounds[1]), shown(bounds[2], bounds[3])],
  );
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const box = text === '' ? null : boxOf(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
  return box && { text, ...box, confidence: null };
};

interface PrintedWord {
  readonly word: PageWord;
  /** Scanners put what they read themselves under the picture of the page as text that is not painted. */
  readonly isPainted: boolean;
}

const wordsOf = (pdf: OpenPdf, page: number, limit: number): readonly PrintedWord[] => {
  const { pdfium } = pdf;
  const shown = toShown(pdf, page);
  const text = pdfium.FPDFText_LoadPage(page);
  const words: PrintedWord[] = [];
  let letters: Letter[] = [];
  const end = () => {
    const [first] = letters;
    const word = wordOf(letters, shown);
    letters = [];
    if (word === null || first === undefined) return;
    words.push({
      word,
      isPainted: pdfium.FPDFTextObj_GetTextRenderMode(pdfium.FPDFText_GetTextObject(text, first.index)) !== INVISIBLE,
    });
  };
  for (const letter of lettersOf(pdf, text)) {
    const [last, next] = [letters.at(-1)?.bounds ?? null, letter?.bounds ?? null];
    const isApart = letter && last && next && !goesOn(last, next, pdfium.FPDFText_GetCharAngle(text, letter.index));
    if (letter === null || isApart) end();
    if (words.length === limit) break;
    if (letter !== null) letters.push(letter);
  }
  end();
  pdfium.FPDFText_ClosePage(text);
  return words.slice(0, limit);
};

const boundsOf = ({ pdfium, scratch, memory }: OpenPdf, object: number): Bounds | null => {
  if (!pdfium.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12)) return null;
  const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(memory().buffer, scratch, 4);
  return [left, bottom, right, top];
};

const covers = ([left, bottom, right, top]: Bounds, [a, b, c, d]: Bounds) =>
  left <= a && bottom <= b && right >= c && top >= d;

/** Whether most of these words are not painted. */
const areUnpainted = (words: readonly PrintedWord[]): boolean =>
  words.filter(({ isPainted }) => !isPainted).length * 2 > words.length;

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

const layoutOf = (pdf: OpenPdf, number: number, limit: number): PageLayout & { isHidden: boolean } => {
  const { pdfium } = pdf;
  // Makes what is filled into forms a part of the page, which takes effect when the page is loaded anew.
  pdf.onPage(number, (page) => pdfium.FPDFPage_Flatten(page, NORMAL_DISPLAY));
  return pdf.onPage(number, (page) => {
    const words = wordsOf(pdf, page, limit);
    const isHidden = areUnpainted(words) || isCovered(pdf, page);
    // Where a page shows most of its text, a box around what it does not show would be empty.
    const shown = isHidden ? words : words.filter(({ isPainted }) => isPainted);
    const [width, height] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)];
    return { number, width, height, source: 'text', words: shown.map(({ word }) => word), isHidden };
  });
};

/** A look at so many words of a page says whether it has text. */
const SOME_WORDS = 200;

/** Whether a page shows text of its own, which OCR need not read. */
export const showsText = (pdf: OpenPdf, number: number): boolean => {
  const { words, isHidden } = layoutOf(pdf, number, SOME_WORDS);
  return words.length > 0 && !isHidden;
};

export interface PageLayouts {
  readonly layouts: readonly PageLayout[];
  /** The numbers of the pages of whose text most is not to be seen: it lies under pictures, or is not painted at all. */
  readonly hidden: readonly number[];
}

/**
 * The words of these pages' own text, in the order in which the file has them; those of its form fields too.
 * A page that PDFium cannot read has no layout, nor has one that comes after more words than are given of a file.
 */
export const pageLayouts = (pdf: OpenPdf, numbers: readonly number[]): PageLayouts => {
  const end = performance.now() + MAX_MILLISECONDS;
  const layouts: PageLayout[] = [];
  const hidden: number[] = [];
  let left = MAX_WORDS;
  for (const number of numbers) {
    if (left === 0 || performance.now() > end) break;
    try {
      const { isHidden: under, ...layout } = layoutOf(pdf, number, left);
      left -= layout.words.length;
      layouts.push(layout);
      if (under) hidden.push(number);
    } catch {
      // The text of this page came from another program, and is given without places.
    }
  }
  return { layouts, hidden };
};
