import { bmpSize, decodeBmp } from './bmp.ts';
import { type Colours, checkPixels, type DecodedPages, oriented, type Size, shownSize } from './colours.ts';
import { decodeGif, gifSize } from './gif.ts';
import { decodeAvif, decodeHeic } from './heif.ts';
import { heifHeader } from './heif-header.ts';
import { decodeJpeg2000, jpeg2000Size } from './jpeg-2000.ts';

/** What a header says, and how its picture is decoded. */
interface Found extends Size {
  readonly mostPixels: number;
  readonly orientation: number;
  decode(data: Uint8Array): Promise<Colours> | Colours;
}

const upright = (size: Size, decode: Found['decode']): Found => {
  const { width, height } = size;
  return { width, height, mostPixels: width * height, orientation: 1, decode };
};

const heif = (
  data: Uint8Array,
  decode: (header: { readonly orientation: number }) => Found['decode'],
): Found | null => {
  const header = heifHeader(data);
  return header && { ...header, decode: decode(header) };
};

const finders: Readonly<Record<string, (data: Uint8Array) => Found | null>> = {
  'image/gif': (data) => upright(gifSize(data), decodeGif),
  'image/bmp': (data) => upright(bmpSize(data), decodeBmp),
  'image/jp2': (data) => {
    const size = jpeg2000Size(data);
    return size && upright(size, decodeJpeg2000);
  },
  // One of the two decoders turns what it decodes.
  'image/heic': (data) => heif(data, () => decodeHeic),
  'image/avif': (data) =>
    heif(
      data,
      ({ orientation }) =>
        async (file) =>
          oriented(await decodeAvif(file), orientation),
    ),
};

/** A file of one of these types, whose first picture counts; undefined for another type. Throws for a damaged header. */
export const openSinglePicture = (data: Uint8Array, contentType: string): DecodedPages | undefined => {
  const find = finders[contentType];
  if (find === undefined) return undefined;
  const size = find(data);
  if (size === null || size.width * size.height === 0) throw new Error('it has no size');
  return {
    pageCount: 1,
    sizeOf: () => shownSize(size, size.orientation),
    async colours() {
      checkPixels(size.mostPixels);
      return size.decode(data);
    },
  };
};
