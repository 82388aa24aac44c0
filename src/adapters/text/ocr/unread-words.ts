import { type Mark, marksOf, median } from './marks.ts';
import type { Raster } from './raster.ts';
import { type ReadWord, readLine } from './reading.ts';
import type { Engine } from './tesseract.ts';

/** Where something stands, in pixels. */
export type Place = Pick<ReadWord, 'left' | 'top' | 'width' | 'height'>;

/** In pixels. */
const MARGIN = 4;

/** With a little of what is around it. */
export const around = ({ left, top, width, height }: Place): Place => ({
  left: left - MARGIN,
  top: top - MARGIN,
  width: width + 2 * MARGIN,
  height: height + 2 * MARGIN,
});

/** Half of the way from paper to ink is dark, and so much of a page is ink. */
const DARK = 0.5;
const INKED = 0.005;
/** As shares of the usual height of a word: the least and the largest mark of print, and what is so high that it is a letter. */
const LEAST = 0.08;
const LARGEST = 1.5;
const WIDEST = 5;
const LETTER = 0.5;
/** How far apart the marks of one line stand at most, and how far from its middle. */
const GAP = 0.9;
const OFF_LINE = 0.5;
/** How far around the words that were read there may be others. */
const BESIDE = 2;
const BELOW = 6;
/** How far from a word a mark may stand that belongs to it: the box of a word may end before its last letter. */
const ACROSS = 0.35;
const DOWN = 0.1;

const middleOfMark = ({ top, bottom }: Mark) => (top + bottom) / 2;

/** Whether a mark goes on with the line of marks to its left. */
const isBeside = (line: Mark, mark: Mark, usual: number): boolean =>
  mark.left - line.right < GAP * usual && Math.abs(middleOfMark(mark) - middleOfMark(line)) < OFF_LINE * usual;

const together = (one: Mark, other: Mark): Mark => ({
  left: Math.min(one.left, other.left),
  top: Math.min(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.max(one.bottom, other.bottom),
  area: one.area + other.area,
});

/** Beyond it lies what a page was photographed on. */
const printedArea = (words: readonly ReadWord[], usual: number) => {
  const left = Math.min(...words.map((word) => word.left));
  const right = Math.max(...words.map((word) => word.left + word.width));
  const top = Math.min(...words.map((word) => word.top));
  const bottom = Math.max(...words.map((word) => word.top + word.height));
  return (place: Place): boolean =>
    place.left > left - BESIDE * usual &&
    place.left + place.width < right + BESIDE * usual &&
    place.top > top - BELOW * usual &&
    place.top + place.height < bottom + BELOW * usual;
};

/**
 * Where ink stands that looks like print but is in no word that was read: the engine leaves out small columns and what stands alone.
 * `page` is upright and level, made smaller by `factor`.
 */
const unreadLines = (page: Raster, factor: number, words: readonly ReadWord[]): readonly Place[] => {
  const usual = median(words.map(({ height }) => height)) / factor;
  const isRead = (mark: Mark) => {
    const x = ((mark.left + mark.right) / 2) * factor;
    const y = middleOfMark(mark) * factor;
    const beside = ACROSS * usual * factor + (factor * (mark.right - mark.left)) / 2;
    const below = DOWN * usual * factor;
    const isBetween = (at: number, from: number, size: number, slack: number) =>
      at > from - slack && at < from + size + slack;
    return words.some(
      ({ left, top, width, height }) => isBetween(x, left, width, beside) && isBetween(y, top, height, below),
    );
  };
  const isInPrint = printedArea(words, usual * factor);
  const lines: Mark[] = [];
  for (const mark of marksOf(page, DARK, INKED)) {
    const wide = (mark.right - mark.left) / usual;
    const high = (mark.bottom - mark.top) / usual;
    if (high < LEAST || high > LARGEST || wide > WIDEST || isRead(mark)) continue;
    const at = lines.findIndex((line) => isBeside(line, mark, usual));
    if (at === -1) lines.push(mark);
    else lines[at] = together(lines[at] as Mark, mark);
  }
  return lines
    .filter(({ top, bottom }) => bottom - top >= LETTER * usual)
    .map(({ left, top, right, bottom }) => {
      const size = { width: (right - left) * factor, height: (bottom - top) * factor };
      return around({ left: left * factor, top: top * factor, ...size });
    })
    .filter(isInPrint);
};

/** So many times as large a line is read that the engine has left out, and so many times smaller it is looked for. */
const LARGER = 2;
const SMALLER = 2;
/** Each takes some ten milliseconds. A page with more of them has pictures, not print that was left out. */
const MOST_LINES = 40;
/** In percent: print that stands alone is read at 84 or more, and grain at 77 or less. */
const LEAST_SURE = 80;

const middleOf = ({ top, height }: Place) => top + height / 2;
const gapBetween = (one: Place, other: Place) =>
  Math.max(one.left - other.left - other.width, other.left - one.left - one.width);

/** The word beside this place that is nearest to it. */
const neighbourOf = (place: Place, words: readonly ReadWord[]): ReadWord | undefined =>
  words
    .filter((word) => Math.abs(middleOf(word) - middleOf(place)) < Math.min(word.height, place.height) / 2)
    .toSorted((a, b) => gapBetween(a, place) - gapBetween(b, place))[0];

/** Among the words of its line, or as a line of its own below the words that stand above it. */
const inserted = (words: readonly ReadWord[], word: ReadWord): readonly ReadWord[] => {
  const line = neighbourOf(word, words)?.line ?? word.line;
  const before = words.findIndex((each) => each.line === line && each.left > word.left);
  const above = words.findLast((each) => (line === word.line ? middleOf(each) < middleOf(word) : each.line === line));
  const behind = words.findLastIndex((each) => each.line === above?.line) + 1;
  return words.toSpliced(before === -1 ? behind : before, 0, { ...word, line });
};

/** A part of the page, upright and level, made smaller by so much. */
type PictureOf = (place: Place, factor?: number) => Raster;

/** The words of a page with those that the engine has left out though their ink is there, as sure as it is of them alone. */
export const withUnread = (
  engine: Engine,
  words: readonly ReadWord[],
  page: Place,
  pictureOf: PictureOf,
): readonly ReadWord[] => {
  const lines = unreadLines(pictureOf(page, SMALLER), SMALLER, words);
  if (lines.length > MOST_LINES) return words;
  const added = lines.flatMap((place) =>
    readLine(engine, pictureOf(place), LARGER)
      .filter(({ text, confidence }) => confidence >= LEAST_SURE && /[\p{L}\p{N}]/u.test(text))
      .map((word): ReadWord => {
        return {
          ...word,
          line: `unread ${place.left} ${place.top}`,
          left: word.left + place.left,
          top: word.top + place.top,
        };
      }),
  );
  return added.reduce(inserted, words);
};
