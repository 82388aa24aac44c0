import { type Box, middle, type PageLayout } from './page-words.ts';

/** A place as it is when the page is held so that its lines go from left to right. */
export type Upright = (box: Box) => Box;

const asItIs: Upright = (box) => box;
const fromRight: Upright = ({ x, y, width, height }) => ({ x: 1 - x - width, y: 1 - y - height, width, height });
const fromTop: Upright = ({ x, y, width, height }) => ({ x: y, y: 1 - x - width, width: height, height: width });
const fromBottom: Upright = ({ x, y, width, height }) => ({ x: 1 - y - height, y: x, width: height, height: width });

/** How many words have the next word of their line to their right, more than to their left. */
const rightward = (boxes: readonly Box[]): number =>
  boxes.reduce((sum, box, index) => {
    const next = boxes[index + 1];
    const isBeside = next !== undefined && Math.abs(middle(next) - middle(box)) < Math.min(box.height, next.height) / 2;
    return sum + (isBeside ? Math.sign(next.x - box.x) : 0);
  }, 0);

/** A scan may lie on its side or on its head: then most words are higher than wide, or go on to the left. */
export const uprightOf = ({ words, width, height }: PageLayout): Upright => {
  const long = words.filter(({ text }) => text.length > 2);
  const onSide = long.filter((word) => word.height * height > word.width * width);
  const [forth, back] = onSide.length * 2 > long.length ? [fromTop, fromBottom] : [asItIs, fromRight];
  return rightward(words.map(forth)) < 0 ? back : forth;
};
