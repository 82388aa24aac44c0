import { type Box, middle, type PageWord } from './page-words.ts';
import { type Upright, uprightOf, type WordsOfPage } from './upright.ts';

/** The words by line as a person reads them who holds the page upright: their own order may go down the columns of a table. */
export const linesAsSeen = (words: readonly PageWord[], upright: Upright): readonly (readonly PageWord[])[] => {
  const places = words.map((word) => ({ word, box: upright(word) }));
  const lines: (typeof places)[] = [];
  for (const place of places.toSorted((a, b) => middle(a.box) - middle(b.box))) {
    const line = lines.at(-1);
    const first = line?.[0]?.box;
    const isIn = first && middle(place.box) < first.y + first.height && middle(first) > place.box.y;
    if (line && isIn) line.push(place);
    else lines.push([place]);
  }
  return lines.map((line) => line.toSorted((a, b) => a.box.x - b.box.x).map(({ word }) => word));
};

const clamped = (value: number) => Math.min(1, Math.max(0, value));
const rounded = (value: number) => Math.round(value * 1e6) / 1e6;

/** The least box that has them all, on the page. */
export const around = (words: readonly Box[]): Box => {
  const left = Math.min(...words.map(({ x }) => clamped(x)));
  const top = Math.min(...words.map(({ y }) => clamped(y)));
  const right = Math.max(...words.map(({ x, width }) => clamped(x + width)));
  const bottom = Math.max(...words.map(({ y, height }) => clamped(y + height)));
  const x = rounded(left);
  const y = rounded(top);
  return { x, y, width: rounded(Math.min(right, 1) - x), height: rounded(Math.min(bottom, 1) - y) };
};

const hasMiddleOf = ({ x, y, width, height }: Box, other: Box) => {
  const across = other.x + other.width / 2 - x;
  const down = middle(other) - y;
  return across >= 0 && across <= width && down >= 0 && down <= height;
};

/** The words that a person means by a box that they draw on the page, or by a point of it, line by line. */
export const linesWithin = (page: WordsOfPage, box: Box): readonly (readonly PageWord[])[] =>
  linesAsSeen(
    page.words.filter((word) => hasMiddleOf(box, word) || hasMiddleOf(word, box)),
    uprightOf(page),
  );
