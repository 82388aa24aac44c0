import { exifOrientation } from './exif.ts';

/** What the header of a picture says: a decoder must never see a size that was not checked. */
export interface PictureHeader {
  readonly width: number;
  readonly height: number;
  /** How EXIF says that it is to be turned or mirrored, 1 to 8. */
  readonly orientation: number;
}

const PNG = 0x89504e47;
const PNG_EXIF = 0x65584966;
const RIFF = 0x52494646;
const WEBP = 0x57454250;
const LOSSY = 0x56503820;
const LOSSLESS = 0x5650384c;
const EXTENDED = 0x56503858;
const WEBP_EXIF = 0x45584946;
const START_OF_IMAGE = 0xffd8;
const START_OF_SCAN = 0xda;
const APPLICATION_1 = 0xe1;
const JPEG_EXIF = 0x45786966;
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

const upright = (width: number, height: number): PictureHeader => ({ width, height, orientation: 1 });

/** What EXIF says in so many bytes; a damaged one says nothing. */
const orientationIn = (view: DataView, start: number, length: number): number => {
  try {
    return exifOrientation(new DataView(view.buffer, view.byteOffset + start, length));
  } catch {
    return 1;
  }
};

const png = (view: DataView): PictureHeader => {
  let orientation = 1;
  for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at))
    if (view.getUint32(at + 4) === PNG_EXIF) orientation = orientationIn(view, at + 8, view.getUint32(at));
  return { width: view.getUint32(16), height: view.getUint32(20), orientation };
};

const jpeg = (view: DataView): PictureHeader | null => {
  let orientation = 1;
  for (let at = 2; at + 9 < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff || marker === START_OF_SCAN) return null;
    if (marker === APPLICATION_1 && view.getUint32(at + 4) === JPEG_EXIF)
      orientation = orientationIn(view, at + 4, view.getUint16(at + 2) - 2);
    if (FRAMES.has(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5), orientation };
  }
  return null;
};

const webpOrientation = (view: DataView): number => {
  for (let at = 12; at + 8 <= view.byteLength; ) {
    const length = view.getUint32(at + 4, true);
    if (view.getUint32(at) === WEBP_EXIF) return orientationIn(view, at + 8, length);
    at += 8 + length + (length % 2);
  }
  return 1;
};

const webp = (view: DataView): PictureHeader | null => {
  const kind = view.getUint32(12);
  const threeBytes = (at: number) => 1 + (view.getUint16(at, true) | (view.getUint8(at + 2) << 16));
  // Only the extended form has room for EXIF.
  if (kind === EXTENDED) return { width: threeBytes(24), height: threeBytes(27), orientation: webpOrientation(view) };
  if (kind === LOSSY) return upright(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (kind !== LOSSLESS) return null;
  const bits = view.getUint32(21, true);
  return upright((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
};

/** Null for what is no PNG, JPEG or WebP, or is cut off within its header. */
export const pictureHeader = (data: Uint8Array): PictureHeader | null => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  try {
    if (view.getUint32(0) === PNG) return png(view);
    if (view.getUint16(0) === START_OF_IMAGE) return jpeg(view);
    return view.getUint32(0) === RIFF && view.getUint32(8) === WEBP ? webp(view) : null;
  } catch {
    return null;
  }
};
