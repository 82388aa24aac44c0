import type { Raster } from './raster.ts';
import type { Engine, TesseractApi } from './tesseract.ts';

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
    ([level, number, block, paragraph, line, , left, top, width, height, confidence, text = '']): readonly ReadWord[] => {
      if (level !== '5' || text.trim() === '') return [];
      const place = { left: Number(left), top: Number(top), width: Number(width), height: Number(height) };
      return [{ line: [number, block, paragraph, line].join(), ...place, confidence: Number(confidence), text: text.trim() }];
    },
  );
  return { width: Number(page[8]), height: Number(page[9]), words };
};
