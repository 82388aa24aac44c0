import { type Mark, marksOf } from './ocr/marks.ts';
import { quantilesOf, type Raster } from './ocr/raster.ts';

/** In pixels: the parts of a page whose ground is taken to be of one shade. */
const TILE = 32;
/** Of 255: by how much ink differs from its ground. */
const LEAST_DIFFERENCE = 40;
/** In points: the marks of print. */
const [LOWEST, HIGHEST] = [3, 40];
/** In units of a mark's height: how wide a mark of print is at most, and how far from the next. */
const [WIDEST, GAP, OFF_LINE] = [8, 1.2, 0.5];
/** How many marks stand beside each other in what looks like writing, and how much larger one is than another. */
const [LEAST_MARKS, LIKE] = [3, 2.5];
/** Marks that are so much higher than wide may be bars, and do not count. */
const BAR = 4;

/** The page with its ink in black, be it darker or lighter than its ground. */
const inkOf = ({ width, height, gray }: Raster): Raster => {
  const ink = new Uint8Array(width * height).fill(255);
  for (let top = 0; top < height; top += TILE) {
    for (let left = 0; left < width; left += TILE) {
      const [right, bottom] = [Math.min(width, left + TILE), Math.min(height, top + TILE)];
      const tile = new Uint8Array((right - left) * (bottom - top));
      for (let y = top; y < bottom; y += 1)
        tile.set(gray.subarray(y * width + left, y * width + right), (y - top) * (right - left));
      const ground = quantilesOf(tile)(0.5);
      for (let y = top; y < bottom; y += 1)
        for (let x = left; x < right; x += 1)
          if (Math.abs((gray[y * width + x] ?? 0) - ground) >= LEAST_DIFFERENCE) ink[y * width + x] = 0;
    }
  }
  return { width, height, gray: ink };
};

const heightOf = ({ top, bottom }: Mark) => bottom - top;
const widthOf = ({ left, right }: Mark) => right - left;
const middleOf = ({ top, bottom }: Mark) => (top + bottom) / 2;

const isNext = (last: Mark, mark: Mark): boolean => {
  const [small, large] = [heightOf(last), heightOf(mark)].toSorted((a, b) => a - b) as [number, number];
  return (
    large <= LIKE * small &&
    mark.left - last.right < GAP * large &&
    Math.abs(middleOf(mark) - middleOf(last)) < OFF_LINE * large
  );
};

/** Whether something on a picture of a page looks like writing: marks as high as letters, beside each other. `scale`: pixels for a point. */
export const looksWritten = (page: Raster, scale: number): boolean => {
  const ink = inkOf(page);
  if (!ink.gray.includes(0)) return false;
  const lines: Mark[][] = [];
  const letters = marksOf(ink, 0.5, 0).filter(
    (mark) =>
      heightOf(mark) >= LOWEST * scale && heightOf(mark) <= HIGHEST * scale && widthOf(mark) <= WIDEST * heightOf(mark),
  );
  for (const mark of letters) {
    const line = lines.find((each) => isNext(each.at(-1) as Mark, mark));
    if (line === undefined) lines.push([mark]);
    else line.push(mark);
    const isWritten =
      line !== undefined &&
      line.filter((each) => heightOf(each) < BAR * widthOf(each)).length >= LEAST_MARKS &&
      mark.right - (line[0]?.left ?? 0) > LEAST_MARKS * LOWEST * scale;
    if (isWritten) return true;
  }
  return false;
};
