import { contrastOf, LEAST_CONTRAST, luminanceOf } from './contrast.ts';
import { withoutCodes } from './matrix-codes.ts';
import type { Mark } from './ocr/marks.ts';
import type { Raster } from './ocr/raster.ts';
import { appearanceOn, boundsOf, isDrawable, isPainted } from './pdf-appearance.ts';
import { type Drawing, drawing, isDrawn } from './pdf-drawing.ts';
import { objectsOf } from './pdf-objects.ts';
import { type Bounds, type PaintedLetter, type PrintedWord, toShown } from './pdf-words.ts';
import type { OpenPdf } from './pdfium.ts';
import { lookWritten, marksOnPage } from './writing.ts';

/** Ink is looked for in drawings that have a pixel for each point, and more where print is faint. */
const LARGER = 3;
/** Drawings differ by so little where nothing differs. */
const SAME = 1.003;
/** In how many drawings at most the words of a page that overlap are drawn apart. */
const MAX_LAYERS = 3;
/** As a share of the smaller of two words: from which on they overlap. */
const OVERLAP = 0.25;
/** With how many of the words next to it a word is compared. */
const MAX_NEIGHBOURS = 200;

const luminanceAt = (samples: Uint8Array, at: number): number =>
  luminanceOf(samples[at] ?? 0, samples[at + 1] ?? 0, samples[at + 2] ?? 0);

/** The largest contrast between two drawings of one place; 1 if nothing differs. */
const contrastIn = (one: Drawing, other: Drawing, [left, top, right, bottom]: Bounds): number => {
  const { width, height } = one;
  const x0 = Math.max(0, Math.round(left * width));
  const y0 = Math.max(0, Math.round(top * height));
  const x1 = Math.min(width, Math.max(Math.round(right * width), x0 + 1));
  const y1 = Math.min(height, Math.max(Math.round(bottom * height), y0 + 1));
  let most = 1;
  for (let y = y0; y < y1; y += 1) {
    for (let at = (y * width + x0) * 3; at < (y * width + x1) * 3; at += 3) {
      const a = one.samples;
      const b = other.samples;
      if (a[at] === b[at] && a[at + 1] === b[at + 1] && a[at + 2] === b[at + 2]) continue;
      most = Math.max(most, contrastOf(luminanceAt(a, at), luminanceAt(b, at)));
    }
  }
  return most;
};

const shared = (one: PrintedWord, other: PrintedWord): number => {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return across > 0 && down > 0 ? across * down : 0;
};

const sizeOf = ({ width, height }: PrintedWord) => width * height;

/** Words that lie over each other, so that the ink of one may be the other's. The same word painted twice is one word. */
const overlapping = (words: readonly PrintedWord[]): readonly (readonly [PrintedWord, PrintedWord])[] => {
  const sorted = words.toSorted((a, b) => a.y - b.y);
  return sorted.flatMap((word, index) =>
    sorted
      .slice(index + 1, index + 1 + MAX_NEIGHBOURS)
      .filter(
        (other) => other.text !== word.text && shared(word, other) > OVERLAP * Math.min(sizeOf(word), sizeOf(other)),
      )
      .map((other) => [word, other] as const),
  );
};

const paintersOf = ({ letters }: PrintedWord) => new Set(letters.map(({ object }) => object));

/** The objects that paint words, in layers within which no word lies over another. */
const layersOf = (words: readonly PrintedWord[]): readonly ReadonlySet<number>[] => {
  const apart = new Map<number, Set<number>>();
  const part = (one: number, other: number) => apart.set(one, (apart.get(one) ?? new Set()).add(other));
  for (const [word, over] of overlapping(words)) {
    for (const one of paintersOf(word))
      for (const other of paintersOf(over)) {
        part(one, other);
        part(other, one);
      }
  }
  const layers: Set<number>[] = [new Set()];
  for (const object of new Set(words.flatMap((word) => [...paintersOf(word)]))) {
    const others = apart.get(object) ?? new Set();
    const free = layers.find((layer) => [...others].every((other) => !layer.has(other)));
    if (free !== undefined) free.add(object);
    else if (layers.length < MAX_LAYERS) layers.push(new Set([object]));
    else layers.at(-1)?.add(object);
  }
  return layers;
};

