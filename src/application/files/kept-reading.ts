import { isObject } from '../../domain/json.ts';
import type { PageLayout, PageWord } from '../../domain/page-words.ts';
import { type BlobStore, besideKey } from '../ports/blobs.ts';
import type { PageSize } from '../ports/page-images.ts';
import type { Log } from '../ports/runtime.ts';
import type { FilePart } from '../ports/text.ts';
import type { StorageService } from '../storage/storage.ts';
import type { KeepBeside } from './kept-beside.ts';
import { bytesKey, type KeptFile, type KeptPlace, keyOf, nameOf } from './kept-file.ts';
import type { SourceFiles } from './source-files.ts';
import { textOf } from './text-parts.ts';
import { chunksOf, chunkText, wordsIn } from './word-chunks.ts';

/** What the reading of the file found out about its pages. */
const SIZES = 'pages.json';
/** What a look at a file that is not read yet says: under a name of its own, so that it never takes the place of what is read meanwhile. */
const MEASURED = 'measured.json';
const ATTACHMENTS = 'attachments.json';
/** What a converter made of a file, of which its pages are drawn. */
const CONVERTED = 'converted.pdf';
/** The text of a file that has no pages. */
const TEXT = 'text.txt';

/** What is kept of a page: `words` is the chunk that has its words, absent if they were not read. */
export interface StoredSize extends PageSize {
  readonly words?: number;
}

/** What the reading of a file found out about its pages. */
type ReadPages = Pick<FilePart, 'pages' | 'layouts' | 'unreadable'> & Partial<Pick<FilePart, 'data' | 'isConverted'>>;

type Attached = Pick<KeptFile, 'fileName' | 'contentType' | 'within'>;

interface Dependencies {
  readonly blobs: BlobStore;
  readonly sources: Pick<SourceFiles, 'read'>;
  readonly storage: Pick<StorageService, 'hasRoom'>;
  readonly keep: KeepBeside;
  readonly log: Log;
}

const isSize = (value: unknown): value is StoredSize =>
  isObject(value) && typeof value.page === 'number' && typeof value.width === 'number';

const isAttached = (value: unknown): value is Attached =>
  isObject(value) && typeof value.fileName === 'string' && typeof value.contentType === 'string';

const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** null if it is damaged. */
const parsed = <T>(data: Uint8Array, is: (value: unknown) => value is T): readonly T[] | null => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(data));
    return Array.isArray(value) && value.every(is) ? value : null;
  } catch {
    return null;
  }
};

const chunkName = (index: number) => `words-${index}.json`;

export const wasRead = ({ pages }: Pick<FilePart, 'pages'>, page: number) =>
  pages.some(({ number, unread }) => number === page && unread === undefined);

