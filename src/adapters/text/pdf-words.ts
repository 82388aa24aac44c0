import type { PageWord } from '../../domain/page-words.ts';
import { isRightToLeft } from '../../domain/text.ts';
import { boxOf } from './boxes.ts';
import { type Glyphs, isRaised, onLine } from './formats/pdf-lines.ts';
import { inReadingOrder } from './formats/reading-direction.ts';
import { drawnIn, isPrivate } from './formats/symbols.ts';
import type { OpenPdf } from './pdfium.ts';
import { raised } from './text.ts';

/** As the page is shown: how many device units PDFium divides its width and its height into. */
const FRACTION = 1 << 24;
/** What PDFium puts in place of a hyphen at the end of a line. */
const LINE_HYPHEN = 0x02;
const SOFT_HYPHEN = 0xad;
const LAST_CODE_POINT = 0x10ffff;

type Point = readonly [x: number, y: number];

/** From the page's own points to fractions of the page as it is shown: three points say all of an affine map. */
export const toShown = ({ pdfium, scratch, memory }: OpenPdf, page: number) => {
  const at = (x: number, y: number): Point => {
    pdfium.FPDF_PageToDevice(page, 0, 0, FRACTION, FRACTION, 0, x, y, scratch, scratch + 4);
    const view = new DataView(memory().buffer, scratch);
    return [view.getInt32(0, true) / FRACTION, view.getInt32(4, true) / FRACTION];
  };
  const [x0, y0] = at(0, 0);
  const [x1, y1] = at(100, 0);
  const [x2, y2] = at(0, 100);
  return (x: number, y: number): Point => [
    x0 + ((x1 - x0) * x + (x2 - x0) * y) / 100,
    y0 + ((y1 - y0) * x + (y2 - y0) * y) / 100,
  ];
};

/** Some fonts have glyphs for several letters at once, or for a letter at its place in a word; `ﬁ` and `ﻻ` are written as they are read. */
const readable = (letters: string) =>
  letters.replace(/[\ufb00-\ufb06\ufb1d-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]/g, (form) => form.normalize('NFKC'));

/** Left, bottom, right and top, in the page's own points. */
export type Bounds = readonly [number, number, number, number];

/** Left, top, right and bottom, as fractions of the page as it is shown. */
export const shownBounds = (shown: ReturnType<typeof toShown>, [left, bottom, right, top]: Bounds): Bounds => {
  const [x0, y0] = shown(left, bottom);
  const [x1, y1] = shown(right, top);
  return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
};

interface Letter {
  /** Its place in the text of the page. */
  readonly index: number;
  /** Empty for a soft hyphen; a blank for one that the file has. */
  readonly text: string;
  readonly bounds: Bounds | null;
}

/** What PDFium puts between two words: a blank of one line, or the end of it. */
type Break = ' ' | '\n';

/** What a code of PDFium says on paper. */
const letterOf = (code: number): string => {
  if (code === SOFT_HYPHEN) return '';
  if (code === LINE_HYPHEN) return '-';
  return String.fromCodePoint(code > 0 && code <= LAST_CODE_POINT ? code : 0xfffd);
};

/** As bytes. */
const LONGEST_NAME = 64;

/** A sign for private use as its font draws it, if that is a font of symbols. */
const symbolOf = ({ pdfium, scratch, memory }: OpenPdf, text: number, index: number, sign: string): string => {
  const length = pdfium.FPDFText_GetFontInfo(text, index, scratch, LONGEST_NAME, 0);
  if (length <= 1 || length > LONGEST_NAME) return sign;
  const name = Buffer.from(memory().buffer, scratch, length - 1).toString();
  return drawnIn(name, sign).text || sign;
};

