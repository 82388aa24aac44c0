import { GifReader } from 'omggif';
import { gifFrameEnds } from '../gif-frames.ts';
import { type Colours, layOnWhite, type Size } from './colours.ts';

/** The size of the screen on which the frames of a GIF are shown. */
export const gifSize = (data: Uint8Array): Size => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
};

const END = 0x3b;

/** The file without what follows its first frame. */
const withFirstFrame = (file: Uint8Array): Uint8Array => {
  const { value: end = file.length } = gifFrameEnds(file).next();
  return Buffer.concat([file.subarray(0, end), Uint8Array.of(END)]);
};

/** The first frame: an animation goes on from there. */
export const decodeGif = (file: Uint8Array): Colours => {
  const gif = new GifReader(withFirstFrame(file));
  const { width, height } = gif;
  const { x, y, width: wide, height: high } = gif.frameInfo(0);
  if (x + wide > width || y + high > height) throw new Error('its first frame does not fit its screen');
  const data = new Uint8Array(width * height * 4);
  gif.decodeAndBlitFrameRGBA(0, data);
  layOnWhite(data);
  return { width, height, data };
};