/** What the reading of files found out, which is kept beside them. */
export const keptReading = ({ blobs, sources, storage, keep, log }: Dependencies) => {
  /** By page, the chunk that has its words: of those pages alone whose words are kept. */
  const keepWords = async (place: KeptPlace, read: ReadPages): Promise<ReadonlyMap<number, number>> => {
    const chunkOf = new Map<number, number>();
    try {
      if (!(await storage.hasRoom(place.fileKey))) return chunkOf;
      const pages = read.layouts.filter(({ number }) => wasRead(read, number));
      for (const [index, chunk] of [...chunksOf(pages)].entries()) {
        const data = new TextEncoder().encode(chunkText(chunk));
        await blobs.write(keyOf(place, chunkName(index)), data, 'application/json');
        for (const { number } of chunk) chunkOf.set(number, index);
      }
    } catch (err) {
      log.warn({ err }, 'the words of a file could not be kept; it is read again when they are asked for');
    }
    return chunkOf;
  };

  const keepSizes = (place: KeptPlace, name: string, sizes: readonly StoredSize[]) =>
    keep(place.fileKey, nameOf(place, name), encoded(sizes), 'application/json');

  const sizesIn = async (file: KeptFile, name: string, signal: AbortSignal) => {
    const kept = await blobs.read(keyOf(file, name), signal);
    return kept && parsed(kept, isSize);
  };

  const rememberPages = async (place: KeptPlace, read: ReadPages): Promise<void> => {
    if (read.isConverted === true && read.data !== undefined && place.attachment === undefined)
      await keep(place.fileKey, CONVERTED, read.data, 'application/pdf');
    const chunkOf = await keepWords(place, read);
    const sizeOf = ({ number, width, height, source }: PageLayout): StoredSize => {
      const words = chunkOf.get(number);
      return { page: number, width, height, source, ...(words !== undefined && { words }) };
    };
    await keepSizes(place, SIZES, read.layouts.map(sizeOf));
  };

  const rememberPart = async (place: KeptPlace, read: ReadPages): Promise<void> => {
    if (read.layouts.length > 0) return rememberPages(place, read);
    const text = textOf(read);
    if (text !== null) await keep(place.fileKey, nameOf(place, TEXT), new TextEncoder().encode(text), 'text/plain');
  };

  /** Attachments are written once, and remembered as they were read, like the file itself. */
  const keepAttachment = async (place: KeptPlace, { data, contentType }: FilePart): Promise<void> => {
    const key = bytesKey(place);
    if ((await blobs.head(key)) === null)
      await keep(place.fileKey, `attachment-${place.attachment}`, data, contentType);
    await sources
      .read(key)
      .catch((err: unknown) =>
        log.warn({ err }, 'what is attached to a file could not be compared with what was read'),
      );
  };

  return {
    rememberPart,

    /** Keeps what the reading of a file found out, and what is attached to it and can be shown. Never rejects. */
    async remember(fileKey: string, read: ReadPages, attached: readonly FilePart[] = []): Promise<void> {
      await rememberPart({ fileKey }, read);
      const shown = attached.filter((part) => part.layouts.length > 0 || textOf(part) !== null);
      for (const [attachment, part] of shown.entries()) {
        await keepAttachment({ fileKey, attachment }, part);
        await rememberPart({ fileKey, attachment }, part);
      }
      const list = shown.map(
        ({ fileName, contentType, within }): Attached => ({ fileName, contentType, ...(within && { within }) }),
      );
      if (list.length > 0) await keep(fileKey, ATTACHMENTS, encoded(list), 'application/json');
    },

    rememberMeasured: (place: KeptPlace, sizes: readonly PageSize[]) => keepSizes(place, MEASURED, sizes),

    /** As the file was read, or measured before that; null: neither is kept. */
    sizes: async (file: KeptFile, signal: AbortSignal): Promise<readonly StoredSize[] | null> =>
      (await sizesIn(file, SIZES, signal)) ?? (await sizesIn(file, MEASURED, signal)),

    async words(file: KeptFile, { page, words }: StoredSize, signal: AbortSignal): Promise<readonly PageWord[] | null> {
      const chunk = words === undefined ? null : await blobs.read(keyOf(file, chunkName(words)), signal);
      return chunk && wordsIn(chunk, page);
    },

    async text(file: KeptFile, signal: AbortSignal): Promise<string | null> {
      const kept = await blobs.read(keyOf(file, TEXT), signal);
      return kept && new TextDecoder().decode(kept);
    },

    /** What is attached to a file and can be shown; none until the file is read. */
    async attachments(file: KeptFile, signal: AbortSignal): Promise<readonly KeptFile[]> {
      const kept = await blobs.read(besideKey(file.fileKey, ATTACHMENTS), signal);
      const list = kept && parsed(kept, isAttached);
      return (list ?? []).map((attached, attachment) => ({ ...file, ...attached, attachment }));
    },

    /** What its pages are drawn of, if that is not the file itself. What is attached is kept as it is shown. */
    converted: async ({ fileKey, attachment }: KeptPlace): Promise<Uint8Array | null> =>
      attachment === undefined ? blobs.read(besideKey(fileKey, CONVERTED)) : null,
  };
};
