import { darkFields } from './dark-fields.ts';
import type { Raster } from './raster.ts';
import { ruledLines } from './ruled-lines.ts';

/** In pixels. */
const TILE = 32;
/** The share of a tile that is darker than its paper. */
const PAPER = 0.9;
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

/** How bright the paper is, tile by tile. */
interface Light {
  readonly columns: number;
  readonly rows: number;
  readonly levels: Float32Array;
}

const paperLevel = ({ width, height, gray }: Raster, column: number, row: number): number => {
  const counts = new Uint32Array(256);
  const [right, bottom] = [Math.min(width, (column + 1) * TILE), Math.min(height, (row + 1) * TILE)];
  for (let y = row * TILE; y < bottom; y += 1) {
    for (let x = column * TILE; x < right; x += 1) {
      const shade = gray[y * width + x] ?? 0;
      counts[shade] = (counts[shade] ?? 0) + 1;
    }
  }
  let brighter = (right - column * TILE) * (bottom - row * TILE) * (1 - PAPER);
  let level = 255;
  while (level > 1 && brighter > (counts[level] ?? 0)) {
    brighter -= counts[level] ?? 0;
    level -= 1;
  }
  return level;
};

const quantile = (levels: Float32Array, share: number) => levels.toSorted()[Math.floor(share * (levels.length - 1))] ?? 0;

const lightOf = (raster: Raster): Light => {
  const [columns, rows] = [Math.ceil(raster.width / TILE), Math.ceil(raster.height / TILE)];
  const levels = Float32Array.from({ length: columns * rows }, (_, tile) => paperLevel(raster, tile % columns, Math.floor(tile / columns)));
  const darkest = DARKEST * quantile(levels, 0.5);
  return { columns, rows, levels: levels.map((level) => Math.max(level, darkest)) };
};

const isEven = ({ levels }: Light): boolean => quantile(levels, 0.9) - quantile(levels, 0.1) <= UNEVEN * quantile(levels, 0.5);

/** How bright each pixel is in hundredths of its paper. */
const sharesOf = ({ width, height, gray }: Raster, { columns, rows, levels }: Light): Uint8Array => {
  const at = (column: number, row: number) =>
    levels[Math.min(rows - 1, Math.max(0, row)) * columns + Math.min(columns - 1, Math.max(0, column))] ?? 255;
  const shares = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const [row, down] = [Math.floor(y / TILE - 0.5), (y / TILE + 0.5) % 1];
    for (let x = 0; x < width; x += 1) {
      const [column, across] = [Math.floor(x / TILE - 0.5), (x / TILE + 0.5) % 1];
      const top = at(column, row) * (1 - across) + at(column + 1, row) * across;
      const bottom = at(column, row + 1) * (1 - across) + at(column + 1, row + 1) * across;
      shares[y * width + x] = Math.min(255, (100 * (gray[y * width + x] ?? 0)) / (top * (1 - down) + bottom * down));
    }
  }
  return shares;
};

/** From 0 to 255 between these two shares. */
const stretched = (share: number, from: number, to: number) => Math.min(255, Math.max(0, (255 * (share / 100 - from)) / (to - from)));

/**
 * Takes shadows, dark borders and ruled lines from a page, and makes white print on a dark field black on white. The rest of an evenly lit
 * page stays. Lines go because columns that stand between them are left out, and letters beside them are misread.
 */
export const even = (raster: Raster): Raster => {
  const { width, height, gray } = raster;
  const light = lightOf(raster);
  const isLit = isEven(light);
  const shares = sharesOf(raster, light);
  const isInField = darkFields(width, height, shares);
  const isLine = ruledLines(width, height, shares);
  const result = shares.map((share, at) => {
    if (isInField(at)) return 255 - stretched(share, FIELD, PRINT);
    if (isLine(at)) return isLit ? Math.min(255, ((gray[at] ?? 0) * 100) / Math.max(1, share)) : 255;
    return isLit ? (gray[at] ?? 0) : stretched(share, BLACK, WHITE);
  });
  return { width, height, gray: result };
};
