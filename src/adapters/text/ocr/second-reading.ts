import { doubtOf, isNumber } from './number-ink.ts';
import { type Raster, scaled } from './raster.ts';
import { load, type ReadWord, readShown, show } from './reading.ts';
import { type Engine, ONE_COLUMN, ONE_LINE, setSegmentation } from './tesseract.ts';

/** How many times as large the picture of a number is read again, and how wide a border of paper it has before. */
const FACTORS = [3, 2];
const BORDER = 5;
/** Each takes some ten milliseconds. */
const MOST_READINGS = 200;
/** In percent, far below what a person need not look at. */
const UNSURE = 50;

const bordered = ({ width, height, gray }: Raster): Raster => {
  const [across, down] = [width + 2 * BORDER, height + 2 * BORDER];
  const paper = gray.toSorted()[Math.floor(0.8 * gray.length)] ?? 255;
  const framed = new Uint8Array(across * down).fill(paper);
  for (let y = 0; y < height; y += 1) framed.set(gray.subarray(y * width, (y + 1) * width), (y + BORDER) * across + BORDER);
  return { width: across, height: down, gray: framed };
};

const readLine = (engine: Engine, picture: Raster) => {
  load(engine, picture);
  setSegmentation(engine.reader, ONE_LINE);
  show(engine.reader, 1, 0);
  const { words } = readShown(engine);
  setSegmentation(engine.reader, ONE_COLUMN);
  return { text: words.map(({ text }) => text).join(' '), confidence: Math.min(...words.map(({ confidence }) => confidence)) };
};

/** The words of a page; its numbers that lack something that their ink shows are read again, each for itself and larger. */
export const readAgain = (engine: Engine, words: readonly ReadWord[], pictureOf: (word: ReadWord) => Raster): readonly ReadWord[] => {
  let left = MOST_READINGS;
  return words.map((word) => {
    const picture = isNumber(word.text) ? pictureOf(word) : null;
    const doubt = picture && doubtOf(word.text, picture);
    if (picture === null || doubt === null) return word;
    let isConfirmed = doubt.isWeak;
    for (const factor of FACTORS) {
      left -= 1;
      const again = left < 0 ? { text: '', confidence: 0 } : readLine(engine, scaled(bordered(picture), factor));
      if (doubt.accepts(again.text)) return { ...word, ...again };
      isConfirmed &&= again.text === word.text;
    }
    return isConfirmed ? word : { ...word, text: doubt.text, confidence: Math.min(word.confidence, UNSURE) };
  });
};
