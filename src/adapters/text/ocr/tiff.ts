import UTIF, { type Directory } from 'utif2';
import { Unreadable } from '../text.ts';
import { luminance, type Raster } from './raster.ts';

const LITTLE_ENDIAN = 0x4949;
const ENTRY_BYTES = 12;
const MAX_PAGES = 10_000;

/**
 * Each directory of a page says where the next one is, which a hostile file may turn into a circle, and how many values each of its
 * entries has, which the package would make room for before it looks whether they are there.
 */
const isBounded = (data: Uint8Array): boolean => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const little = view.getUint16(0) === LITTLE_ENDIAN;
  let at = view.getUint32(4, little);
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    if (at === 0) return true;
    const next = at + 2 + view.getUint16(at, little) * ENTRY_BYTES;
    for (let entry = at + 2; entry < next; entry += ENTRY_BYTES)
      if (view.getUint32(entry + 4, little) > data.length) return false;
    at = view.getUint32(next, little);
  }
  return false;
};

/** The bit of TIFF's kinds of pictures that stands for a smaller copy of another one. */
const REDUCED = 1;
/** TIFF's numbers of compressions: none, those of faxes, LZW, JPEG, Deflate and PackBits. */
const COMPRESSIONS = new Set([1, 2, 3, 4, 5, 6, 7, 8, 32_773, 32_946]);
const CMYK = 5;
const UNKNOWN_KIND = 'is a TIFF file of a kind that cannot be read: save it as PNG, JPEG or PDF and upload that';
/** TIFF's numbers of what the fourth sample is; of the others, one has colours that are multiplied by it already. */
const OPAQUE = 0;
const MULTIPLIED = 1;

const canDecode = ({ t259: [compression = 1] = [], t262: [colours = 0] = [] }: Directory): boolean =>
  COMPRESSIONS.has(compression) && colours !== CMYK;

/** In place: pictures are read as they look on paper. */
const layOnWhite = (data: Uint8Array, kind: number): void => {
  for (let at = 0; kind !== OPAQUE && at < data.length; at += 4) {
    const opacity = data[at + 3] ?? 0;
    if (opacity === 255) continue;
    for (let sample = at; sample < at + 3; sample += 1) {
      const colour = data[sample] ?? 0;
      data[sample] =
        kind === MULTIPLIED ? Math.min(255, colour + 255 - opacity) : 255 - ((255 - colour) * opacity) / 255;
    }
  }
};

/** A TIFF file, which may be a fax of many pages. Throws for what is none. */
export const openTiff = (data: Uint8Array, maxPixels: number) => {
  if (!isBounded(data)) throw new Error('its pages or the values of one have no end');
  const file = new Uint8Array(data).buffer;
  const pictures = UTIF.decode(file).filter(({ t256, t257 }) => t256 !== undefined && t257 !== undefined);
  const originals = pictures.filter(({ t254: [kind = 0] = [] }) => (kind & REDUCED) === 0);
  const directories = originals.length > 0 ? originals : pictures;
  const sizeOf = (number: number) => {
    const { t256: [width = 0] = [], t257: [height = 0] = [] } = directories[number - 1] ?? {};
    return { width, height };
  };
  /** Four samples for each pixel: red, green, blue and opacity. */
  const colours = (number: number) => {
    const directory = directories[number - 1];
    const { width, height } = sizeOf(number);
    if (directory === undefined || width * height === 0) throw new Error('the file has no such picture');
    if (width * height > maxPixels) throw new Unreadable('has more pixels than can be read: make it smaller');
    // Decoding leaves the pixels with the directory, which would keep every page in memory.
    const own = { ...directory };
    if (!canDecode(own)) throw new Unreadable(UNKNOWN_KIND);
    UTIF.decodeImage(file, own, directories);
    const data = UTIF.toRGBA8(own);
    // The package leaves out without a word what it cannot decode.
    if (!data.some((sample, at) => at % 4 === 3 && sample > 0)) throw new Unreadable(UNKNOWN_KIND);
    layOnWhite(data, own.t338?.[0] ?? OPAQUE);
    return { width, height, data };
  };
  return {
    pageCount: directories.length,
    /** In pixels; by its number from 1, like the others. */
    sizeOf,
    colours,
    page(number: number): Raster {
      const { width, height, data } = colours(number);
      const gray = new Uint8Array(width * height);
      for (let at = 0; at < gray.length; at += 1)
        gray[at] = luminance(data[at * 4] ?? 0, data[at * 4 + 1] ?? 0, data[at * 4 + 2] ?? 0);
      return { width, height, gray };
    },
  };
};
