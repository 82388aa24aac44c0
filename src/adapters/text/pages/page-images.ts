import type { PageImages, PageSize } from '../../../application/ports/page-images.ts';
import type { SourceFile } from '../../../application/ports/text.ts';
import { inTime } from '../../../application/shared/async.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { detectFormat } from '../detect-format.ts';
import { type PoolOptions, processPool, ReaderFailed, startProcess } from '../sandboxed-process.ts';

/** The file comes with each request. */
export interface PagesRequest {
  readonly contentType: string;
  /** null: the sizes of all pages are wanted. */
  readonly draw: { readonly page: number; readonly width: number } | null;
}

/** `drawn`: the body is a PNG. `missing`: there is no such page. `problem` ends the sentence "the page …". */
export type PagesAnswer =
  | { readonly sizes: readonly PageSize[] }
  | { readonly drawn: true }
  | { readonly missing: true }
  | { readonly problem: string };

interface PageImagesOptions extends PoolOptions {
  /** How long one page may take. */
  readonly timeoutSeconds?: number;
}

const hasPages = ({ format }: ReturnType<typeof detectFormat>) => format === 'pdf' || format === 'picture';

const unreadable = (problem: string) =>
  new DomainError('conflict', `The page cannot be shown: it ${problem}.`, { code: 'page_unreadable' });

/** Draws pages in processes of their own, so that no file can block or end this process. */
export const pageImages = (options: PageImagesOptions = {}): PageImages & { close(): Promise<void> } => {
  const { timeoutSeconds = 20 } = options;
  const pool = processPool(
    (megabytes) => startProcess<PagesRequest, PagesAnswer>('pages/pages-main', megabytes),
    options,
  );
  const closing = new AbortController();
  const late = () => new ReaderFailed('takes too long to draw');

  const ask = (request: PagesRequest, data: Uint8Array, signal: AbortSignal) =>
    pool.use((reader) => inTime(() => reader.ask(request, data), { seconds: timeoutSeconds, late, signal }));

  const untilClosed = (signal?: AbortSignal) =>
    signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);

  return {
    async sizes(file, signal) {
      const detected = detectFormat(file);
      if (!hasPages(detected)) return [];
      const request = { contentType: detected.contentType, draw: null };
      const end = untilClosed(signal);
      try {
        const { answer } = await ask(request, file.data, end);
        return 'sizes' in answer ? answer.sizes : [];
      } catch (error) {
        if (error instanceof ReaderFailed && !end.aborted) return null;
        throw error;
      }
    },

    async draw(file: SourceFile, page, width, signal) {
      const detected = detectFormat(file);
      if (!hasPages(detected)) throw notFound('page');
      const request = { contentType: detected.contentType, draw: { page, width } };
      const { answer, body } = await ask(request, file.data, untilClosed(signal)).catch((error: unknown) => {
        throw error instanceof ReaderFailed ? unreadable(error.message) : error;
      });
      if ('problem' in answer) throw unreadable(answer.problem);
      if ('missing' in answer) throw notFound('page');
      return body;
    },

    async close() {
      closing.abort(new Error('the server is closing'));
      await pool.end();
    },
  };
};
