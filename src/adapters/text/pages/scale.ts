import type { Pixels } from './png.ts';

/** Samples as a decoder gives them: a row begins every `stride` bytes from `offset`, a pixel every `step`. */
interface Samples extends Omit<Pixels, 'samples'> {
  readonly data: Uint8Array;
  readonly offset: number;
  readonly stride: number;
  readonly step: number;
}

const MAX_HEIGHT = 20_000;

/** Adds a row of pixels to the sums of the narrower one; `columns`: where each of its pixels begins, and the end. */
const addRow = (
  sums: Float64Array,
  { data, offset, stride, step, channels }: Samples,
  row: number,
  columns: Int32Array,
): void => {
  for (let x = 0; x + 1 < columns.length; x += 1) {
    for (let column = columns[x] ?? 0; column < (columns[x + 1] ?? 0); column += 1) {
      const at = offset + row * stride + column * step;
      for (let c = 0; c < channels; c += 1)
        sums[x * channels + c] = (sums[x * channels + c] ?? 0) + (data[at + c] ?? 0);
    }
  }
};

/** At most as wide as this, each pixel the mean of those that it stands for. */
export const scaledTo = (most: number, from: Samples): Pixels => {
  const { channels } = from;
  const scale = Math.min(1, most / from.width, MAX_HEIGHT / from.height);
  const width = Math.max(1, Math.round(from.width * scale));
  const height = Math.max(1, Math.round(from.height * scale));
  const samples = new Uint8Array(width * height * channels);
  const sums = new Float64Array(width * channels);
  const columns = Int32Array.from({ length: width + 1 }, (_, x) => Math.floor((x * from.width) / width));
  for (let y = 0; y < height; y += 1) {
    const top = Math.floor((y * from.height) / height);
    const bottom = Math.floor(((y + 1) * from.height) / height);
    sums.fill(0);
    for (let row = top; row < bottom; row += 1) addRow(sums, from, row, columns);
    for (let x = 0; x < width; x += 1) {
      const count = (bottom - top) * ((columns[x + 1] ?? 0) - (columns[x] ?? 0));
      for (let c = 0; c < channels; c += 1)
        samples[(y * width + x) * channels + c] = (sums[x * channels + c] ?? 0) / count;
    }
  }
  return { width, height, channels, samples };
};
