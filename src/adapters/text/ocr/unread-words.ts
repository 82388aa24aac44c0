import type { Raster } from './raster.ts';
import { type ReadWord, readLine } from './reading.ts';
import type { Engine } from './tesseract.ts';
import { type Place, unreadLines } from './unread-ink.ts';

/** So many times as large a line is read that the engine has left out, and so many times smaller it is looked for. */
const LARGER = 2;
const SMALLER = 2;
/** Each takes some ten milliseconds. A page with more of them has pictures, not print that was left out. */
const MOST_LINES = 40;
/** In percent: print that stands alone is read at 84 or more, and grain at 77 or less. */
const LEAST_SURE = 80;

const middleOf = ({ top, height }: Place) => top + height / 2;
const gapBetween = (one: Place, other: Place) => Math.max(one.left - other.left - other.width, other.left - one.left - one.width);

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
export type PictureOf = (place: Place, factor?: number) => Raster;

/** The words of a page with those that the engine has left out though their ink is there, as sure as it is of them alone. */
export const withUnread = (engine: Engine, words: readonly ReadWord[], page: Place, pictureOf: PictureOf): readonly ReadWord[] => {
  const lines = unreadLines(pictureOf(page, SMALLER), SMALLER, words);
  if (lines.length > MOST_LINES) return words;
  const found = lines.flatMap((place) =>
    readLine(engine, pictureOf(place), LARGER)
      .filter(({ text, confidence }) => confidence >= LEAST_SURE && /[\p{L}\p{N}]/u.test(text))
      .map((word): ReadWord => {
        return { ...word, line: `unread ${place.left} ${place.top}`, left: word.left + place.left, top: word.top + place.top };
      }),
  );
  return found.reduce(inserted, words);
};
