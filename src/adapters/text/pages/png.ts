import { crc32, deflateSync } from 'node:zlib';
import { paeth } from '../ocr/raster.ts';

/** Eight bits a sample, row by row: one sample for each pixel (grey), or three (red, green and blue). */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly samples: Uint8Array;
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const GRAY = 0;
const RGB = 2;
const NONE = 0;
const PAETH = 4;
/** Better compression costs more time than it saves bytes. */
const LEVEL = 5;
/** Rows of print repeat one another and compress best as they are; those of photos differ little from their neighbours. */
const LEAST_DIFFERENT = 0.25;

const chunk = (type: string, data: Uint8Array): Buffer => {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
};

/** Without colours, where there are none: a third of the samples. */
const withoutColours = ({ samples, ...size }: Pixels): Pixels => {
  if (size.channels === 1) return { ...size, samples };
  for (let at = 0; at + 2 < samples.length; at += 3) {
    if (samples[at] !== samples[at + 1] || samples[at] !== samples[at + 2]) return { ...size, samples };
  }
  const gray = new Uint8Array(samples.length / 3);
  for (let at = 0; at < gray.length; at += 1) gray[at] = samples[at * 3] ?? 0;
  return { ...size, channels: 1, samples: gray };
};

const isPhoto = ({ width, height, channels, samples }: Pixels): boolean => {
  let different = 0;
  const step = Math.max(1, Math.floor(height / 100));
  const stride = width * channels;
  let looked = 0;
  for (let start = 0; start + stride <= samples.length; start += stride * step) {
    for (let at = start + channels; at < start + stride; at += channels)
      different += samples[at] === samples[at - channels] ? 0 : 1;
    looked += width;
  }
  return different > LEAST_DIFFERENT * looked;
};

/** Each row behind a byte that says how its bytes differ from their neighbours. */
const filtered = (pixels: Pixels): Uint8Array => {
  const { width, height, channels, samples } = pixels;
  const stride = width * channels;
  const filter = isPhoto(pixels) ? PAETH : NONE;
  const rows = new Uint8Array((stride + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    rows[start] = filter;
    rows.set(samples.subarray(y * stride, (y + 1) * stride), start + 1);
    if (filter === NONE) continue;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < channels ? 0 : (samples[at - channels] ?? 0);
      const up = y === 0 ? 0 : (samples[at - stride] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (samples[at - stride - channels] ?? 0);
      rows[start + 1 + x] = (samples[at] ?? 0) - paeth(left, up, corner);
    }
  }
  return rows;
};

export const pngOf = (drawn: Pixels): Uint8Array => {
  const pixels = withoutColours(drawn);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels.width);
  header.writeUInt32BE(pixels.height, 4);
  header[8] = 8;
  header[9] = pixels.channels === 1 ? GRAY : RGB;
  const data = deflateSync(filtered(pixels), { level: LEVEL });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', new Uint8Array(0))]);
};
