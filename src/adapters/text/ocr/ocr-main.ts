import { answerRequests } from '../frames.ts';
import type { OcrAnswer, OcrRequest } from './ocr.ts';
import { openPictures, type Pictures, readPage } from './pages.ts';
import { startTesseract } from './tesseract.ts';

let engine: ReturnType<typeof startTesseract> | null = null;
let pictures: Pictures | null = null;

const respond = async (request: OcrRequest, data: Uint8Array): Promise<OcrAnswer> => {
  if ('languages' in request) {
    engine ??= startTesseract(request.languages);
    pictures?.close();
    pictures = await openPictures(await engine, data, request.contentType).catch(() => null);
    return { pageCount: pictures?.pageCount ?? 0 };
  }
  if (engine === null || pictures === null) throw new Error('no file is open');
  return { page: await readPage(await engine, pictures, request.page) };
};

await answerRequests(async (request: OcrRequest, data) => ({ answer: await respond(request, data) }));
