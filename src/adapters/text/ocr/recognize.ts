import type { PageWord } from '../../../domain/page-words.ts';
import { boxOf } from '../boxes.ts';
import { withAddresses } from './addresses.ts';
import { blackOnWhite } from './dark-fields.ts';
import { even } from './even.ts';
import { median } from './marks.ts';
import { type Raster, rowsOfPng, shadeAt } from './raster.ts';
import { load, type ReadWord, readShown, show } from './reading.ts';
import { readAgain } from './second-reading.ts';
import { isSharp, softened } from './softened.ts';
import type { Decoder, Engine } from './tesseract.ts';
import { around, type Place as Part, withUnread } from './unread-words.ts';

/** What stands on a picture of a page. */
export interface Recognized {
  readonly words: readonly PageWord[];
  /** Line by line, the cells of a row at least two spaces apart. */
  readonly text: string;
  /** By how much it was turned, clockwise, to stand upright. */
  readonly turn: Turn;
}

export type Turn = 0 | 90 | 180 | 270;

/** Every right answer had 3.6 or more, the wrong one 1.3. */
const SURE_OF_TURN = 2;
/** So many words are read so surely (percent) on pages that are upright: half of them with 93 or more there, and with 66 or less upside down. */
const ENOUGH_WORDS = 10;
const SURE_OF_WORDS = 85;
/** In radians; below it, turning costs more than it mends. */
const LEAST_SLANT = 0.005;
/** In radians: the engine may take a page that lies on its side for one that leans so far (1.4 or more), and read it surely. */
const ON_ITS_SIDE = 0.7;
/** Tesseract's numbers of orientations by the turn that they ask for, clockwise, and EXIF's for the same turns. */
const TURNS: readonly Turn[] = [0, 270, 180, 90];
const EXIF: Readonly<Record<Turn, number>> = { 0: 1, 90: 6, 180: 3, 270: 8 };
/** In units of a line's height: from which gap on two words are two cells. */
const CELL_GAP = 1.4;

/** The pixels of a PNG, JPEG or WebP file, turned as EXIF says. */
export const decodePicture = ({ tesseract, decoder }: Decoder, data: Uint8Array, orientation: number) => {
  tesseract.FS.writeFile('/input', data);
  show(decoder, orientation, 0);
  decoder.WriteImage();
  decoder.Clear();
  const rows = rowsOfPng(tesseract.FS.readFile('/image.png'));
  tesseract.FS.unlink('/image.png');
  return rows;
};

const turnOf = (engine: Engine, picture: Raster): Turn => {
  const compass = engine.compass();
  load(engine, picture);
  show(compass, EXIF[0], 0);
  const results = new engine.tesseract.OSResults();
  const orientation = compass.DetectOS(results) ? results.best_result : null;
  const turn = orientation !== null && orientation.oconfidence >= SURE_OF_TURN ? TURNS[orientation.orientation_id] : 0;
  engine.tesseract.destroy(results);
  compass.Clear();
  return turn ?? 0;
};

/** From the picture that was read to fractions of the page as it is shown. */
const toShown =
  (width: number, height: number, turn: Turn, slant: number) =>
  (x: number, y: number): readonly [number, number] => {
    const dx = x - width / 2;
    const dy = y - height / 2;
    const across = (dx * Math.cos(slant) + dy * Math.sin(slant)) / width + 0.5;
    const down = (dy * Math.cos(slant) - dx * Math.sin(slant)) / height + 0.5;
    if (turn === 90) return [down, 1 - across];
    if (turn === 180) return [1 - across, 1 - down];
    return turn === 270 ? [1 - down, across] : [across, down];
  };

type Place = ReturnType<typeof toShown>;

/** The box keeps its size and only its middle is moved: slanted boxes would swell into the next line. */
const shownWord = (
  { left, top, width, height, confidence, text }: ReadWord,
  shown: Place,
  level: Place,
): PageWord | null => {
  const [x0, y0] = level(left, top);
  const [x1, y1] = level(left + width, top + height);
  const [x, y] = shown(left + width / 2, top + height / 2);
  const reach = Math.abs(x1 - x0) / 2;
  const rise = Math.abs(y1 - y0) / 2;
  const box = boxOf(x - reach, y - rise, x + reach, y + rise);
  return box && { text, ...box, confidence: Math.round(confidence) / 100 };
};

