import type { Size } from './colours.ts';

/** A box of the ISO base media file format: what it holds lies between these places. */
interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

export interface HeifHeader extends Size {
  /** Of the largest picture in the file, its tiles and previews included: what a decoder may have to make room for. */
  readonly mostPixels: number;
  /** As EXIF counts; it is not applied to the size. */
  readonly orientation: number;
}

const HEADER_BYTES = 8;
const VERSION_BYTES = 4;
const LARGE = 1;
const TO_THE_END = 0;

/** Of a box, with its header. */
const sizeOf = (view: DataView, at: number, end: number): number => {
  const size = view.getUint32(at);
  if (size === LARGE) return Number(view.getBigUint64(at + HEADER_BYTES));
  return size === TO_THE_END ? end - at : size;
};

const boxesIn = (view: DataView, { start, end }: Omit<Box, 'type'>): readonly Box[] => {
  const boxes: Box[] = [];
  for (let at = start; at + HEADER_BYTES <= end; ) {
    const size = sizeOf(view, at, end);
    const type = Buffer.from(view.buffer, view.byteOffset + at + 4, 4).toString('latin1');
    const head = view.getUint32(at) === LARGE ? 2 * HEADER_BYTES : HEADER_BYTES;
    if (size < head || at + size > end) break;
    boxes.push({ type, start: at + head, end: at + size });
    at += size;
  }
  return boxes;
};

const inside = (view: DataView, boxes: readonly Box[], type: string, skipped = 0): readonly Box[] => {
  const outer = boxes.find((box) => box.type === type);
  return outer === undefined ? [] : boxesIn(view, { start: outer.start + skipped, end: outer.end });
};

const primaryItem = (view: DataView, boxes: readonly Box[]): number | null => {
  const primary = boxes.find(({ type }) => type === 'pitm');
  if (primary === undefined) return null;
  const place = primary.start + VERSION_BYTES;
  return view.getUint8(primary.start) === 0 ? view.getUint16(place) : view.getUint32(place);
};

/** The properties of an item, by their numbers from 1, in the order in which they are to be applied. */
const propertiesOf = (view: DataView, { start }: Box, wanted: number): readonly number[] => {
  const version = view.getUint8(start);
  const isWide = (view.getUint8(start + 3) & 1) === 1;
  let at = start + VERSION_BYTES + 4;
  for (let left = view.getUint32(start + VERSION_BYTES); left > 0; left -= 1) {
    const item = version === 0 ? view.getUint16(at) : view.getUint32(at);
    at += version === 0 ? 2 : 4;
    const count = view.getUint8(at);
    at += 1;
    // The highest bit says whether a reader has to understand the property.
    const numbers = Array.from({ length: count }, (_, index) =>
      isWide ? view.getUint16(at + 2 * index) & 0x7fff : view.getUint8(at + index) & 0x7f,
    );
    if (item === wanted) return numbers;
    at += count * (isWide ? 2 : 1);
  }
  return [];
};

/** Turns and mirrors as EXIF numbers them: a picture in one orientation, turned a quarter against the clock, or mirrored, is in another. */
const TURNED = [0, 8, 5, 6, 7, 4, 1, 2, 3];
const LEFT_FOR_RIGHT = [0, 2, 1, 4, 3, 6, 5, 8, 7];
const UPSIDE_DOWN = [0, 4, 3, 2, 1, 8, 7, 6, 5];

const after = (orientation: number, view: DataView, { type, start }: Box): number => {
  if (type !== 'irot' && type !== 'imir') return orientation;
  const value = view.getUint8(start) & (type === 'irot' ? 3 : 1);
  if (type === 'imir') return (value === 0 ? UPSIDE_DOWN : LEFT_FOR_RIGHT)[orientation] ?? 1;
  return Array.from({ length: value }).reduce((turned: number) => TURNED[turned] ?? 1, orientation);
};

/** Of the picture that a HEIC or AVIF file shows first. Null for what is none, or is cut off within its header. */
export const heifHeader = (data: Uint8Array): HeifHeader | null => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  try {
    const meta = inside(view, boxesIn(view, { start: 0, end: data.length }), 'meta', VERSION_BYTES);
    const about = inside(view, meta, 'iprp');
    const properties = inside(view, about, 'ipco');
    const sizeIn = ({ start }: Box): Size => ({ width: view.getUint32(start + 4), height: view.getUint32(start + 8) });
    const sizes = properties.filter(({ type }) => type === 'ispe').map(sizeIn);
    const primary = primaryItem(view, meta);
    const associations = about.filter(({ type }) => type === 'ipma');
    const ofPrimary = associations
      .flatMap((box) => (primary === null ? [] : propertiesOf(view, box, primary)))
      .flatMap((number) => properties[number - 1] ?? []);
    const size = ofPrimary.find(({ type }) => type === 'ispe');
    if (size === undefined) return null;
    return {
      ...sizeIn(size),
      mostPixels: Math.max(...sizes.map(({ width, height }) => width * height)),
      orientation: ofPrimary.reduce((orientation, property) => after(orientation, view, property), 1),
    };
  } catch {
    return null;
  }
};
