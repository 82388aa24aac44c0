import { createWriteStream } from 'node:fs';
import { RESULT_FD, readFrames, writeFrame } from '../frames.ts';
import { Unreadable } from '../text.ts';
import { type OpenPages, openPages } from './open-pages.ts';
import type { PagesAnswer, PagesRequest } from './pages-process.ts';
import { pngOf } from './png.ts';

// A library's promise may still fail after its page is done.
process.on('unhandledRejection', () => undefined);

const results = createWriteStream('', { fd: RESULT_FD });

type Given = PagesAnswer extends infer Each ? (Each extends unknown ? Omit<Each, 'memoryBytes'> : never) : never;

const draw = async (pages: OpenPages, { page, width }: NonNullable<PagesRequest['draw']>): Promise<{ given: Given; png?: Uint8Array }> => {
  if (page > pages.count) return { given: { missing: true } };
  try {
    return { given: { drawn: true }, png: pngOf(await pages.draw(page, width)) };
  } catch (error) {
    return { given: { problem: error instanceof Unreadable ? error.message : 'is damaged' } };
  }
};

const answer = async (request: PagesRequest, data: Uint8Array): Promise<{ given: Given; png?: Uint8Array }> => {
  const pages = await openPages(data, request.contentType).catch(() => null);
  if (pages === null) return { given: request.draw === null ? { sizes: [] } : { missing: true } };
  try {
    return request.draw === null ? { given: { sizes: pages.sizes() } } : await draw(pages, request.draw);
  } finally {
    pages.close();
  }
};

for await (const { header, body } of readFrames(process.stdin)) {
  const { given, png } = await answer(header as PagesRequest, body);
  await writeFrame(results, { ...given, memoryBytes: process.memoryUsage.rss() }, png === undefined ? [] : [png]);
}
