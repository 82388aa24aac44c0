import { deadline } from '../../application/async.ts';
import type { FilePart, SourceFile, TextExtractor } from '../../application/ports/text.ts';
import { fairQueue } from '../../application/runs/fair-queue.ts';
import { detectFormat } from './detect-format.ts';
import { ReaderFailed, readerPool } from './reader-process.ts';

export interface TextExtractorOptions {
  /** How long one file may take. */
  readonly timeoutSeconds: number;
  /** How many files are read at the same time; the others wait, and the workspaces they belong to take turns. */
  readonly readers?: number;
  /** How many files may wait: each of them stays in memory. */
  readonly maxWaiting?: number;
  /** Of one reader: the heap; twice that in all. */
  readonly memoryMegabytes?: number;
  /** How long a reader without work is kept. */
  readonly idleSeconds?: number;
  /** How much text of one file, its attachments included, is given. */
  readonly maxCharacters?: number;
}

const unread = (file: SourceFile, contentType: string, reason: string): readonly FilePart[] => [
  { fileName: file.fileName, contentType, data: file.data, pages: [], layouts: [], unreadable: reason },
];

/** Reads files in processes of their own, so that no file can block or end this process. */
export const textExtractor = (options: TextExtractorOptions): TextExtractor & { close(): Promise<void> } => {
  const { timeoutSeconds, readers = 2, maxWaiting = 500, memoryMegabytes = 512, idleSeconds = 30, maxCharacters = 2_000_000 } = options;
  const pool = readerPool(memoryMegabytes, idleSeconds);
  const queue = fairQueue(readers, () => performance.now());
  const closing = new AbortController();

  const readOnce = async ({ data, workspaceId: _, ...about }: SourceFile, end: AbortSignal): Promise<readonly FilePart[]> => {
    const reader = pool.take();
    end.addEventListener('abort', reader.kill, { once: true });
    try {
      const { parts, memoryBytes } = await reader.read({ ...about, maxCharacters }, data);
      pool.giveBack(reader, memoryBytes);
      return parts;
    } catch (error) {
      reader.kill();
      throw error;
    } finally {
      end.removeEventListener('abort', reader.kill);
    }
  };

  /** The end of one reader is no proof against its file, for the system may have killed it: a second one has the time that is left. */
  const read = async (file: SourceFile, contentType: string, signal: AbortSignal): Promise<readonly FilePart[]> => {
    const twice = (end: AbortSignal) =>
      readOnce(file, end).catch((error: unknown) => {
        if (error instanceof ReaderFailed && !end.aborted) return readOnce(file, end);
        throw error;
      });
    try {
      const late = () => new ReaderFailed('took too long to read');
      return await deadline(twice, { milliseconds: timeoutSeconds * 1000, late, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ReaderFailed) return unread(file, contentType, error.message);
      throw error;
    }
  };

  return {
    async extract(file, signal) {
      signal?.throwIfAborted();
      const detected = detectFormat(file);
      const { contentType } = detected;
      if (detected.format === null) return unread(file, contentType, detected.reason);
      if (queue.waiting() >= maxWaiting) return unread(file, contentType, 'could not be read: too many files are waiting to be read');
      const end = AbortSignal.any(signal === undefined ? [closing.signal] : [closing.signal, signal]);
      return queue.pass(file.workspaceId ?? '', () => read(file, contentType, end), end);
    },
    async close() {
      closing.abort(new Error('the text extractor is closed'));
      await pool.end();
    },
  };
};
