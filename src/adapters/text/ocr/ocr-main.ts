import { createWriteStream } from 'node:fs';
import { RESULT_FD, readFrames, writeFrame } from '../frames.ts';
import type { OcrAnswer, OcrRequest } from './ocr-process.ts';
import { openPictures, type Pictures, readPage } from './pages.ts';
import { startTesseract } from './tesseract.ts';

// A library's promise may still fail after its page is done.
process.on('unhandledRejection', () => undefined);

const results = createWriteStream('', { fd: RESULT_FD });
let engine: ReturnType<typeof startTesseract> | null = null;
let pictures: Pictures | null = null;

const answer = async (request: OcrRequest, data: Uint8Array): Promise<OcrAnswer> => {
  if ('languages' in request) {
    engine ??= startTesseract(request.languages);
    pictures?.close();
    pictures = await openPictures(await engine, data, request.contentType).catch(() => null);
    return { pageCount: pictures?.pageCount ?? 0, memoryBytes: process.memoryUsage.rss() };
  }
  if (engine === null || pictures === null) throw new Error('no file is open');
  const page = readPage(await engine, pictures, request.page);
  return { page, memoryBytes: process.memoryUsage.rss() };
};

for await (const { header, body } of readFrames(process.stdin)) {
  await writeFrame(results, await answer(header as OcrRequest, body), []);
}
