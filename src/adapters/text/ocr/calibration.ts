/**
 * How often Tesseract is right where it states a confidence: of the values of the corpus of scans, those whose least sure word has about this
 * confidence. Between two of these points the share grows evenly. `npm run bench -- reading` prints how it holds.
 */
const RIGHT: readonly (readonly [stated: number, right: number])[] = [
  [0, 0.58],
  [0.2, 0.6],
  [0.52, 0.7],
  [0.68, 0.83],
  [0.77, 0.86],
  [0.845, 0.91],
  [0.89, 0.95],
  [0.92, 0.975],
  [0.94, 0.995],
  [1, 1],
];

/** The share of values with words as hard to read that are right, for a confidence as Tesseract states it; both from 0 to 1. */
export const calibrated = (stated: number): number => {
  const next = Math.max(
    1,
    RIGHT.findIndex(([point]) => stated <= point),
  );
  const [from, low] = RIGHT[next - 1] ?? [0, 0];
  const [to, high] = RIGHT[next] ?? [1, 1];
  return Math.round((low + ((high - low) * (stated - from)) / (to - from)) * 1000) / 1000;
};
