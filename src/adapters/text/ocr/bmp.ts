import { decode } from 'bmp-ts';
import type { Colours, Size } from './colours.ts';

const COLOURS = 4;
const OPAQUE = 255;

export const bmpSize = (data: Uint8Array): Size => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  // A picture that begins with its first row has a negative height.
  return { width: view.getUint32(18, true), height: Math.abs(view.getInt32(22, true)) };
};

export const decodeBmp = (file: Uint8Array): Colours => {
  const { width, height, data } = decode(Buffer.from(file), { toRGBA: true });
  // The fourth sample is mostly 0 in pictures that are to be seen.
  for (let at = COLOURS - 1; at < data.length; at += COLOURS) data[at] = OPAQUE;
  return { width, height, data };
};
