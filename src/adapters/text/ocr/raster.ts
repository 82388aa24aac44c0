import { inflateSync } from 'node:zlib';

/** A picture in shades of grey, from 0 for black to 255; one byte each, row by row. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly gray: Uint8Array;
}

const IMAGE_HEADER = 0x49484452;
const PALETTE = 0x504c5445;
const IMAGE_DATA = 0x49444154;
/** Samples per pixel of PNG's colour types of which the first one or three are grey or red, green and blue. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };

/** Of PNG's filters, the one that guesses a byte by its neighbours. */
export const paeth = (left: number, up: number, corner: number): number => {
  const guess = left + up - corner;
  const a = Math.abs(guess - left);
  const b = Math.abs(guess - up);
  const c = Math.abs(guess - corner);
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
};

const predictors: readonly ((left: number, up: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  paeth,
];

/** In place: each row of PNG says before its first byte how its bytes differ from their neighbours. */
const unfilter = (rows: Uint8Array, stride: number, channels: number): void => {
  for (let start = 0; start + stride < rows.length + 1; start += stride + 1) {
    const predict = predictors[rows[start] ?? 0];
    if (predict === undefined) throw new Error('a filter that PNG does not know');
    for (let at = start + 1; at <= start + stride; at += 1) {
      const hasLeft = at - channels > start;
      const left = hasLeft ? (rows[at - channels] ?? 0) : 0;
      const up = start === 0 ? 0 : (rows[at - stride - 1] ?? 0);
      const corner = hasLeft && start > 0 ? (rows[at - stride - 1 - channels] ?? 0) : 0;
      rows[at] = (rows[at] ?? 0) + predict(left, up, corner);
    }
  }
};

/** As the eye sees brightness. */
export const luminance = (red: number, green: number, blue: number): number =>
  (red * 77 + green * 150 + blue * 29) >> 8;

/** In place: pictures are read as they look on paper, whatever colour lies behind what is transparent. */
const layOnWhite = (rows: Uint8Array, stride: number, channels: number): void => {
  for (let start = 1; start + stride <= rows.length; start += stride + 1) {
    for (let at = start; at < start + stride; at += channels) {
      const opacity = (rows[at + channels - 1] ?? 0) / 255;
      for (let sample = at; sample < at + channels - 1; sample += 1)
        rows[sample] = 255 - (255 - (rows[sample] ?? 0)) * opacity;
    }
  }
};

/** What a PNG holds: each row begins with a byte of its filter, which is undone. */
interface PngRows {
  readonly width: number;
  readonly height: number;
  /** 1 or 2 for grey, 3 or 4 for red, green and blue; the last of 2 or 4 is the opacity, which counts for nothing any more. */
  readonly channels: number;
  readonly rows: Uint8Array;
}

const grayOf = ({ width, height, channels, rows }: PngRows): Uint8Array => {
  const gray = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (width * channels + 1) + 1 + x * channels;
      const first = rows[at] ?? 0;
      gray[y * width + x] = channels < 3 ? first : luminance(first, rows[at + 1] ?? 0, rows[at + 2] ?? 0);
    }
  }
  return gray;
};

/** Each pixel of these rows, which is one number of so many bits, becomes the samples that stand for it. */
const expanded = (
  { width, height, rows }: Omit<PngRows, 'channels'>,
  bits: number,
  meaning: readonly Uint8Array[],
): PngRows => {
  const channels = meaning[0]?.length ?? 1;
  const packed = Math.ceil((width * bits) / 8) + 1;
  const stride = width * channels + 1;
  const result = new Uint8Array(stride * height);
  const mask = (1 << bits) - 1;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const place = x * bits;
      const value = ((rows[y * packed + 1 + (place >> 3)] ?? 0) >> (8 - bits - (place & 7))) & mask;
      const samples = meaning[value];
      if (samples !== undefined) result.set(samples, y * stride + 1 + x * channels);
    }
  }
  return { width, height, channels, rows: result };
};

const BLACK_AND_WHITE = [Uint8Array.of(0), Uint8Array.of(255)];
const INDEXED = 3;

const OTHER_KIND = 'a PNG of another kind';

const headerOf = (view: DataView, at: number) => {
  if (view.getUint8(at + 12) !== 0) throw new Error(OTHER_KIND);
  return {
    width: view.getUint32(at),
    height: view.getUint32(at + 4),
    bits: view.getUint8(at + 8),
    type: view.getUint8(at + 9),
  };
};

