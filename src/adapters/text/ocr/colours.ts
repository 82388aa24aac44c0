import { Unreadable } from '../text.ts';
import { luminance, type Raster } from './raster.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture as most decoders give it: four samples for each pixel, which are red, green, blue and opacity. */
export interface Colours extends Size {
  readonly data: Uint8Array;
}

/** The pictures of a file, by their numbers from 1. */
export interface DecodedPages {
  readonly pageCount: number;
  /** In pixels, as it is shown, without a look at what is on it. */
  sizeOf(number: number): Size;
  /** As it is shown. */
  colours(number: number): Promise<Colours>;
}

const MAX_PIXELS = 40_000_000;

/** A decoder makes room for a picture before it looks at one: so many pixels are refused before that. */
export const checkPixels = (pixels: number): void => {
  if (pixels > MAX_PIXELS) throw new Unreadable('has more pixels than can be read: make it smaller');
};

/** In place: pictures are read as they look on paper. `isMultiplied`: the colours are multiplied by their opacity already. */
export const layOnWhite = (data: Uint8Array, isMultiplied = false): void => {
  for (let at = 0; at < data.length; at += 4) {
    const opacity = data[at + 3] ?? 0;
    if (opacity === 255) continue;
    for (let sample = at; sample < at + 3; sample += 1) {
      const colour = data[sample] ?? 0;
      data[sample] = isMultiplied ? Math.min(255, colour + 255 - opacity) : 255 - ((255 - colour) * opacity) / 255;
    }
  }
};

/** EXIF's numbers of the orientations whose rows are columns, and of those that are mirrored across or down after that. */
const ON_ITS_SIDE = new Set([5, 6, 7, 8]);
const MIRRORED_ACROSS = new Set([2, 3, 6, 7]);
const MIRRORED_DOWN = new Set([3, 4, 7, 8]);

/** The size of a picture when it is turned as EXIF says. */
export const shownSize = ({ width, height }: Size, orientation: number): Size =>
  ON_ITS_SIDE.has(orientation) ? { width: height, height: width } : { width, height };

/** Turned and mirrored as EXIF says: its number 1 stands for a picture that is shown as it is. */
export const oriented = (colours: Colours, orientation: number): Colours => {
  if (orientation === 1) return colours;
  const shown = shownSize(colours, orientation);
  const from = new Uint32Array(colours.data.slice().buffer);
  const to = new Uint32Array(from.length);
  const isOnItsSide = ON_ITS_SIDE.has(orientation);
  for (let y = 0; y < shown.height; y += 1) {
    const down = MIRRORED_DOWN.has(orientation) ? shown.height - 1 - y : y;
    for (let x = 0; x < shown.width; x += 1) {
      const across = MIRRORED_ACROSS.has(orientation) ? shown.width - 1 - x : x;
      to[y * shown.width + x] = from[isOnItsSide ? across * colours.width + down : down * colours.width + across] ?? 0;
    }
  }
  return { ...shown, data: new Uint8Array(to.buffer) };
};

export const rasterOfColours = ({ width, height, data }: Colours): Raster => {
  const gray = new Uint8Array(width * height);
  for (let at = 0; at < gray.length; at += 1)
    gray[at] = luminance(data[at * 4] ?? 0, data[at * 4 + 1] ?? 0, data[at * 4 + 2] ?? 0);
  return { width, height, gray };
};