const lineText = (words: readonly ReadWord[]): string => {
  const height = Math.max(...words.map((word) => word.height));
  let text = '';
  let end = 0;
  for (const word of words) {
    const isCell = word.left - end > CELL_GAP * height && !text.endsWith(':');
    const gap = isCell ? '  ' : ' ';
    text += text === '' ? word.text : gap + word.text;
    end = word.left + word.width;
  }
  return text;
};

/** A part of a page, upright and level, and so many times smaller. */
const pictureOf = (page: Raster, part: Part, shown: Place, factor = 1): Raster => {
  const width = Math.ceil(part.width / factor);
  const height = Math.ceil(part.height / factor);
  const gray = new Uint8Array(width * height);
  // From pixel to pixel, it is the same way on the page.
  const [x0, y0] = shown(0, 0);
  const [x1, y1] = shown(factor, 0);
  const across = (x1 - x0) * page.width;
  const down = (y1 - y0) * page.height;
  for (let y = 0; y < height; y += 1) {
    const [left, top] = shown(part.left + factor / 2, part.top + (y + 0.5) * factor);
    for (let x = 0; x < width; x += 1) {
      gray[y * width + x] = Math.round(
        shadeAt(page, left * page.width - 0.5 + x * across, top * page.height - 0.5 + x * down),
      );
    }
  }
  return { width, height, gray };
};

/** What stands on a page that is turned like this, and made level. */
const readTurned = (engine: Engine, picture: Raster, flat: Raster, turn: Turn) => {
  const { reader } = engine;
  load(engine, picture);
  show(reader, EXIF[turn], 0);
  reader.FindLines();
  const gradient = reader.GetGradient();
  const slant = Math.abs(gradient) < LEAST_SLANT ? 0 : gradient;
  if (slant !== 0) {
    // Levelling softens edges as well, and digits of print that was softened twice are left out.
    load(engine, flat);
    show(reader, EXIF[turn], slant);
  }
  return { ...readShown(engine), turn, slant };
};

/** Numbers and short words count for nothing: they are read upside down too. */
const isUpright = ({ words, slant }: ReturnType<typeof readTurned>): boolean => {
  const confidences = words.filter(({ text }) => /\p{L}{3}/u.test(text)).map(({ confidence }) => confidence);
  return Math.abs(slant) < ON_ITS_SIDE && confidences.length >= ENOUGH_WORDS && median(confidences) >= SURE_OF_WORDS;
};

/** What was read of a page and what a closer look at its parts finds, where it stands on the page as it is shown. */
const finished = (engine: Engine, flat: Raster, read: ReturnType<typeof readTurned>): Recognized => {
  const { width, height, turn, slant } = read;
  const shown = toShown(width, height, turn, slant);
  const level = toShown(width, height, turn, 0);
  const partOf = (part: Part, factor?: number) => pictureOf(flat, part, shown, factor);
  const all = withUnread(engine, read.words, { left: 0, top: 0, width, height }, partOf);
  const words = readAgain(engine, withAddresses(all), (word) => partOf(around(word)));
  return {
    words: words.flatMap((word) => shownWord(word, shown, level) ?? []),
    text: [...Map.groupBy(words, ({ line }) => line).values()].map(lineText).join('\n'),
    turn,
  };
};

/**
 * Sets the page upright and level, and reads it. It is read as it likely lies before anything else: that tells more than to look for its
 * orientation, and is seldom in vain.
 */
export const recognize = (engine: Engine, shown: Raster, likely: Turn): Recognized => {
  const raster = blackOnWhite(shown);
  const flat = even(raster);
  const picture = isSharp(raster) ? softened(flat) : flat;
  const read = readTurned(engine, picture, flat, likely);
  const turn = isUpright(read) ? likely : turnOf(engine, picture);
  return finished(engine, flat, turn === likely ? read : readTurned(engine, picture, flat, turn));
};