function* lettersOf(pdf: OpenPdf, text: number): Generator<Letter | Break, void> {
  const { pdfium, scratch, memory } = pdf;
  const count = pdfium.FPDFText_CountChars(text);
  for (let index = 0; index < count; index += 1) {
    const code = pdfium.FPDFText_GetUnicode(text, index);
    const plain = letterOf(code);
    const letter = isPrivate(plain) ? symbolOf(pdf, text, index, plain) : plain;
    const isPlaced = pdfium.FPDFText_GetLooseCharBox(text, index, scratch);
    const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(memory().buffer, scratch, 4);
    if (code === 0 || /\s/.test(letter)) {
      // One that PDFium has put there has no size.
      const isOwn = isPlaced && left !== right && top !== bottom;
      if (/[\r\n]/.test(letter)) yield '\n';
      else yield isOwn ? { index, text: ' ', bounds: null } : ' ';
      continue;
    }
    yield { index, text: letter, bounds: isPlaced ? [left, bottom, right, top] : null };
    if (code === LINE_HYPHEN) yield '\n';
  }
}

/** As a share of a letter's size: no two letters of a word lie further apart, along their line or across it. */
const APART = 0.5;

/**
 * Whether a letter goes on with the word of the one before it: where a file has a table column by column, the next may be another cell's.
 * `angle`: of its line, clockwise.
 */
const goesOn = (before: Bounds, letter: Bounds, angle: number): boolean => {
  const cos = Math.cos(angle);
  const sin = -Math.sin(angle);
  const sizes = [before, letter].map(([left, bottom, right, top]) => [right - left, top - bottom] as const);
  const most = APART * Math.max(...sizes.flat());
  const dx = letter[0] + letter[2] - before[0] - before[2];
  const dy = letter[1] + letter[3] - before[1] - before[3];
  const reach = sizes.reduce((sum, [width, height]) => sum + width * Math.abs(cos) + height * Math.abs(sin), 0);
  return Math.abs(dx * cos + dy * sin) - reach < 2 * most && Math.abs(dy * cos - dx * sin) < 2 * most;
};

/** Where the glyph of a letter is painted: left, top, right and bottom, as fractions of the page as it is shown. */
export interface PaintedLetter {
  /** Its place in the text of the page. */
  readonly index: number;
  readonly text: string;
  /** The object of the page that paints it. */
  readonly object: number;
  readonly bounds: Bounds;
}

export interface PrintedWord extends PageWord {
  /** The same word as its line is made of it. */
  readonly glyphs: Glyphs;
  readonly letters: readonly PaintedLetter[];
}

/** What a page says. */
export interface PrintedWords {
  readonly words: readonly PrintedWord[];
  /** How many more words stand beyond the edges of the page. */
  readonly outside: number;
}

type Placing = Readonly<{ shown: ReturnType<typeof toShown>; width: number; height: number }>;

/** How a letter stands on the page as it is shown: its baseline's start, in points, its size and the direction of its line. */
const stanceOf = (pdf: OpenPdf, text: number, index: number, { shown, width, height }: Placing) => {
  const { pdfium, scratch, memory } = pdf;
  pdfium.FPDFText_GetCharOrigin(text, index, scratch, scratch + 8);
  const [x = 0, y = 0] = new Float64Array(memory().buffer, scratch, 2);
  pdfium.FPDFText_GetMatrix(text, index, scratch);
  const [a = 1, b = 0, c = 0, d = 1] = new Float32Array(memory().buffer, scratch, 4);
  const start = shown(x, y);
  const ahead = shown(x + a, y + b);
  const angle = Math.atan2(-(ahead[1] - start[1]) * height, (ahead[0] - start[0]) * width);
  const size = pdfium.FPDFText_GetFontSize(text, index) * Math.hypot(c, d) || 1;
  return { x: start[0] * width, y: -start[1] * height, angle, size };
};

const paintedLetters = (
  { pdfium, scratch, memory }: OpenPdf,
  text: number,
  letters: readonly Letter[],
  { shown }: Placing,
): readonly PaintedLetter[] =>
  letters.flatMap(({ index, text: letter }) => {
    if (!pdfium.FPDFText_GetCharBox(text, index, scratch, scratch + 8, scratch + 16, scratch + 24)) return [];
    const [left = 0, right = 0, bottom = 0, top = 0] = new Float64Array(memory().buffer, scratch, 4);
    const object = pdfium.FPDFText_GetTextObject(text, index);
    return [{ index, text: letter, object, bounds: shownBounds(shown, [left, bottom, right, top]) }];
  });

