import { type Box, middle, type PageWord } from './page-words.ts';

/** The words by line as they are seen, top to bottom and left to right: their own order may go down the columns of a table. */
export const linesAsSeen = (words: readonly PageWord[]): readonly (readonly PageWord[])[] => {
  const lines: PageWord[][] = [];
  for (const word of words.toSorted((a, b) => middle(a) - middle(b))) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line && first && middle(word) < first.y + first.height && middle(first) > word.y) line.push(word);
    else lines.push([word]);
  }
  return lines.map((line) => line.toSorted((a, b) => a.x - b.x));
};

const clamped = (value: number) => Math.min(1, Math.max(0, value));
const rounded = (value: number) => Math.round(value * 1e6) / 1e6;

/** The least box that has them all, on the page. */
export const around = (words: readonly Box[]): Box => {
  const [left, top] = [Math.min(...words.map(({ x }) => clamped(x))), Math.min(...words.map(({ y }) => clamped(y)))];
  const right = Math.max(...words.map(({ x, width }) => clamped(x + width)));
  const bottom = Math.max(...words.map(({ y, height }) => clamped(y + height)));
  const [x, y] = [rounded(left), rounded(top)];
  return { x, y, width: rounded(Math.min(right, 1) - x), height: rounded(Math.min(bottom, 1) - y) };
};

const hasMiddleOf = ({ x, y, width, height }: Box, other: Box) => {
  const [across, down] = [other.x + other.width / 2 - x, middle(other) - y];
  return across >= 0 && across <= width && down >= 0 && down <= height;
};

/** The words that a person means by a box that they draw on the page, or by a point of it, line by line. */
export const linesWithin = (words: readonly PageWord[], box: Box): readonly (readonly PageWord[])[] =>
  linesAsSeen(words.filter((word) => hasMiddleOf(box, word) || hasMiddleOf(word, box)));
