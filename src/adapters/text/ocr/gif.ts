import { GifReader } from 'omggif';
import { type Colours, layOnWhite, type Size } from './colours.ts';

/** The size of the screen on which the frames of a GIF are shown. */
export const gifSize = (data: Uint8Array): Size => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
};

/** The first frame: an animation goes on from there. */
export const decodeGif = (file: Uint8Array): Colours => {
  const gif = new GifReader(file);
  const { width, height } = gif;
  const { x, y, width: wide, height: high } = gif.frameInfo(0);
  if (x + wide > width || y + high > height) throw new Error('its first frame does not fit its screen');
  const data = new Uint8Array(width * height * 4);
  gif.decodeAndBlitFrameRGBA(0, data);
  layOnWhite(data);
  return { width, height, data };
};