/** How far a word that stands at an angle reaches along its line, by the upright rectangle around it. */
const lengthOf = (wide: number, high: number, angle: number, size: number): number => {
  const cos = Math.abs(Math.cos(angle));
  const sin = Math.abs(Math.sin(angle));
  return cos > sin ? (wide - size * sin) / cos : (high - size * cos) / sin;
};

/** Letters as they stand from left to right, each with its marks; those at one place are one sign. */
const signsOf = (letters: readonly Letter[], along: (bounds: Bounds) => number): readonly string[] => {
  const signs: { text: string; at: number }[] = [];
  for (const { text, bounds } of letters) {
    const last = signs.at(-1);
    const at = bounds === null ? (last?.at ?? 0) : along(bounds);
    if (last !== undefined && (last.at === at || /^\p{M}/u.test(text))) last.text += text;
    else signs.push({ text, at });
  }
  return signs.toSorted((a, b) => a.at - b.at).map(({ text }) => readable(text));
};

/** The letters of a word one after the other; those that are smaller and stand higher than the first as superscripts. */
const spelled = (pdf: OpenPdf, text: number, letters: readonly Letter[], placing: Placing): string => {
  const whole = letters.map((letter) => letter.text).join('');
  const [first] = letters;
  if (first === undefined || !/.\d/.test(whole)) return whole;
  const base = stanceOf(pdf, text, first.index, placing);
  const standing = (stance: typeof base) => ({ ...stance, ...onLine(stance, base.angle) });
  let word = '';
  let above = '';
  for (const letter of letters) {
    if (isRaised(standing(stanceOf(pdf, text, letter.index, placing)), standing(base))) {
      above += letter.text;
      continue;
    }
    word += raised(above, word) + letter.text;
    above = '';
  }
  return word + raised(above, word);
};

const wordOf = (
  pdf: OpenPdf,
  page: number,
  letters: readonly Letter[],
  isSpaced: boolean,
  placing: Placing,
): PrintedWord | 'outside' | null => {
  const first = letters[0];
  const last = letters.at(-1);
  const asInFile = readable(spelled(pdf, page, letters, placing));
  const points = letters.flatMap(({ bounds }) =>
    bounds === null ? [] : [placing.shown(bounds[0], bounds[1]), placing.shown(bounds[2], bounds[3])],
  );
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  const right = Math.max(...xs);
  const bottom = Math.max(...ys);
  if (asInFile === '' || first === undefined || last === undefined) return null;
  const box = boxOf(left, top, right, bottom);
  if (box === null) return points.length > 0 ? 'outside' : null;
  const start = stanceOf(pdf, page, first.index, placing);
  const end = stanceOf(pdf, page, last.index, placing);
  const { angle, size } = start;
  // The first letter of a word that is read from right to left stands at its right end.
  const isBackward = (end.x - start.x) * Math.cos(angle) + (end.y - start.y) * Math.sin(angle) < 0;
  const { x, y } = isBackward ? end : start;
  const width = lengthOf((right - left) * placing.width, (bottom - top) * placing.height, angle, size);
  const signs = isRightToLeft(asInFile)
    ? signsOf(letters, ([l, b, r, t]) => {
        const [across, down] = placing.shown((l + r) / 2, (b + t) / 2);
        return across * placing.width * Math.cos(angle) - down * placing.height * Math.sin(angle);
      })
    : null;
  const text = signs === null ? asInFile : inReadingOrder(signs, true).join('');
  const written = signs === null ? { text } : { text, signs };
  const degrees = (Math.round((angle * 180) / Math.PI) + 360) % 360;
  const glyphs = { ...written, x, y, width, size, angle: degrees, isSpaced };
  return { text, ...box, confidence: null, glyphs, letters: paintedLetters(pdf, page, letters, placing) };
};

/** From which gaps on, in units of the font size, two letters that stand upside down are of two words: to its start, and to its left edge. */
const WORD_GAP = 0.15;
const INK_GAP = 0.1;

/**
 * The letters of a page with those of each line that stands upside down as they are written: PDFium gives what a file paints one by one, be it
 * words or letters, from the end of such a line to its beginning, with blanks and ends of lines in between.
 */
