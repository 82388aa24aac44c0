import type { PageWord } from '../../../domain/page-words.ts';
import { boxOf } from '../boxes.ts';
import { even } from './even.ts';
import { type Raster, rowsOfPng } from './raster.ts';
import { isSharp, softened } from './softened.ts';
import type { Decoder, Engine, TesseractApi } from './tesseract.ts';

/** What stands on a picture of a page. */
export interface Recognized {
  readonly words: readonly PageWord[];
  /** Line by line, the cells of a row at least two spaces apart. */
  readonly text: string;
}

/** Of Tesseract's table: a word in the picture that it read, which is upright and level. */
interface ReadWord {
  readonly line: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly text: string;
}

type Turn = 0 | 90 | 180 | 270;

/** Every right answer had 3.6 or more, the wrong one 1.3. */
const SURE_OF_TURN = 2;
/** In radians; below it, turning costs more than it mends. */
const LEAST_SLANT = 0.005;
/** Tesseract's numbers of orientations by the turn that they ask for, clockwise, and EXIF's for the same turns. */
const TURNS: readonly Turn[] = [0, 270, 180, 90];
const EXIF: Readonly<Record<Turn, number>> = { 0: 1, 90: 6, 180: 3, 270: 8 };
/** In units of a line's height: from which gap on two words are two cells. */
const CELL_GAP = 1.4;

const netpbm = ({ width, height, gray }: Raster): Uint8Array => Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), gray]);

const show = (api: TesseractApi, orientation: number, slant: number): void => {
  if (api.SetImageFile(orientation, slant) !== 0) throw new Error('not a picture');
};

/** The pixels of a PNG, JPEG or WebP file, turned as EXIF says. */
export const decodePicture = ({ tesseract, compass }: Decoder, data: Uint8Array, orientation: number) => {
  tesseract.FS.writeFile('/input', data);
  show(compass, orientation, 0);
  compass.WriteImage();
  compass.Clear();
  const rows = rowsOfPng(tesseract.FS.readFile('/image.png'));
  tesseract.FS.unlink('/image.png');
  return rows;
};

const turnOf = ({ tesseract, compass }: Engine): Turn => {
  show(compass, EXIF[0], 0);
  const results = new tesseract.OSResults();
  const found = compass.DetectOS(results) ? results.best_result : null;
  const turn = found !== null && found.oconfidence >= SURE_OF_TURN ? TURNS[found.orientation_id] : 0;
  tesseract.destroy(results);
  compass.Clear();
  return turn ?? 0;
};

/** From the picture that was read to fractions of the page as it is shown. */
const toShown =
  (width: number, height: number, turn: Turn, slant: number) =>
  (x: number, y: number): readonly [number, number] => {
    const [dx, dy] = [x - width / 2, y - height / 2];
    const across = (dx * Math.cos(slant) + dy * Math.sin(slant)) / width + 0.5;
    const down = (dy * Math.cos(slant) - dx * Math.sin(slant)) / height + 0.5;
    if (turn === 90) return [down, 1 - across];
    if (turn === 180) return [1 - across, 1 - down];
    return turn === 270 ? [1 - down, across] : [across, down];
  };

type Place = ReturnType<typeof toShown>;

/** The box keeps its size and only its middle is moved: slanted boxes would swell into the next line. */
const shownWord = ({ left, top, width, height, confidence, text }: ReadWord, shown: Place, level: Place): PageWord | null => {
  const [[x0, y0], [x1, y1]] = [level(left, top), level(left + width, top + height)];
  const [x, y] = shown(left + width / 2, top + height / 2);
  const [reach, rise] = [Math.abs(x1 - x0) / 2, Math.abs(y1 - y0) / 2];
  const box = boxOf(x - reach, y - rise, x + reach, y + rise);
  return box && { text, ...box, confidence: Math.round(confidence) / 100 };
};

const lineText = (words: readonly ReadWord[]): string => {
  const height = Math.max(...words.map((word) => word.height));
  let text = '';
  let end = 0;
  for (const word of words) {
    const isCell = word.left - end > CELL_GAP * height && !text.endsWith(':');
    text += (text === '' ? '' : isCell ? '  ' : ' ') + word.text;
    end = word.left + word.width;
  }
  return text;
};

const rowsOf = (tsv: string): readonly (readonly string[])[] => tsv.split('\n').map((row) => row.split('\t'));

const wordsOf = (rows: readonly (readonly string[])[]): readonly ReadWord[] =>
  rows.flatMap(([level, page, block, paragraph, line, , left, top, width, height, confidence, text = '']) => {
    if (level !== '5' || text.trim() === '') return [];
    const place = { left: Number(left), top: Number(top), width: Number(width), height: Number(height) };
    return { line: [page, block, paragraph, line].join(), ...place, confidence: Number(confidence), text: text.trim() };
  });

/** Sets the page upright and level, and reads it. It cannot be stopped: end the process instead. */
export const recognize = (engine: Engine, raster: Raster): Recognized => {
  const { tesseract, reader } = engine;
  const flat = even(raster);
  tesseract.FS.writeFile('/input', netpbm(isSharp(raster) ? softened(flat) : flat));
  const turn = turnOf(engine);
  show(reader, EXIF[turn], 0);
  reader.FindLines();
  const gradient = reader.GetGradient();
  const slant = Math.abs(gradient) < LEAST_SLANT ? 0 : gradient;
  if (slant !== 0) show(reader, EXIF[turn], slant);
  reader.Recognize(null);
  const rows = rowsOf(reader.GetTSVText(0));
  reader.Clear();
  const page = rows.find(([level]) => level === '1') ?? [];
  const [width, height] = [Number(page[8]), Number(page[9])];
  const [shown, level] = [toShown(width, height, turn, slant), toShown(width, height, turn, 0)];
  const words = wordsOf(rows);
  return {
    words: words.flatMap((word) => shownWord(word, shown, level) ?? []),
    text: [...Map.groupBy(words, ({ line }) => line).values()].map(lineText).join('\n'),
  };
};
