import { examplesOf, type GlyphShape, likeness, setUpright, shapeIn } from './glyph-shapes.ts';
import { drawing, isDrawn } from './pdf-drawing.ts';
import type { PaintedLetter, PrintedWord } from './pdf-words.ts';
import type { OpenPdf } from './pdfium.ts';

/** Pixels for each point of the drawing in which letters are looked at. */
const SCALE = 2.5;
const CHECKED = /^[0-9A-Za-z]$/;
const DIGIT = /^\d$/;
/** Signs that are not told from one another, besides capitals and small letters: some fonts draw one as others draw the other. */
const LOOK_ALIKES = ['0o', '1il', '2z', '5s', '6b', '9gq'];
/** How like another sign a letter looks that is drawn as that one, and by how much more than like its own. */
const LEAST_LIKE = 0.8;
const LEAST_MORE = 0.2;
/** How many letters of one sign and size are looked at: a line through one of them may make another sign of it. */
const MOST_LOOKS = 3;
/** Sizes on the page that differ by less are the same. */
const SAME_SIZE = 0.0002;
/** So many letters of a font, and such a share of those that it has on the page: some fonts draw a few letters in ways of their own. */
const LEAST_LETTERS = 3;
const LEAST_SHARE = 1 / 3;
/** In degrees: letters that lean more are not looked at. */
const QUARTER = 90;
const MOST_SLANT = 3;

interface Example {
  readonly sign: string;
  readonly group: string;
  readonly shape: GlyphShape;
}

const groupOf = (sign: string): string => {
  const small = sign.toLowerCase();
  return LOOK_ALIKES.find((group) => group.includes(small)) ?? small;
};

/** What is drawn in place of a sign that the file gives; null if that sign itself may be drawn. */
type Other = 'digit' | 'letter' | null;

const otherDrawn = (shape: GlyphShape, sign: string, examples: readonly Example[]): Other => {
  const group = groupOf(sign);
  let own = -1;
  for (const example of examples) {
    if (example.group !== group) continue;
    own = Math.max(own, likeness(shape, example.shape));
    if (own > 1 - LEAST_MORE) return null;
  }
  const least = Math.max(LEAST_LIKE, own + LEAST_MORE);
  const others = examples.filter((example) => example.group !== group && likeness(shape, example.shape, least) > least);
  if (others.length === 0) return null;
  return others.some((example) => DIGIT.test(example.sign)) ? 'digit' : 'letter';
};

/** What is drawn where a font gives one sign. */
interface Looks {
  readonly sign: string;
  readonly drawn: Other[];
}

type LooksOfFont = Map<string, Looks>;

/** A letter, and by how many quarters it is turned, anticlockwise. */
interface Turned {
  readonly letter: PaintedLetter;
  readonly quarters: number;
}

const looksOf = (pdf: OpenPdf, page: number, letters: readonly Turned[]): ReadonlyMap<number, LooksOfFont> => {
  const { width, height, samples } = drawing(pdf, page, SCALE, 1);
  const raster = { width, height, gray: samples };
  const examples = examplesOf(pdf).map((example) => ({ ...example, group: groupOf(example.sign) }));
  const fonts = new Map<number, LooksOfFont>();
  for (const { letter, quarters } of letters) {
    const { text: sign, object, bounds } = letter;
    const font = pdf.pdfium.FPDFTextObj_GetFont(object);
    const looks = fonts.get(font) ?? new Map<string, Looks>();
    fonts.set(font, looks);
    const [left, top, right, bottom] = bounds;
    const sizes = [right - left, bottom - top].map((size) => Math.round(size / SAME_SIZE));
    // A font may give one sign for several of its glyphs, which have other sizes.
    const key = [sign, ...sizes].join();
    const before = looks.get(key) ?? { sign, drawn: [] };
    looks.set(key, before);
    if (before.drawn.includes(null) || before.drawn.length === MOST_LOOKS) continue;
    const shape = shapeIn(raster, bounds);
    if (shape !== null) before.drawn.push(otherDrawn(setUpright(shape, quarters), sign, examples));
  }
  return fonts;
};

/** Whether a font draws other signs than the file gives for them: one digit in place of another, or other letters in place of many. */
const isContradicted = (looks: Iterable<Looks>): boolean => {
  const signs = new Set<string>();
  const others = new Set<string>();
  let isOtherDigit = false;
  for (const { sign, drawn } of looks) {
    if (drawn.length === 0) continue;
    signs.add(sign);
    if (drawn.includes(null)) continue;
    others.add(sign);
    isOtherDigit ||= DIGIT.test(sign) && drawn.every((other) => other === 'digit');
  }
  return isOtherDigit || (others.size >= LEAST_LETTERS && others.size >= LEAST_SHARE * signs.size);
};

const isAt = ({ bounds: [left, top] }: PaintedLetter, other: PaintedLetter | undefined) =>
  left === other?.bounds[0] && top === other.bounds[1];

/** The digits and Latin letters of a word, but for those that one glyph shows together. */
const checkedIn = ({ letters, glyphs: { angle } }: PrintedWord): readonly Turned[] => {
  const quarters = Math.round(angle / QUARTER);
  if (Math.abs(angle - quarters * QUARTER) > MOST_SLANT) return [];
  return letters.flatMap((letter, index) => {
    const isAlone = !isAt(letter, letters[index - 1]) && !isAt(letter, letters[index + 1]);
    return isAlone && CHECKED.test(letter.text) ? [{ letter, quarters: quarters % 4 }] : [];
  });
};

/**
 * The letters of a page that are drawn otherwise than the file says, by their places in its text: a file may give any sign for any glyph.
 * Digits and Latin letters are looked at; all that a font says is as little to be believed as what is wrong of it.
 */
export const lettersDrawnOtherwise = (
  pdf: OpenPdf,
  page: number,
  words: readonly PrintedWord[],
  mayDraw: boolean,
): ReadonlySet<number> => {
  const checked = words.flatMap(checkedIn);
  if (!mayDraw || checked.length === 0 || !isDrawn(pdf, page)) return new Set();
  const fonts = new Set<number>();
  for (const [font, looks] of looksOf(pdf, page, checked)) if (isContradicted(looks.values())) fonts.add(font);
  if (fonts.size === 0) return new Set();
  const all = words.flatMap(({ letters }) => letters);
  const isDoubted = ({ object }: PaintedLetter) => fonts.has(pdf.pdfium.FPDFTextObj_GetFont(object));
  return new Set(all.filter(isDoubted).map(({ index }) => index));
};
