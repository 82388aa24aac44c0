import { quantilesOf, type Raster } from './raster.ts';

/** A stretch of ink that hangs together, in pixels. */
export interface Mark {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly area: number;
}

export const widthOf = ({ left, right }: Mark): number => right - left;
export const heightOf = ({ top, bottom }: Mark): number => bottom - top;

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The mark around this pixel, which is taken from the ink. */
const taken = (ink: Uint8Array, width: number, start: number): Mark => {
  let left = width;
  let top = ink.length;
  let right = 0;
  let bottom = 0;
  let area = 0;
  const open = [start];
  ink[start] = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = at % width;
    const y = Math.floor(at / width);
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + 1);
    bottom = Math.max(bottom, y + 1);
    area += 1;
    for (const row of [y - 1, y, y + 1]) {
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
        const next = row * width + column;
        if (ink[next] !== 1) continue;
        ink[next] = 0;
        open.push(next);
      }
    }
  }
  return { left, top, right, bottom, area };
};

export const fromTheLeft = (marks: readonly Mark[]): readonly Mark[] =>
  marks.toSorted((a, b) => a.left + a.right - b.left - b.right);

/** From left to right. The ink, 1 for each pixel that has some, is used up. */
export const marksIn = ({ width, ink }: { readonly width: number; readonly ink: Uint8Array }): readonly Mark[] => {
  const marks: Mark[] = [];
  // A buffer finds a byte several times faster than an array does.
  const bytes = Buffer.from(ink.buffer, ink.byteOffset, ink.length);
  for (let start = bytes.indexOf(1); start !== -1; start = bytes.indexOf(1, start + 1))
    marks.push(taken(ink, width, start));
  return fromTheLeft(marks);
};

/** From left to right. `share` of the way from paper to ink is dark; at least `inked` of the picture is ink. */
export const marksOf = ({ width, gray }: Raster, share: number, inked = 0.03): readonly Mark[] => {
  const quantile = quantilesOf(gray);
  const paper = quantile(0.8);
  const limit = paper - share * (paper - quantile(inked));
  return marksIn({ width, ink: gray.map((shade) => (shade <= limit ? 1 : 0)) });
};
