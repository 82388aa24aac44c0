import { darkFields } from './dark-fields.ts';
import { quantilesOf, type Raster } from './raster.ts';
import { ruledLines } from './ruled-lines.ts';

/** In pixels of a page of some 2,000, which are looked at two by two: wider than the strokes of letters. */
const SQUARE = 32;
const PIXELS_OF_PAGE = 2000;
/** Paper this much darker in one place than in another was photographed, or scanned with the lid open. */
const UNEVEN = 0.04;
/** No paper is this much darker than the rest of its page: what seems so is a dark field with white print on it. */
const DARKEST = 0.5;
/** As shares of the paper's brightness, what becomes black and what white: faint grey print must survive one threshold for all. */
const BLACK = 0.7;
const WHITE = 0.93;
/** The same for a dark field and the print on it. */
const FIELD = 0.35;
const PRINT = 0.8;

/** How bright the paper is, for every four pixels. */
interface Light {
  readonly columns: number;
  readonly levels: Uint8Array;
}

const halved = ({ width, height, gray }: Raster, columns: number): Uint8Array => {
  const rows = height >> 1;
  const shades = new Uint8Array(columns * rows);
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      const first = 2 * (y * width + x);
      const sum =
        (gray[first] ?? 0) + (gray[first + 1] ?? 0) + (gray[first + width] ?? 0) + (gray[first + width + 1] ?? 0);
      shades[y * columns + x] = sum >> 2;
    }
  }
  return shades;
};

/** In place: each shade becomes the lightest of the square that goes from it to the right and down. */
const lighten = (shades: Uint8Array, columns: number, size: number): void => {
  for (const step of [1, columns]) {
    for (let reach = step; reach < size * step; reach *= 2) {
      for (let at = 0; at + reach < shades.length; at += 1) {
        const other = shades[at + reach] ?? 0;
        if (other > (shades[at] ?? 0)) shades[at] = other;
      }
    }
  }
};

const inverse = (shades: Uint8Array): Uint8Array => {
  const result = new Uint8Array(shades.length);
  for (let at = 0; at < shades.length; at += 1) result[shades.length - 1 - at] = 255 - (shades[at] ?? 0);
  return result;
};

/** What is smaller than a square takes the shade of what is around it (a closing), so that the edge of a shadow stays where it is. */
const lightOf = (raster: Raster): Light => {
  const columns = raster.width >> 1;
  const shades = halved(raster, columns);
  const size = Math.ceil((SQUARE / 2) * Math.max(1, Math.sqrt(raster.width * raster.height) / PIXELS_OF_PAGE));
  const light = shades.slice();
  lighten(light, columns, size);
  const back = inverse(light);
  lighten(back, columns, size);
  const levels = inverse(back);
  // Of grain, the lightest would count.
  for (let at = 0; at < shades.length; at += 1) shades[at] = (100 * (shades[at] ?? 0)) / Math.max(1, levels[at] ?? 0);
  const grain = quantilesOf(shades)(0.5) / 100;
  const darkest = DARKEST * quantilesOf(levels)(0.5);
  for (let at = 0; at < levels.length; at += 1) levels[at] = Math.max(1, grain * Math.max(levels[at] ?? 0, darkest));
  return { columns, levels };
};

const isEven = ({ levels }: Light): boolean => {
  const quantile = quantilesOf(levels);
  return quantile(0.9) - quantile(0.1) <= UNEVEN * quantile(0.5);
};

/** How bright the paper is at each pixel. */
const paperOf = ({ width, height }: Raster, { columns, levels }: Light): Uint8Array => {
  const paper = new Uint8Array(width * height);
  const last = levels.length - columns;
  for (let y = 0; y < height; y += 2) {
    const start = y * width;
    const row = Math.min(last, (y >> 1) * columns);
    for (let x = 0; x < width; x += 1) paper[start + x] = levels[row + Math.min(columns - 1, x >> 1)] ?? 255;
    paper.copyWithin(start + width, start, start + width);
  }
  return paper;
};

/** From 0 to 255 between these two shares. */
const stretched = (share: number, from: number, to: number) =>
  Math.min(255, Math.max(0, (255 * (share / 100 - from)) / (to - from)));

const ON_PAPER = Uint8Array.from({ length: 256 }, (_, share) => stretched(share, BLACK, WHITE));
const IN_FIELD = Uint8Array.from({ length: 256 }, (_, share) => 255 - stretched(share, FIELD, PRINT));

/**
 * Takes shadows, dark borders and ruled lines from a page, and makes white print on a dark field black on white. The rest of an evenly lit
 * page stays. Lines go because columns that stand between them are left out, and letters beside them are misread.
 */
export const even = (raster: Raster): Raster => {
  const { width, height, gray } = raster;
  const light = lightOf(raster);
  const isLit = isEven(light);
  const paper = paperOf(raster, light);
  const shares = new Uint8Array(gray.length);
  for (let at = 0; at < gray.length; at += 1) shares[at] = Math.min(255, (100 * (gray[at] ?? 0)) / (paper[at] ?? 255));
  const fields = darkFields(width, height, shares);
  const lines = ruledLines(width, height, shares);
  const result = gray.slice();
  for (let at = 0; at < result.length; at += 1) {
    const share = shares[at] ?? 0;
    if (fields[at] === 1) result[at] = IN_FIELD[share] ?? 0;
    else if (lines[at] === 1) result[at] = isLit ? (paper[at] ?? 255) : 255;
    else if (!isLit) result[at] = ON_PAPER[share] ?? 0;
  }
  return { width, height, gray: result };
};
