export const SAMPLE_BYTES = 65_536;
/** By a byte order mark. */
export const byMark = (data: Uint8Array): string | null => {
  if (data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf) return 'utf-8';
  if (data[0] === 0xff && data[1] === 0xfe) return 'utf-16le';
  if (data[0] === 0xfe && data[1] === 0xff) return 'utf-16be';
  return null;
};

const count = (data: Uint8Array, wanted: (byte: number, index: number) => boolean): number =>
  data.reduce((total, byte, index) => total + (wanted(byte, index) ? 1 : 0), 0);

/** Western text in UTF-16 has a zero in nearly every second byte; text in any other encoding has none. */
export const byZeros = (sample: Uint8Array): string | null => {
  const odd = count(sample, (byte, index) => byte === 0 && index % 2 === 1);
  const even = count(sample, (byte, index) => byte === 0 && index % 2 === 0);
  if (odd > sample.length / 4 && even < odd / 10) return 'utf-16le';
  return even > sample.length / 4 && odd < even / 10 ? 'utf-16be' : null;
};

const isControl = (byte: number) => byte < 32 && ![9, 10, 12, 13, 27].includes(byte);

/** Whether bytes are likely text rather than a picture, a program or a packed file. */
export const looksLikeText = (data: Uint8Array): boolean => {
  const sample = data.subarray(0, SAMPLE_BYTES);
  return byMark(sample) !== null || byZeros(sample) !== null || count(sample, isControl) <= 1 + sample.length / 500;
};