/** What the chunks of a PNG hold; its rows are compressed. */
const chunksOf = (png: Uint8Array) => {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const data: Uint8Array[] = [];
  let header = { width: 0, height: 0, bits: 0, type: 0 };
  let palette: readonly Uint8Array[] = [];
  for (let at = 8; at + 12 <= png.length; at += 12 + view.getUint32(at)) {
    const length = view.getUint32(at);
    const name = view.getUint32(at + 4);
    const content = png.subarray(at + 8, at + 8 + length);
    if (name === IMAGE_HEADER) header = headerOf(view, at + 8);
    if (name === PALETTE)
      palette = Array.from({ length: length / 3 }, (_, index) => content.subarray(3 * index, 3 * index + 3));
    if (name === IMAGE_DATA) data.push(content);
  }
  return { ...header, palette, data };
};

/** What the numbers of its pixels stand for; null where they are samples. */
const meaningOf = ({ bits, type, palette }: ReturnType<typeof chunksOf>): readonly Uint8Array[] | null => {
  if (type === INDEXED) return palette;
  return bits === 1 && type === 0 ? BLACK_AND_WHITE : null;
};

/** Of a PNG that is not interlaced, with eight bits a sample, or one for black and white: as Tesseract writes pictures. */
export const rowsOfPng = (png: Uint8Array): PngRows => {
  const chunks = chunksOf(png);
  const { width, height, bits, type, data } = chunks;
  const meaning = meaningOf(chunks);
  const channels = meaning === null ? (CHANNELS[type] ?? 0) : 1;
  if (channels === 0 || (bits !== 8 && meaning === null)) throw new Error(OTHER_KIND);
  const stride = Math.ceil((width * channels * bits) / 8);
  const rows = new Uint8Array(inflateSync(Buffer.concat(data), { maxOutputLength: (stride + 1) * height }));
  unfilter(rows, stride, channels);
  if (meaning !== null) return expanded({ width, height, rows }, bits, meaning);
  if (channels % 2 === 0) layOnWhite(rows, stride, channels);
  return { width, height, channels, rows };
};

export const rasterOf = (png: PngRows): Raster => ({ width: png.width, height: png.height, gray: grayOf(png) });

/** Of 255: how far a page's shades may lie apart when nothing is on it. */
const BLANK_RANGE = 24;

/** Whether one shade is all over the picture. */
export const isBlank = ({ gray }: Raster): boolean => {
  let least = 255;
  let most = 0;
  for (let at = 0; at < gray.length; at += 1) {
    const shade = gray[at] ?? 0;
    if (shade < least) least = shade;
    if (shade > most) most = shade;
    if (most - least >= BLANK_RANGE) return false;
  }
  return true;
};

/** Answers the shade below which a share of a picture lies. */
export const quantilesOf = (shades: Uint8Array): ((share: number) => number) => {
  const counts = new Uint32Array(256);
  for (let at = 0; at < shades.length; at += 1) {
    const shade = shades[at] ?? 0;
    counts[shade] = (counts[shade] ?? 0) + 1;
  }
  return (share) => {
    let left = share * shades.length;
    return counts.findIndex((count) => {
      left -= count;
      return left < 0;
    });
  };
};

/** The shade at a place between pixels, whose middles lie at whole numbers. */
export const shadeAt = ({ width, height, gray }: Raster, x: number, y: number): number => {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const across = x - left;
  const down = y - top;
  // Beyond its edges, a picture goes on as it is there.
  const row = Math.min(height - 1, Math.max(0, top)) * width;
  const next = Math.min(height - 1, Math.max(0, top + 1)) * width;
  const column = Math.min(width - 1, Math.max(0, left));
  const beside = Math.min(width - 1, Math.max(0, left + 1));
  const above = (gray[row + column] ?? 0) * (1 - across) + (gray[row + beside] ?? 0) * across;
  const below = (gray[next + column] ?? 0) * (1 - across) + (gray[next + beside] ?? 0) * across;
  return above * (1 - down) + below * down;
};

/** So many times as wide and high, shades between shades. */
export const scaled = (raster: Raster, factor: number): Raster => {
  const width = Math.round(raster.width * factor);
  const height = Math.round(raster.height * factor);
  const gray = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1)
      gray[y * width + x] = shadeAt(raster, (x + 0.5) / factor - 0.5, (y + 0.5) / factor - 0.5);
  }
  return { width, height, gray };
};

/** What a page of A4 has at 150 dpi, below which letters are too small to be distinguished; and what it has at 200. */
const FEW_PIXELS = 2_200_000;
const ENOUGH_PIXELS = 3_900_000;
/** Beyond it, nothing is won. */
const MAX_FACTOR = 2;

/** A picture of few pixels made larger. */
export const enlarged = (raster: Raster): Raster => {
  const pixels = raster.width * raster.height;
  return pixels >= FEW_PIXELS ? raster : scaled(raster, Math.min(MAX_FACTOR, Math.sqrt(ENOUGH_PIXELS / pixels)));
};
