import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

/** What Portico uses of the API that comes with the package without types. */
export interface TesseractApi {
  Init(path: null, language: string, engine: number): number;
  /** Instead of `Init`, for what needs no language. */
  InitForAnalysePage(): void;
  SetVariable(name: string, value: string): boolean;
  /** Of the file `/input`; the angle in radians turns it to be level. 0 if it is a picture. */
  SetImageFile(exifOrientation: number, angle: number): number;
  /** To the file `/image.png`. */
  WriteImage(): void;
  FindLines(): void;
  GetGradient(): number;
  Recognize(monitor: null): number;
  GetTSVText(page: number): string;
  DetectOS(results: OrientationResults): boolean;
  Clear(): void;
}

interface OrientationResults {
  readonly best_result: { readonly orientation_id: number; readonly oconfidence: number };
}

export interface Tesseract {
  readonly FS: {
    writeFile(path: string, data: Uint8Array): void;
    readFile(path: string): Uint8Array;
    unlink(path: string): void;
  };
  readonly TessBaseAPI: new () => TesseractApi;
  readonly OSResults: new () => OrientationResults;
  destroy(object: object): void;
}

const LSTM = 1;
const LEGACY = 0;
/** One column of lines as seen: 3, the default, drops whole columns of ruled tables, and 11 single digits. */
export const ONE_COLUMN = '4';
export const ONE_LINE = '7';
const ORIENTATION_ONLY = '0';

const require = createRequire(import.meta.url);

const languageData = (language: string, folder: string): Uint8Array =>
  gunzipSync(readFileSync(require.resolve(`@tesseract.js-data/${language}/${folder}/${language}.traineddata.gz`)));

/** What decodes pictures. It has no data of any language. */
export interface Decoder {
  readonly tesseract: Tesseract;
  readonly decoder: TesseractApi;
}

/** The engine in this process; the reader of text and the finder of orientation cannot share one object. */
export interface Engine extends Decoder {
  readonly reader: TesseractApi;
  /** Finds out which way up a picture is. Most pages lie as they are read, so it takes up time and memory only when it is asked for. */
  compass(): TesseractApi;
}

export const setSegmentation = (api: TesseractApi, segmentation: string): boolean =>
  api.SetVariable('tessedit_pageseg_mode', segmentation);

const open = (tesseract: Tesseract, language: string, engine: number, segmentation: string): TesseractApi => {
  const api = new tesseract.TessBaseAPI();
  if (api.Init(null, language, engine) !== 0) throw new Error(`Tesseract has no data for ${language}`);
  setSegmentation(api, segmentation);
  return api;
};

const addLanguage = ({ FS }: Tesseract, language: string, folder: string): void =>
  FS.writeFile(`/${language}.traineddata`, languageData(language, folder));

export const startDecoder = async (): Promise<Decoder> => {
  const quiet = { print: () => undefined, printErr: () => undefined };
  const tesseract: Tesseract = await require('tesseract.js-core/tesseract-core-simd.js')(quiet);
  const decoder = new tesseract.TessBaseAPI();
  decoder.InitForAnalysePage();
  return { tesseract, decoder };
};

/** Languages as Tesseract names them, the most likely one first. */
export const startTesseract = async (languages: readonly string[]): Promise<Engine> => {
  const decoder = await startDecoder();
  const { tesseract } = decoder;
  for (const language of languages) addLanguage(tesseract, language, '4.0.0_best_int');
  let compass: TesseractApi | null = null;
  const openCompass = () => {
    addLanguage(tesseract, 'osd', '4.0.0');
    return open(tesseract, 'osd', LEGACY, ORIENTATION_ONLY);
  };
  return {
    ...decoder,
    reader: open(tesseract, languages.join('+'), LSTM, ONE_COLUMN),
    compass() {
      compass ??= openCompass();
      return compass;
    },
  };
};
