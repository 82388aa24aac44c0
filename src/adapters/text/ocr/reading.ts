import { quantilesOf, type Raster, scaled } from './raster.ts';
import { type Engine, ONE_COLUMN, ONE_LINE, setSegmentation, type TesseractApi } from './tesseract.ts';

/** Of Tesseract's table: a word in the picture that it read, which is upright and level. */
export interface ReadWord {
  readonly line: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Percent. */
  readonly confidence: number;
  readonly text: string;
}

export const load = ({ tesseract }: Pick<Engine, 'tesseract'>, { width, height, gray }: Raster): void =>
  tesseract.FS.writeFile('/input', Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), gray]));

/** `orientation` is EXIF's number of it; `slant` in radians. */
export const show = (api: TesseractApi, orientation: number, slant: number): void => {
  if (api.SetImageFile(orientation, slant) !== 0) throw new Error('not a picture');
};

/** What stands on the picture that is shown, and how large that is. It cannot be stopped: end the process instead. */
export const readShown = ({ reader }: Engine) => {
  reader.Recognize(null);
  const rows = reader
    .GetTSVText(0)
    .split('\n')
    .map((row) => row.split('\t'));
  reader.Clear();
  const page = rows.find(([level]) => level === '1') ?? [];
  const words = rows.flatMap(
    ([
      level,
      number,
      block,
      paragraph,
      line,
      ,
      left,
      top,
      width,
      height,
      confidence,
      text = '',
    ]): readonly ReadWord[] => {
      if (level !== '5' || text.trim() === '') return [];
      const place = { left: Number(left), top: Number(top), width: Number(width), height: Number(height) };
      return [
        { line: [number, block, paragraph, line].join(), ...place, confidence: Number(confidence), text: text.trim() },
      ];
    },
  );
  return { width: Number(page[8]), height: Number(page[9]), words };
};

/** In pixels of paper around a line that is read for itself. */
const BORDER = 5;

const bordered = ({ width, height, gray }: Raster): Raster => {
  const across = width + 2 * BORDER;
  const down = height + 2 * BORDER;
  const framed = new Uint8Array(across * down).fill(quantilesOf(gray)(0.8));
  for (let y = 0; y < height; y += 1)
    framed.set(gray.subarray(y * width, (y + 1) * width), (y + BORDER) * across + BORDER);
  return { width: across, height: down, gray: framed };
};

/** The words of a picture of one line, which is read `factor` times as large. */
export const readLine = (engine: Engine, picture: Raster, factor: number): readonly ReadWord[] => {
  load(engine, scaled(bordered(picture), factor));
  setSegmentation(engine.reader, ONE_LINE);
  show(engine.reader, 1, 0);
  const { words } = readShown(engine);
  setSegmentation(engine.reader, ONE_COLUMN);
  return words.map((word, index) => {
    // The engine may take the whole line for the box of its first word.
    const right = Math.min(word.left + word.width, words[index + 1]?.left ?? Number.POSITIVE_INFINITY);
    const place = { left: Math.round(word.left / factor) - BORDER, top: Math.round(word.top / factor) - BORDER };
    return {
      ...word,
      ...place,
      width: Math.round((right - word.left) / factor),
      height: Math.round(word.height / factor),
    };
  });
};
