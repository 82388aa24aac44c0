import { decimalSignOf, doubtOf, isNumber } from './number-ink.ts';
import type { Raster } from './raster.ts';
import { type ReadWord, readLine } from './reading.ts';
import type { Engine } from './tesseract.ts';

/** How many times as large the picture of a number is read again. */
const FACTORS = [3, 2];
/** Each takes some ten milliseconds. */
const MOST_READINGS = 200;
/** In percent, far below what a person need not look at. */
const UNSURE = 50;

const lineIn = (engine: Engine, picture: Raster, factor: number) => {
  const words = readLine(engine, picture, factor);
  return {
    text: words.map(({ text }) => text).join(' '),
    confidence: Math.min(...words.map(({ confidence }) => confidence)),
  };
};

/** The words of a page; its numbers that lack something that their ink shows are read again, each for itself and larger. */
export const readAgain = (
  engine: Engine,
  words: readonly ReadWord[],
  pictureOf: (word: ReadWord) => Raster,
): readonly ReadWord[] => {
  let left = MOST_READINGS;
  const decimal = decimalSignOf(words.map(({ text }) => text));
  return words.map((word) => {
    const picture = isNumber(word.text) ? pictureOf(word) : null;
    const doubt = picture && doubtOf(word.text, picture, decimal);
    if (picture === null || doubt === null) return word;
    let isConfirmed = doubt.isWeak;
    for (const factor of FACTORS) {
      left -= 1;
      const again = left < 0 ? { text: '', confidence: 0 } : lineIn(engine, picture, factor);
      if (doubt.accepts(again.text)) return { ...word, ...again };
      isConfirmed &&= again.text === word.text;
    }
    return isConfirmed ? word : { ...word, text: doubt.text, confidence: Math.min(word.confidence, UNSURE) };
  });
};
