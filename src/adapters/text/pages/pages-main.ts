import { answerRequests } from '../frames.ts';
import { Unreadable } from '../text.ts';
import { type OpenPages, openPages } from './open-pages.ts';
import type { PagesAnswer, PagesRequest } from './page-images.ts';
import { pngOf } from './png.ts';

interface Response {
  readonly answer: PagesAnswer;
  readonly bodies?: readonly Uint8Array[];
}

const draw = async (pages: OpenPages, { page, width }: NonNullable<PagesRequest['draw']>): Promise<Response> => {
  if (page > pages.count) return { answer: { missing: true } };
  try {
    return { answer: { drawn: true }, bodies: [pngOf(await pages.draw(page, width))] };
  } catch (error) {
    return { answer: { problem: error instanceof Unreadable ? error.message : 'is damaged' } };
  }
};

await answerRequests(async (request: PagesRequest, data): Promise<Response> => {
  const pages = await openPages(data, request.contentType).catch(() => null);
  if (pages === null) return { answer: request.draw === null ? { sizes: [] } : { missing: true } };
  try {
    return request.draw === null ? { answer: { sizes: pages.sizes() } } : await draw(pages, request.draw);
  } finally {
    pages.close();
  }
});
