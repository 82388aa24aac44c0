import { quantilesOf, type Raster } from './raster.ts';

/** In pixels: finer than the lines of a table, coarser than the strokes of letters. */
const TILE_BITS = 3;
const TILE = 1 << TILE_BITS;
/** In hundredths of the paper's brightness. */
const DARK = 60;
/** In tiles: no letter is so wide, no rule so high. */
const WIDTH = 14;
const HEIGHT = 4;
/** The share of a field that is dark; the rest is the print on it. No line of bold print reaches it. */
const FIELD = 0.6;
/** The same around a tile that lies in a field; just outside of one, a third is dark. */
const AROUND = 0.5;

/** The share of dark pixels in any block of tiles, which may reach beyond the picture. */
const darkness = (width: number, shares: Uint8Array, columns: number, rows: number) => {
  // Each sum is that of the tiles above and to the left of its place.
  const sums = new Uint32Array((columns + 1) * (rows + 1));
  const row = new Uint32Array(columns);
  for (let y = 0; y < rows; y += 1) {
    row.fill(0);
    for (let start = y * TILE * width; start < (y + 1) * TILE * width; start += width) {
      for (let x = 0; x < columns * TILE; x += 1) {
        if ((shares[start + x] ?? 0) < DARK) row[x >> TILE_BITS] = (row[x >> TILE_BITS] ?? 0) + 1;
      }
    }
    let sum = 0;
    for (let x = 0; x < columns; x += 1) {
      sum += row[x] ?? 0;
      sums[(y + 1) * (columns + 1) + x + 1] = (sums[y * (columns + 1) + x + 1] ?? 0) + sum;
    }
  }
  const upTo = (x: number, y: number) =>
    sums[Math.min(rows, Math.max(0, y)) * (columns + 1) + Math.min(columns, Math.max(0, x))] ?? 0;
  return (x: number, y: number, across: number, down: number): number =>
    (upTo(x + across, y + down) - upTo(x, y + down) - upTo(x + across, y) + upTo(x, y)) / (across * down * TILE * TILE);
};

/** 1 for each pixel that lies in a dark field, such as the head of a table; `shares` are hundredths of the paper's brightness. */
export const darkFields = (width: number, height: number, shares: Uint8Array): Uint8Array => {
  const columns = Math.floor(width / TILE);
  const rows = Math.floor(height / TILE);
  const dark = darkness(width, shares, columns, rows);
  const inField = new Uint8Array(columns * rows);
  const mark = (x: number, y: number) => {
    for (let row = y; row < y + HEIGHT; row += 1) {
      for (let column = x; column < x + WIDTH; column += 1) {
        if (dark(column - 1, row - 1, 3, 3) > AROUND) inField[row * columns + column] = 1;
      }
    }
  };
  for (let y = 0; y + HEIGHT <= rows; y += 1) {
    for (let x = 0; x + WIDTH <= columns; x += 1) {
      if (dark(x, y, WIDTH, HEIGHT) >= FIELD) mark(x, y);
    }
  }
  const fields = new Uint8Array(width * height);
  for (let tile = inField.indexOf(1); tile !== -1; tile = inField.indexOf(1, tile + 1)) {
    const first = (Math.floor(tile / columns) * width + (tile % columns)) * TILE;
    for (let row = first; row < first + TILE * width; row += width) fields.fill(1, row, row + TILE);
  }
  return fields;
};

/** Print covers less than a fifth of a page. */
const PAPER = 0.8;
/** Of the difference between print and paper: how far the shades of most of the paper lie apart at most. */
const EVEN = 0.3;

/** A page that is dark all over, with bright print on it, as black on white; any other as it is. */
export const blackOnWhite = (raster: Raster): Raster => {
  const quantile = quantilesOf(raster.gray);
  const paper = quantile(0.5);
  const brightest = quantile(0.995);
  const darkest = quantile(0.005);
  const print = brightest - paper;
  const isDark = print > paper - darkest && quantile(PAPER) - paper < EVEN * print;
  return isDark ? { ...raster, gray: raster.gray.map((shade) => 255 - shade) } : raster;
};
