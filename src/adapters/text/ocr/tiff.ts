import UTIF from 'utif2';
import { Unreadable } from '../text.ts';
import { luminance, type Raster } from './raster.ts';

const LITTLE_ENDIAN = 0x4949;
const ENTRY_BYTES = 12;
const MAX_PAGES = 10_000;

/** Each directory of a page says where the next one is, which a hostile file may turn into a circle. */
const hasEnd = (data: Uint8Array): boolean => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const little = view.getUint16(0) === LITTLE_ENDIAN;
  let at = view.getUint32(4, little);
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    if (at === 0) return true;
    at = view.getUint32(at + 2 + view.getUint16(at, little) * ENTRY_BYTES, little);
  }
  return false;
};

/** A TIFF file, which may be a fax of many pages. Throws for what is none. */
export const openTiff = (data: Uint8Array, maxPixels: number) => {
  if (!hasEnd(data)) throw new Error('its pages have no end');
  const file = new Uint8Array(data).buffer;
  const directories = UTIF.decode(file).filter(({ t256, t257 }) => t256 !== undefined && t257 !== undefined);
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
    UTIF.decodeImage(file, own, directories);
    return { width, height, data: UTIF.toRGBA8(own) };
  };
  return {
    pageCount: directories.length,
    /** In pixels; by its number from 1, like the others. */
    sizeOf,
    colours,
    page(number: number): Raster {
      const { width, height, data } = colours(number);
      const gray = new Uint8Array(width * height);
      for (let at = 0; at < gray.length; at += 1) gray[at] = luminance(data[at * 4] ?? 0, data[at * 4 + 1] ?? 0, data[at * 4 + 2] ?? 0);
      return { width, height, gray };
    },
  };
};
