/** What the header of a picture says: a decoder must never see a size that was not checked. */
export interface PictureHeader {
  readonly width: number;
  readonly height: number;
  /** How EXIF says that it is to be turned or mirrored, 1 to 8. */
  readonly orientation: number;
}

const PNG = 0x89504e47;
const EXIF = 0x45786966;
const ORIENTATION = 0x0112;
const [RIFF, WEBP, LOSSY, LOSSLESS, EXTENDED] = [0x52494646, 0x57454250, 0x56503820, 0x5650384c, 0x56503858];
const START_OF_IMAGE = 0xffd8;
const START_OF_SCAN = 0xda;
const APPLICATION_1 = 0xe1;
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

const upright = (width: number, height: number): PictureHeader => ({ width, height, orientation: 1 });

const exifOrientation = (segment: DataView): number => {
  if (segment.byteLength < 22 || segment.getUint32(0) !== EXIF) return 1;
  const little = segment.getUint16(6) === 0x4949;
  const directory = 6 + segment.getUint32(10, little);
  const entries = segment.getUint16(directory, little);
  for (let at = directory + 2; at < directory + 2 + entries * 12; at += 12) {
    const value = segment.getUint16(at, little) === ORIENTATION ? segment.getUint16(at + 8, little) : null;
    if (value !== null) return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
};

const jpeg = (view: DataView): PictureHeader | null => {
  let orientation = 1;
  for (let at = 2; at + 9 < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff || marker === START_OF_SCAN) return null;
    if (marker === APPLICATION_1) {
      orientation = exifOrientation(new DataView(view.buffer, view.byteOffset + at + 4, view.getUint16(at + 2) - 2));
    }
    if (FRAMES.has(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5), orientation };
  }
  return null;
};

const webp = (view: DataView): PictureHeader | null => {
  const kind = view.getUint32(12);
  const threeBytes = (at: number) => 1 + (view.getUint16(at, true) | (view.getUint8(at + 2) << 16));
  if (kind === EXTENDED) return upright(threeBytes(24), threeBytes(27));
  if (kind === LOSSY) return upright(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (kind !== LOSSLESS) return null;
  const bits = view.getUint32(21, true);
  return upright((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
};

/** Null for what is no PNG, JPEG or WebP, or is cut off within its header. */
export const pictureHeader = (data: Uint8Array): PictureHeader | null => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  try {
    if (view.getUint32(0) === PNG) return upright(view.getUint32(16), view.getUint32(20));
    if (view.getUint16(0) === START_OF_IMAGE) return jpeg(view);
    return view.getUint32(0) === RIFF && view.getUint32(8) === WEBP ? webp(view) : null;
  } catch {
    return null;
  }
};
