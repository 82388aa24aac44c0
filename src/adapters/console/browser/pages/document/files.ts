import { infiniteQueryOptions } from '@tanstack/preact-query';
import { api, blobOf, withToken } from '../../api.ts';
import { cache, reading } from '../../queries.ts';

/** As wide as the server draws pages that are read on a screen. */
export const USUAL_WIDTH = 1200;

export const pageImage = (
  path: { readonly id: string; readonly index: number; readonly page: number },
  signal: AbortSignal,
  width = USUAL_WIDTH,
) =>
  api.exchange('get', '/api/v1/documents/{id}/files/{index}/pages/{page}', {
    params: { path, query: { width } },
    signal,
  });

/** The addresses of files can be used for longer. */
const FRESH_MS = 600_000;

/**
 * The files of a document, read ahead with their first page, which the server then draws and the browser keeps. It asks for
 * no download addresses, because the audit log counts a request for these as a download, and nobody has seen the document yet.
 */
export const filesAhead = (id: string) =>
  reading(['files ahead', id], async (get, signal) => {
    const params = { path: { id }, query: { download_urls: false } };
    const answer = await get('/api/v1/documents/{id}/files', { params });
    const drawn = answer.files.find(({ pages }) => pages.length > 0);
    const [first] = drawn?.pages ?? [];
    if (drawn && first) await blobOf(await pageImage({ id, index: drawn.index, page: first.page }, signal));
    return answer;
  });

/** The files of a document: until they are read, what was read ahead. */
export const filesOf = (id: string) => ({
  ...reading(['files', id], (get) => get('/api/v1/documents/{id}/files', { params: { path: { id } } }), FRESH_MS),
  placeholderData: () => cache.getQueryData(filesAhead(id).queryKey),
});

/** The text of a file as it was read, part by part. */
export const textOf = (id: string, index: number) =>
  infiniteQueryOptions({
    queryKey: ['text', id, index],
    queryFn: ({ pageParam: from, signal }) =>
      withToken(() =>
        api.get('/api/v1/documents/{id}/files/{index}/text', {
          params: { path: { id, index }, query: { from } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    staleTime: FRESH_MS,
  });
