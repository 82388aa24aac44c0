import { type Box, middle, type PageLayout, type PageWord } from './page-words.ts';
import { isRightToLeft } from './text.ts';

/** A place as it is when the page is held so that its lines go from left to right, one below the other. */
export type Upright = (box: Box) => Box;

export type WordsOfPage = Pick<PageLayout, 'words' | 'width' | 'height'>;

const asItIs: Upright = (box) => box;
const fromRight: Upright = ({ x, y, width, height }) => ({ x: 1 - x - width, y: 1 - y - height, width, height });
const fromTop: Upright = ({ x, y, width, height }) => ({ x: y, y: 1 - x - width, width: height, height: width });
const fromBottom: Upright = ({ x, y, width, height }) => ({ x: 1 - y - height, y: x, width: height, height: width });
const mirrored: Upright = ({ x, y, width, height }) => ({ x: 1 - x - width, y, width, height });

/** How many words have the next one to their right, more than to their left; if they are as many, below them, more than above. */
const forward = (boxes: readonly Box[]): number => {
  let right = 0;
  let down = 0;
  for (const [index, box] of boxes.entries()) {
    const next = boxes[index + 1];
    if (next === undefined) continue;
    const isBeside = Math.abs(middle(next) - middle(box)) < Math.min(box.height, next.height) / 2;
    if (isBeside) right += Math.sign(next.x - box.x);
    else down += Math.sign(next.y - box.y);
  }
  return right || down;
};

const areMostly = (words: readonly PageWord[], holds: (word: PageWord) => boolean): boolean =>
  words.filter(holds).length * 2 > words.length;

/**
 * A page may lie on its side or on its head: then most words are higher than wide, or go on to the left. What is written from right to left
 * is seen as in a mirror.
 */
export const uprightOf = ({ words, width, height }: WordsOfPage): Upright => {
  const long = words.filter(({ text }) => text.length > 2);
  const isOnSide = areMostly(long, (word) => word.height * height > word.width * width);
  const lettered = words.filter(({ text }) => /\p{L}/u.test(text));
  const isMirrored = areMostly(lettered, ({ text }) => isRightToLeft(text));
  const [forth, back] = isOnSide ? [fromTop, fromBottom] : [asItIs, fromRight];
  const read = (turned: Upright): Upright => (isMirrored ? (box) => mirrored(turned(box)) : turned);
  return forward(words.map(read(forth))) < 0 ? read(back) : read(forth);
};
