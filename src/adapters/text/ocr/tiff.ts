import UTIF from 'utif2';
import { Unreadable } from '../text.ts';
import { luminance, type Raster } from './raster.ts';

const WIDTH = 't256';
const HEIGHT = 't257';

const pageOf = (data: ArrayBuffer, index: number) => {
  const directories = UTIF.decode(data);
  const page = directories[index];
  if (page === undefined) throw new Error('the picture has no such page');
  return { directories, page };
};

/** How many pages a TIFF file has; it may be a fax of many. Throws for what is no TIFF. */
export const tiffPageCount = (data: Uint8Array): number => UTIF.decode(new Uint8Array(data).buffer).filter((page) => page[WIDTH]).length;

/** A page of a TIFF file, from 0 on. */
export const rasterOfTiff = (data: Uint8Array, index: number, maxPixels: number): Raster => {
  const buffer = new Uint8Array(data).buffer;
  const { directories, page } = pageOf(buffer, index);
  const [width = 0, height = 0] = [page[WIDTH]?.[0], page[HEIGHT]?.[0]];
  if (width * height > maxPixels) throw new Unreadable('has more pixels than can be read');
  UTIF.decodeImage(buffer, page, directories);
  const colours = UTIF.toRGBA8(page);
  const gray = new Uint8Array(width * height);
  for (let at = 0; at < gray.length; at += 1) {
    gray[at] = luminance(colours[at * 4] ?? 0, colours[at * 4 + 1] ?? 0, colours[at * 4 + 2] ?? 0);
  }
  return { width, height, gray };
};