/** The contrast of what words paint, each apart from what other words paint over it or under it. */
type ContrastOf = (letter: PaintedLetter) => number;

/** Draws a page with some of its texts and without, and compares. */
const inkOn = (pdf: OpenPdf, page: number, words: readonly PrintedWord[], scale: number): ContrastOf => {
  const { pdfium } = pdf;
  const texts = objectsOf(pdf, page).flatMap(({ kind, handle }) => (kind === 'text' ? [handle] : []));
  const drawnWith = (isActive: (text: number) => boolean): Drawing => {
    for (const text of texts) pdfium.FPDFPageObj_SetIsActive(text, isActive(text));
    return drawing(pdf, page, scale);
  };
  const layers = layersOf(words);
  const isApart = layers.length > 1;
  const without = drawnWith(() => false);
  const alone = isApart ? layers.map((layer) => drawnWith((text) => layer.has(text))) : [];
  const others = isApart ? layers.map((layer) => drawnWith((text) => !layer.has(text))) : [];
  const all = drawnWith(() => true);
  return ({ object, bounds }) => {
    const layer = layers.findIndex((each) => each.has(object));
    const own = alone[layer] ?? all;
    const rest = others[layer] ?? without;
    const contrast = contrastIn(own, without, bounds);
    return isApart && contrast > 1 ? Math.min(contrast, contrastIn(all, rest, bounds)) : contrast;
  };
};

const mostOf = (contrasts: readonly number[]) => Math.max(1, ...contrasts);

/** Letters that paint nothing in a word that is to be seen: one alone may be too small to be seen in the drawing. */
const gapsIn = (letters: readonly PaintedLetter[], contrasts: readonly number[]): readonly PaintedLetter[] =>
  letters.filter((_, index) => {
    const isBare = (at: number) => (contrasts[at] ?? LEAST_CONTRAST) < SAME;
    return isBare(index) && (isBare(index - 1) || isBare(index + 1));
  });

interface Bare {
  readonly word: PrintedWord;
  readonly letters: readonly PaintedLetter[];
}

/** The letters of a page without ink of their own, by the drawings of it. */
function* bareLetters(pdf: OpenPdf, page: number, words: readonly PrintedWord[]): Generator<Bare> {
  const inkOf = inkOn(pdf, page, words, 1);
  const faint: PrintedWord[] = [];
  for (const word of words) {
    const contrasts = word.letters.map(inkOf);
    const most = mostOf(contrasts);
    if (most >= SAME && most < LEAST_CONTRAST) faint.push(word);
    else yield { word, letters: most < SAME ? word.letters : gapsIn(word.letters, contrasts) };
  }
  if (faint.length === 0) return;
  const closer = inkOn(pdf, page, words, LARGER);
  for (const word of faint) {
    const isHidden = mostOf(word.letters.map(closer)) < LEAST_CONTRAST;
    yield { word, letters: isHidden ? word.letters : [] };
  }
}

/** Without a look at the page. */
const withAllLetters = (words: readonly PrintedWord[]) => words.map((word): Bare => ({ word, letters: word.letters }));

/**
 * The letters of a page that no ink shows, by their places in its text: they are not painted, look like what lies behind them, or are covered.
 * A page that is not to be drawn is believed.
 */
