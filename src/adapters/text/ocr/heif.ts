import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import decodeAv1, { init as startAv1 } from '@jsquash/avif/decode.js';
import type { HeifImage, Libheif } from 'libheif-js/libheif-wasm/libheif.js';
import { type Colours, layOnWhite } from './colours.ts';

const require = createRequire(import.meta.url);

/** The library is under the LGPL: it stays a package of its own, which another build of it may replace. */
const startLibheif = (): Libheif => {
  const start = require('libheif-js/libheif-wasm/libheif.js') as (options: { wasmBinary: Uint8Array }) => Libheif;
  return start({ wasmBinary: readFileSync(require.resolve('libheif-js/libheif-wasm/libheif.wasm')) });
};

let hevc: InstanceType<Libheif['HeifDecoder']> | null = null;

const shown = (image: HeifImage): Promise<Colours> => {
  const width = image.get_width();
  const height = image.get_height();
  const data = new Uint8Array(width * height * 4);
  return new Promise((resolve, reject) => {
    image.display({ width, height, data }, (drawn) => {
      if (drawn === null) reject(new Error('libheif cannot decode it'));
      else resolve({ width, height, data });
    });
  });
};

/** A HEIC picture, turned as it is to be shown. */
export const decodeHeic = async (data: Uint8Array): Promise<Colours> => {
  hevc ??= new (startLibheif().HeifDecoder)();
  const images = hevc.decode(data);
  const image = images.find((each) => each.is_primary()) ?? images[0];
  if (image === undefined) throw new Error('libheif finds no picture in it');
  const colours = await shown(image);
  layOnWhite(colours.data, image.is_premultiplied_alpha());
  for (const image of images) image.free();
  return colours;
};

/** What the decoder answers with: browsers have this class, and Node has not. */
class Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

let av1: Promise<void> | null = null;

const startAvif = async (): Promise<void> => {
  Object.assign(globalThis, { ImageData: Pixels });
  const wasm = readFileSync(fileURLToPath(import.meta.resolve('@jsquash/avif/codec/dec/avif_dec.wasm')));
  await startAv1({ wasmBinary: new Uint8Array(wasm).buffer });
};

/** An AVIF picture as it is stored. */
export const decodeAvif = async (file: Uint8Array): Promise<Colours> => {
  av1 ??= startAvif();
  await av1;
  const decoded = await decodeAv1(new Uint8Array(file).buffer);
  if (decoded === null) throw new Error('the file holds no picture');
  const { width, height } = decoded;
  const data = new Uint8Array(decoded.data.buffer, decoded.data.byteOffset, decoded.data.byteLength);
  layOnWhite(data);
  return { width, height, data };
};