function* asWritten(pdf: OpenPdf, page: number, text: number, placing: Placing): Generator<Letter | Break, void> {
  const turn = (pdf.pdfium.FPDFPage_GetRotation(page) * Math.PI) / 2;
  const isUpsideDown = ({ index }: Letter) =>
    Math.cos(pdf.pdfium.FPDFText_GetCharAngle(text, index) + turn) < -Math.SQRT1_2;
  const placed = (letter: Letter) => {
    const { angle, size, ...start } = stanceOf(pdf, text, letter.index, placing);
    const { along: from, above } = onLine(start, angle);
    if (letter.bounds === null) return { letter, size, above, from, left: from, right: from };
    const [x, y, x2, y2] = letter.bounds;
    const [x0, y0] = placing.shown(x, y);
    const [x1, y1] = placing.shown(x2, y2);
    const { along } = onLine({ x: ((x0 + x1) * placing.width) / 2, y: (-(y0 + y1) * placing.height) / 2 }, angle);
    const length = lengthOf(Math.abs(x1 - x0) * placing.width, Math.abs(y1 - y0) * placing.height, angle, size);
    return { letter, size, above, from, left: along - length / 2, right: along + length / 2 };
  };
  let line: ReturnType<typeof placed>[] = [];
  function* endLine() {
    let end = 0;
    for (const [index, { letter, size, from, left, right }] of line.toSorted((a, b) => a.from - b.from).entries()) {
      if (index > 0 && from - end > WORD_GAP * size && left - end > INK_GAP * size) yield ' ' as const;
      yield letter;
      end = index === 0 ? right : Math.max(end, right);
    }
    if (line.length > 0) yield '\n' as const;
    line = [];
  }
  for (const next of lettersOf(pdf, text)) {
    if (typeof next === 'string' && line.length > 0) continue;
    if (typeof next === 'string' || !isUpsideDown(next)) {
      yield* endLine();
      yield next;
      continue;
    }
    const own = placed(next);
    const last = line.at(-1);
    if (last !== undefined && Math.abs(own.above - last.above) > APART * own.size) yield* endLine();
    line.push(own);
  }
  yield* endLine();
}

const none: ReadonlySet<number> = new Set();

/**
 * The words of a page with their places on it, in the order in which the file has them; they end after so many characters. Letters may be left
 * out, by their places in the text of the page.
 */
export const wordsOf = (pdf: OpenPdf, page: number, most: number, without = none): PrintedWords => {
  const { pdfium } = pdf;
  const width = pdfium.FPDF_GetPageWidthF(page);
  const height = pdfium.FPDF_GetPageHeightF(page);
  const placing = { shown: toShown(pdf, page), width, height };
  const text = pdfium.FPDFText_LoadPage(page);
  const words: PrintedWord[] = [];
  let letters: Letter[] = [];
  let isSpaced = false;
  let left = most;
  let outside = 0;
  const end = (isBlank: boolean) => {
    const word = wordOf(pdf, text, letters, isSpaced, placing);
    if (letters.length > 0 || !isBlank) isSpaced = isBlank;
    letters = [];
    if (word === 'outside') outside += 1;
    if (word === null || word === 'outside') return;
    left -= word.text.length;
    words.push(word);
  };
  for (const next of asWritten(pdf, page, text, placing)) {
    if (typeof next === 'string' || next.text === ' ') {
      end(next !== '\n');
      if (left < 0) break;
      continue;
    }
    if (without.has(next.index)) {
      end(false);
      continue;
    }
    const last = letters.at(-1);
    const bounds = next.bounds;
    if (last?.bounds && bounds) {
      const [angle, before] = [next, last].map(({ index }) => pdfium.FPDFText_GetCharAngle(text, index)) as [
        number,
        number,
      ];
      if (Math.cos(angle - before) < Math.SQRT1_2 || !goesOn(last.bounds, bounds, angle)) end(false);
    }
    letters.push(next);
  }
  end(false);
  pdfium.FPDFText_ClosePage(text);
  return { words, outside };
};