export const hiddenLetters = (
  pdf: OpenPdf,
  page: number,
  words: readonly PrintedWord[],
  mayDraw: boolean,
): ReadonlySet<number> => {
  const painted = words.filter(({ letters: [letter] }) => letter === undefined || isPainted(pdf, letter));
  const seen = new Set(painted);
  const hidden = new Set(words.flatMap((word) => (seen.has(word) ? [] : word.letters.map(({ index }) => index))));
  if (painted.length === 0) return hidden;
  const isLooked = mayDraw && isDrawn(pdf, page);
  const seems = appearanceOn(pdf, page);
  for (const { word, letters } of isLooked ? bareLetters(pdf, page, painted) : withAllLetters(painted)) {
    // What no drawing can tell, the file itself says.
    const untold = letters.filter((letter) => !isLooked || !isDrawable(pdf, letter));
    const isBelieved = untold.length > 0 && seems(word);
    for (const letter of letters) if (!isBelieved || !untold.includes(letter)) hidden.add(letter.index);
  }
  return hidden;
};

/** What pages are drawn with to look for writing: pixels for a point. */
const WRITING_SCALE = 1.5;

/** How many pictures of a page are looked at, each by itself. */
const MAX_PICTURES = 100;

const partOf = ({ width, height, gray }: Raster, [left, top, right, bottom]: Bounds): Raster => {
  const x0 = Math.max(0, Math.ceil(left * width));
  const y0 = Math.max(0, Math.ceil(top * height));
  const x1 = Math.min(width, Math.floor(right * width));
  const y1 = Math.min(height, Math.floor(bottom * height));
  const size = { width: Math.max(0, x1 - x0), height: Math.max(0, y1 - y0) };
  const part = new Uint8Array(size.width * size.height);
  for (let y = 0; y < size.height; y += 1)
    part.set(gray.subarray((y0 + y) * width + x0, (y0 + y) * width + x0 + size.width), y * size.width);
  return { ...size, gray: part };
};

/** What is drawn of an open page without these of its texts. */
export const drawnWithout = <T>({ pdfium }: OpenPdf, texts: ReadonlySet<number>, draw: () => T): T => {
  for (const text of texts) pdfium.FPDFPageObj_SetIsActive(text, false);
  const result = draw();
  for (const text of texts) pdfium.FPDFPageObj_SetIsActive(text, true);
  return result;
};

/** A drawing of what a page shows besides some of its objects. */
export interface Rest {
  readonly raster: Raster;
  readonly marks: readonly Mark[];
  /** Pixels for each point. */
  readonly scale: number;
}

const objectsBesides = (pdf: OpenPdf, page: number, painters: ReadonlySet<number>) =>
  objectsOf(pdf, page).filter(({ handle }) => !painters.has(handle));

/** Null of a page that is not to be drawn, or shows nothing else. */
export const restOf = (pdf: OpenPdf, page: number, painters: ReadonlySet<number>, mayDraw: boolean): Rest | null => {
  if (!mayDraw || !isDrawn(pdf, page) || objectsBesides(pdf, page, painters).length === 0) return null;
  const { samples, width, height, scale } = drawnWithout(pdf, painters, () => drawing(pdf, page, WRITING_SCALE, 1));
  const raster: Raster = { width, height, gray: samples };
  return { raster, marks: marksOnPage(raster), scale };
};

/** Whether a page shows writing besides what these objects paint. A picture on a page that is not to be drawn may be of writing. */
export const hasWriting = (pdf: OpenPdf, page: number, painters: ReadonlySet<number>, rest: Rest | null): boolean => {
  const others = objectsBesides(pdf, page, painters);
  if (rest === null) return others.some(({ kind }) => kind === 'picture');
  const { raster, marks, scale } = rest;
  // A picture on a ground of another shade is looked at by itself.
  const shown = toShown(pdf, page);
  const pictures = others
    .filter(({ kind, isNested }) => kind === 'picture' && !isNested)
    .slice(0, MAX_PICTURES)
    .map(({ handle }) => boundsOf(pdf, handle, shown));
  const arePicturesWritten = (whole: Raster) =>
    pictures.some((bounds) => lookWritten(marksOnPage(partOf(whole, bounds)), scale));
  if (!lookWritten(marks, scale) && !arePicturesWritten(raster)) return false;
  const bare = withoutCodes(raster);
  return bare === null || lookWritten(marksOnPage(bare), scale) || arePicturesWritten(bare);
};
