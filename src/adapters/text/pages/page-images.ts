import { deadline } from '../../../application/async.ts';
import type { PageImages } from '../../../application/ports/page-images.ts';
import type { SourceFile } from '../../../application/ports/text.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { detectFormat } from '../detect-format.ts';
import { processPool, ReaderFailed } from '../sandboxed-process.ts';
import { type PagesRequest, startPages } from './pages-process.ts';

export interface PageImagesOptions {
  /** How long one page may take. */
  readonly timeoutSeconds?: number;
  /** Of one process: the heap; twice that in all. */
  readonly memoryMegabytes?: number;
  readonly idleSeconds?: number;
}

/** A process holds PDFium and the decoder of pictures; one large page leaves it larger, because the memory of WebAssembly never shrinks. */
const RETIRE_AT_MEGABYTES = 420;

const hasPages = ({ format }: ReturnType<typeof detectFormat>) => format === 'pdf' || format === 'picture';

const unreadable = (problem: string) =>
  new DomainError('conflict', `The page cannot be shown: it ${problem}.`, { code: 'page_unreadable' });

/** Draws pages in processes of their own, so that no file can block or end this process. */
export const pageImages = (options: PageImagesOptions = {}): PageImages & { close(): Promise<void> } => {
  const { timeoutSeconds = 20, memoryMegabytes = 512, idleSeconds = 30 } = options;
  const pool = processPool(() => startPages(memoryMegabytes), { idleSeconds, retireAtMegabytes: RETIRE_AT_MEGABYTES });
  const closing = new AbortController();

  const ask = async (request: PagesRequest, data: Uint8Array, signal: AbortSignal) => {
    const reader = pool.take();
    try {
      const late = () => new ReaderFailed('takes too long to draw');
      const found = await deadline(() => reader.answer(request, data), { milliseconds: timeoutSeconds * 1000, late, signal });
      pool.giveBack(reader, found.answer.memoryBytes);
      return found;
    } catch (error) {
      reader.kill();
      throw error;
    }
  };

  const untilClosed = (signal?: AbortSignal) => (signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]));

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
      const { answer, png } = await ask(request, file.data, untilClosed(signal)).catch((error: unknown) => {
        throw error instanceof ReaderFailed ? unreadable(error.message) : error;
      });
      if ('problem' in answer) throw unreadable(answer.problem);
      if ('missing' in answer) throw notFound('page');
      return png;
    },

    async close() {
      closing.abort(new Error('the server is closing'));
      await pool.end();
    },
  };
};
