import { heightOf, type Mark, marksIn, widthOf } from './ocr/marks.ts';
import type { Raster } from './ocr/raster.ts';

/** Of 255: what is darker is ink, for a code is black on white. */
const DARK = 128;
/** A corner of a QR code is a ring seven modules wide around a square of three; by how much, of a module, they may be off. */
const RING = 7;
const SQUARE = 3;
const OFF = 0.8;
/** How much of a code is ink: of words between three such corners, less is. */
const LEAST_INK = 0.3;
const MOST_INK = 0.7;
/** In pixels: smaller rings are letters. */
const LEAST_RING = 9;
const MAX_CORNERS = 60;
const WHITE = 255;

const middleOf = ({ left, top, right, bottom }: Mark): readonly [number, number] => [
  (left + right) / 2,
  (top + bottom) / 2,
];

const isAlike = (a: number, b: number, most: number) => Math.abs(a - b) <= most;

const cornersIn = (marks: readonly Mark[]): readonly Mark[] => {
  const rings = marks.filter(
    (mark) => widthOf(mark) >= LEAST_RING && isAlike(widthOf(mark), heightOf(mark), widthOf(mark) / RING),
  );
  const isCentre = (ring: Mark) => (mark: Mark) => {
    const module = widthOf(ring) / RING;
    const [x, y] = middleOf(mark);
    const [ringX, ringY] = middleOf(ring);
    return (
      [widthOf(mark), heightOf(mark)].every((side) => isAlike(side, SQUARE * module, OFF * module)) &&
      isAlike(x, ringX, OFF * module) &&
      isAlike(y, ringY, OFF * module)
    );
  };
  return rings.filter((ring) => marks.some(isCentre(ring))).slice(0, MAX_CORNERS);
};

/** The squares of QR codes: three corners of one size each, of which one has the two others beside and below, or above, it. */
const codesIn = (corners: readonly Mark[]): readonly Mark[] =>
  corners.flatMap((corner) => {
    const most = widthOf(corner) / RING;
    const others = corners.filter((other) => other !== corner && isAlike(widthOf(other), widthOf(corner), most));
    const [x, y] = middleOf(corner);
    const beside = others.filter((other) => isAlike(middleOf(other)[1], y, most));
    const below = others.filter((other) => isAlike(middleOf(other)[0], x, most));
    return beside.flatMap((one) =>
      below
        .filter((other) => isAlike(Math.abs(middleOf(one)[0] - x), Math.abs(middleOf(other)[1] - y), 2 * most))
        .map((other) => ({
          left: Math.min(corner.left, one.left),
          right: Math.max(corner.right, one.right),
          top: Math.min(corner.top, other.top),
          bottom: Math.max(corner.bottom, other.bottom),
          area: 0,
        })),
    );
  });

const isDense = ({ width }: Raster, ink: Uint8Array, { left, top, right, bottom }: Mark): boolean => {
  let dark = 0;
  for (let y = top; y < bottom; y += 1)
    for (let at = y * width + left; at < y * width + right; at += 1) dark += ink[at] ?? 0;
  const share = dark / ((right - left) * (bottom - top));
  return share >= LEAST_INK && share <= MOST_INK;
};

/** The page without its QR codes, which are for machines; null if it has none. */
export const withoutCodes = (page: Raster): Raster | null => {
  const { width, height, gray } = page;
  const ink = gray.map((shade) => (shade < DARK ? 1 : 0));
  const codes = codesIn(cornersIn(marksIn({ width, ink: ink.slice() }))).filter((code) => isDense(page, ink, code));
  if (codes.length === 0) return null;
  const rest = gray.slice();
  for (const { left, top, right, bottom } of codes)
    for (let y = top; y < bottom; y += 1) rest.fill(WHITE, y * width + left, y * width + right);
  return { width, height, gray: rest };
};
