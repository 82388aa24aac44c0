import type { FilePart, SourceFile, TextExtractor } from '../../application/ports/text.ts';
import { inTime } from '../../application/shared/async.ts';
import { fairShare } from '../../application/shared/fair-share.ts';
import { OWN_WORK } from '../../domain/sharer.ts';
import { type ConversionOptions, convertedParts } from './converted-parts.ts';
import { detectFormat } from './detect-format.ts';
import { pictureNotes } from './formats/picture-notes.ts';
import { type OcrOptions, ocrReaders } from './ocr/ocr.ts';
import { type GivenPart, startReader } from './reader-process.ts';
import { type PoolOptions, processPool, ReaderFailed } from './sandboxed-process.ts';
import { isBare, withoutScans, withScans } from './scanned-part.ts';

interface TextExtractorOptions extends PoolOptions {
  /** How long one file may take. */
  readonly timeoutSeconds: number;
  /** How many files are read at the same time; the others wait, and the users and workspaces that they are for take turns. */
  readonly readers?: number;
  /** How many files may wait: each of them stays in memory. */
  readonly maxWaiting?: number;
  /** How much text of one file, its attachments included, is given. */
  readonly maxCharacters?: number;
  /** Absent: what is a picture is not read. */
  readonly ocr?: OcrOptions;
  /** Absent: documents of office programs are read as text, where a reader knows their format. */
  readonly conversion?: ConversionOptions;
}

const unread = (
  { fileName, data }: SourceFile,
  contentType: string,
  reason: string,
  more: Partial<GivenPart> = {},
): readonly GivenPart[] => [
  { fileName, contentType, data, pages: [], layouts: [], scans: [], unreadable: reason, ...more },
];

const TOO_MANY = 'could not be read: too many files are waiting to be read';

/** Reads files in processes of their own, so that no file can block or end this process. */
export const textExtractor = (options: TextExtractorOptions): TextExtractor & { close(): Promise<void> } => {
  const {
    timeoutSeconds,
    readers = 2,
    maxWaiting = 500,
    memoryMegabytes = 512,
    idleSeconds,
    maxCharacters = 2_000_000,
    conversion,
  } = options;
  const pool = processPool(startReader, { memoryMegabytes, idleSeconds }, memoryMegabytes / 2);
  const ocr = options.ocr === undefined ? null : ocrReaders({ maxWaiting, ...options.ocr });
  const share = fairShare({ places: readers, mostWaiting: maxWaiting, refusal: () => new ReaderFailed(TOO_MANY) });
  const closing = new AbortController();

  const readOnce = (
    { data, sharer: _, ...about }: SourceFile,
    end: AbortSignal,
    isAlone = false,
  ): Promise<readonly GivenPart[]> =>
    pool.use((reader) => {
      end.addEventListener('abort', reader.kill, { once: true });
      return reader
        .read({ ...about, maxCharacters, isAlone }, data)
        .finally(() => end.removeEventListener('abort', reader.kill));
    });

  /**
   * The end of one reader is no proof against its file, for the system may have killed it: a second one has the time that is left. What is
   * attached to a file may have ended both, so a third one reads it without that.
   */
  const read = async (file: SourceFile, signal: AbortSignal): Promise<readonly GivenPart[]> => {
    const again = async (error: unknown, end: AbortSignal, isAlone: boolean) => {
      if (error instanceof ReaderFailed && !end.aborted) return readOnce(file, end, isAlone);
      throw error;
    };
    const thrice = (end: AbortSignal) =>
      readOnce(file, end)
        .catch((error: unknown) => again(error, end, false))
        .catch((error: unknown) => again(error, end, true));
    const late = () => new ReaderFailed('took too long to read');
    return inTime(thrice, { seconds: timeoutSeconds, late, signal });
  };

  const partsOf = async (file: SourceFile, end: AbortSignal): Promise<readonly GivenPart[]> => {
    const detected = detectFormat(file);
    const { contentType } = detected;
    if (detected.format === null) return unread(file, contentType, detected.reason);
    if (detected.format === 'picture')
      return unread(file, contentType, detected.reason, { scans: 'all', notes: pictureNotes(file.data, contentType) });
    return share
      .pass(file.sharer ?? OWN_WORK, () => read(file, end), end)
      .catch((error: unknown) => {
        end.throwIfAborted();
        if (error instanceof ReaderFailed) return unread(file, contentType, error.message);
        throw error;
      });
  };

  const conversions = conversion && convertedParts({ maxWaiting, read: partsOf, ...conversion });

  /** What is given of a part, its pictures read; null of a picture among words on which nothing is written. */
  const shownOf = async (part: GivenPart, { articleOnly, sharer = OWN_WORK }: SourceFile, end: AbortSignal) => {
    if (ocr === null || articleOnly === true || part.scans.length === 0) return withoutScans(part);
    const scanned = await ocr.read({ ...part, sharer }, end);
    if (scanned === null) return { ...withoutScans(part), unreadable: part.unreadable === null ? null : TOO_MANY };
    return part.isIllustration && isBare(scanned) ? null : withScans(part, scanned);
  };

  return {
    async extract(file, signal) {
      signal?.throwIfAborted();
      const end = AbortSignal.any(signal === undefined ? [closing.signal] : [closing.signal, signal]);
      const { sharer = OWN_WORK } = file;
      const parts: { readonly part: FilePart; readonly isContainer: boolean }[] = [];
      const read = await partsOf(file, end);
      for (const one of (await conversions?.of(read, sharer, end)) ?? read) {
        const part = await shownOf(one, file, end);
        if (part !== null) parts.push({ part, isContainer: one.isContainer ?? false });
      }
      const isReadable = parts.some(({ part }) => part.unreadable === null);
      return parts.map(({ part, isContainer }) => (isContainer && isReadable ? { ...part, unreadable: null } : part));
    },
    async close() {
      closing.abort(new Error('the text extractor is closed'));
      await Promise.all([pool.end(), ocr?.close()]);
    },
  };
};
