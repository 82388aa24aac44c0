import { fromTheLeft, heightOf, type Mark, marksIn, widthOf } from './ocr/marks.ts';
import type { Raster } from './ocr/raster.ts';

/** In pixels: the parts of a page whose ground is taken to be of one shade. */
const TILE = 32;
type Tile = readonly [left: number, top: number, right: number, bottom: number];
/** Of 255: by how much ink differs from its ground. */
const LEAST_DIFFERENCE = 40;
/** In points: the marks of print. */
const LOWEST = 3;
const HIGHEST = 40;
/** In units of a mark's height: how wide a mark of print is at most, and how far from the next. */
const WIDEST = 8;
const GAP = 1.2;
const OFF_LINE = 0.5;
/** How many marks stand beside each other in what looks like writing, and how much larger one is than another. */
const LEAST_MARKS = 3;
const LIKE = 2.5;
/** Marks that are so much higher than wide may be bars, and do not count. */
const BAR = 4;

/** The shade below which half of the pixels lie that are counted. */
const middleOfShades = (counts: Uint32Array, pixels: number): number => {
  let shade = 0;
  for (let left = pixels / 2 - (counts[0] ?? 0); left >= 0 && shade < 255; left -= counts[shade] ?? 0) shade += 1;
  return shade;
};

/** Marks the ink of a tile, be it darker or lighter than its ground. `counts`: room for a count of each shade. */
const inkIn = (
  { width, gray }: Raster,
  [left, top, right, bottom]: Tile,
  counts: Uint32Array,
  ink: Uint8Array,
): void => {
  counts.fill(0);
  for (let y = top; y < bottom; y += 1)
    for (let at = y * width + left; at < y * width + right; at += 1) {
      const shade = gray[at] ?? 0;
      counts[shade] = (counts[shade] ?? 0) + 1;
    }
  const ground = middleOfShades(counts, (right - left) * (bottom - top));
  for (let y = top; y < bottom; y += 1)
    for (let at = y * width + left; at < y * width + right; at += 1)
      if (Math.abs((gray[at] ?? 0) - ground) >= LEAST_DIFFERENCE) ink[at] = 1;
};

/** Which tiles of a page are not all of the shade of its corner, row by row: of most pages, few. Four pixels are looked at together. */
const tilesWithMore = ({ width, gray }: Raster, across: number): Uint8Array => {
  const tiles = new Uint8Array(across * Math.ceil(gray.length / width / TILE));
  const fours = new Uint32Array(gray.buffer, gray.byteOffset, gray.length >> 2);
  const paper = (gray[0] ?? 0) * 0x01010101;
  const mark = (at: number) => {
    const y = Math.floor(at / width);
    tiles[Math.floor(y / TILE) * across + Math.floor((at - y * width) / TILE)] = 1;
  };
  for (let index = 0; index < fours.length; index += 1) {
    if (fours[index] === paper) continue;
    mark(4 * index);
    mark(4 * index + 3);
  }
  for (let at = 4 * fours.length; at < gray.length; at += 1) mark(at);
  return tiles;
};

/** The ink of a page: 1 for each pixel that has some. */
const inkOf = (page: Raster) => {
  const { width, height } = page;
  const ink = new Uint8Array(width * height);
  const counts = new Uint32Array(256);
  const across = Math.ceil(width / TILE);
  for (const [tile, hasMore] of tilesWithMore(page, across).entries()) {
    if (hasMore === 0) continue;
    const left = (tile % across) * TILE;
    const top = Math.floor(tile / across) * TILE;
    inkIn(page, [left, top, Math.min(width, left + TILE), Math.min(height, top + TILE)], counts, ink);
  }
  return { width, ink };
};

const middleOf = ({ top, bottom }: Mark) => (top + bottom) / 2;

const isNext = (last: Mark, mark: Mark): boolean => {
  const [small, large] = [heightOf(last), heightOf(mark)].toSorted((a, b) => a - b) as [number, number];
  return (
    large <= LIKE * small &&
    mark.left - last.right < GAP * large &&
    Math.abs(middleOf(mark) - middleOf(last)) < OFF_LINE * large
  );
};

/** Whether marks of print stand beside each other, from left to right. */
const inLine = (marks: readonly Mark[], scale: number): boolean => {
  const lines: Mark[][] = [];
  const letters = marks.filter(
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

/** The marks of a picture that lies on its side. */
const onTheirSide = (marks: readonly Mark[]): readonly Mark[] =>
  fromTheLeft(
    marks.map(({ left, top, right, bottom, area }) => ({ left: top, top: left, right: bottom, bottom: right, area })),
  );

/** The marks of ink on a picture of a page, from left to right. */
export const marksOnPage = (page: Raster): readonly Mark[] => marksIn(inkOf(page));

/** Whether some of these marks look like writing, upright or sideways: as high as letters, beside each other. `scale`: pixels for a point. */
export const lookWritten = (marks: readonly Mark[], scale: number): boolean =>
  marks.length >= LEAST_MARKS && (inLine(marks, scale) || inLine(onTheirSide(marks), scale));
