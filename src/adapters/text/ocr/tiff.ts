import UTIF, { type Directory } from 'utif2';
import { Unreadable } from '../text.ts';
import { type Colours, checkPixels, type DecodedPages, layOnWhite, oriented, type Size, shownSize } from './colours.ts';

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
const JPEG = new Set([6, 7]);
/** TIFF's numbers of what the samples of a pixel are. */
const WHITE_IS_ZERO = 0;
const RGB = 2;
const CMYK = 5;
/** Where each colour is a picture of its own, which the package takes for rows of pixels. */
const PLANES = 2;
const UNKNOWN_KIND = 'is a TIFF file of a kind that cannot be read: save it as PNG, JPEG or PDF and upload that';
/** TIFF's numbers of what the fourth sample is; of the others, one has colours that are multiplied by it already. */
const OPAQUE = 0;
const MULTIPLIED = 1;

const canDecode = (page: Directory): boolean => {
  const {
    t259: [compression = 1] = [],
    t262: [colours = RGB] = [],
    t277: [samples = 1] = [],
    t284: [order = 1] = [],
  } = page;
  if (JPEG.has(compression) && (colours === WHITE_IS_ZERO || (samples !== 1 && samples !== 3))) return false;
  return COMPRESSIONS.has(compression) && colours !== CMYK && (order !== PLANES || samples === 1);
};

/** The package decodes JPEG to red, green and blue, and takes pages of one sample for grey nevertheless. */
const asDecoded = (page: Directory): Directory => {
  const { t259: [compression = 1] = [], t277: [samples = 1] = [] } = page;
  return JPEG.has(compression) && samples === 1 ? { ...page, t258: [8, 8, 8], t262: [RGB], t277: [3] } : { ...page };
};

/** A TIFF file, which may be a fax of many pages. Throws for what is none. */
export const openTiff = (data: Uint8Array): DecodedPages => {
  if (!isBounded(data)) throw new Error('its pages or the values of one have no end');
  const file = new Uint8Array(data).buffer;
  const pictures = UTIF.decode(file).filter(({ t256, t257 }) => t256 !== undefined && t257 !== undefined);
  const originals = pictures.filter(({ t254: [kind = 0] = [] }) => (kind & REDUCED) === 0);
  const directories = originals.length > 0 ? originals : pictures;
  const storedSize = (number: number): Size => {
    const { t256: [width = 0] = [], t257: [height = 0] = [] } = directories[number - 1] ?? {};
    return { width, height };
  };
  const orientationOf = (number: number) => directories[number - 1]?.t274?.[0] ?? 1;
  return {
    pageCount: directories.length,
    /** In pixels, as it is shown; by its number from 1, like the other. */
    sizeOf: (number: number) => shownSize(storedSize(number), orientationOf(number)),
    async colours(number: number): Promise<Colours> {
      const directory = directories[number - 1];
      const { width, height } = storedSize(number);
      if (directory === undefined || width * height === 0) throw new Error('the file has no such picture');
      checkPixels(width * height);
      if (!canDecode(directory)) throw new Unreadable(UNKNOWN_KIND);
      // Decoding leaves the pixels with the directory, which would keep every page in memory.
      const decoded = asDecoded(directory);
      UTIF.decodeImage(file, decoded, directories);
      const data = UTIF.toRGBA8(decoded);
      // The package leaves out without a word what it cannot decode.
      if (!data.some((sample, at) => at % 4 === 3 && sample > 0)) throw new Unreadable(UNKNOWN_KIND);
      const kind = decoded.t338?.[0] ?? OPAQUE;
      if (kind !== OPAQUE) layOnWhite(data, kind === MULTIPLIED);
      return oriented({ width, height, data }, orientationOf(number));
    },
  };
};
