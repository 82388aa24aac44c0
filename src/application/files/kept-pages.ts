import { DomainError, mustExist, notFound } from '../../domain/errors.ts';
import { isObject } from '../../domain/json.ts';
import type { PageLayout } from '../../domain/page-words.ts';
import { type BlobStore, besideKey } from '../ports/blobs.ts';
import type { PageImages, PageSize } from '../ports/page-images.ts';
import type { Log } from '../ports/runtime.ts';
import type { FilePart, SourceFile, TextExtractor } from '../ports/text.ts';
import { refusals } from '../shared/refusals.ts';
import { sharedWork } from '../shared/shared-work.ts';
import type { StorageService } from '../storage/storage.ts';
import { filesInTurn } from './files-in-turn.ts';
import { keepsBeside } from './kept-beside.ts';
import { bytesKey, type KeptFile, type KeptPlace, keyOf, nameOf } from './kept-file.ts';
import type { SourceFiles } from './source-files.ts';
import { partFrom, type TextPart, textOf } from './text-parts.ts';
import { chunksOf, chunkText, wordsIn } from './word-chunks.ts';

/** A page that cannot be drawn is not tried again for so long: a hostile one takes all the time that a page may take. */
const REFUSED_MS = 10 * 60 * 1000;
const MOST_REFUSED = 1000;
/** What the reading of the file found out about its pages. */
const SIZES = 'pages.json';
/** What a look at a file that is not read yet says: under a name of its own, so that it never takes the place of what is read meanwhile. */
const MEASURED = 'measured.json';
const ATTACHMENTS = 'attachments.json';
/** What a converter made of a file, of which its pages are drawn. */
const CONVERTED = 'converted.pdf';
/** The text of a file that has no pages. */
const TEXT = 'text.txt';
/** How many files are read again at the same time for their words or text. */
const READINGS = 1;

/** What is kept of a page: `words` is the chunk that has its words, absent if they were not read. */
interface StoredSize extends PageSize {
  readonly words?: number;
}

/** What the reading of a file found out about its pages. */
type ReadPages = Pick<FilePart, 'pages' | 'layouts' | 'unreadable'> & Partial<Pick<FilePart, 'data' | 'isConverted'>>;

export interface PageWords extends Pick<PageLayout, 'source' | 'words'> {
  readonly page: number;
}

interface Dependencies {
  readonly blobs: BlobStore;
  readonly sources: Pick<SourceFiles, 'read'>;
  readonly storage: Pick<StorageService, 'hasRoom'>;
  readonly images: PageImages;
  readonly text: TextExtractor;
  readonly log: Log;
  readonly settings: {
    /** How many pages are drawn at the same time. */
    readonly drawings: number;
  };
}

const unread = (what: string, why: string) =>
  new DomainError('conflict', `${what} cannot be read: the file ${why}.`, { code: 'page_unreadable' });

const isUnreadable = (error: unknown) => error instanceof DomainError && error.code === 'page_unreadable';

const isSize = (value: unknown): value is StoredSize =>
  isObject(value) && typeof value.page === 'number' && typeof value.width === 'number';

type Attached = Pick<KeptFile, 'fileName' | 'contentType' | 'within'>;

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

const wasRead = ({ pages }: ReadPages, page: number) =>
  pages.some(({ number, unread: left }) => number === page && left === undefined);

/** The pages of files, which are kept beside them once they are made. */
export const keptPages = ({ blobs, sources, storage, images, text, log, settings }: Dependencies) => {
  const toDraw = filesInTurn(sources, settings.drawings);
  const toRead = filesInTurn(sources, READINGS);
  const share = sharedWork<Uint8Array>();
  const shareReading = sharedWork<FilePart | null>();
  const shareSizes = sharedWork<readonly PageSize[]>();
  const keep = keepsBeside({ blobs, storage, log });
  const onceIfRefused = refusals({ milliseconds: REFUSED_MS, most: MOST_REFUSED, isLasting: isUnreadable });

  /** With what shows its pages: the file itself, or what a converter made of it. What is attached is kept as it is shown. */
  const withShown = <T>(file: KeptFile, unwanted: AbortSignal, use: (source: SourceFile) => Promise<T>) =>
    toDraw(file, unwanted, async (source) => {
      const converted = file.attachment === undefined ? await blobs.read(besideKey(file.fileKey, CONVERTED)) : null;
      return use(converted ? { ...source, contentType: 'application/pdf', data: converted } : source);
    });

  const keepSizes = (place: KeptPlace, name: string, sizes: readonly StoredSize[]) =>
    keep(place.fileKey, nameOf(place, name), encoded(sizes), 'application/json');

  const measure = async (file: KeptFile, unwanted: AbortSignal): Promise<readonly PageSize[]> => {
    const measured = await withShown(file, unwanted, (source) => images.sizes(source));
    if (measured !== null) await keepSizes(file, MEASURED, measured);
    return measured ?? [];
  };

  const sizesIn = async (file: KeptFile, name: string, signal: AbortSignal) => {
    const kept = await blobs.read(keyOf(file, name), signal);
    return kept && parsed(kept, isSize);
  };

  const storedSizes = async (file: KeptFile, signal: AbortSignal): Promise<readonly StoredSize[]> =>
    (await sizesIn(file, SIZES, signal)) ??
    (await sizesIn(file, MEASURED, signal)) ??
    shareSizes(bytesKey(file), (unwanted) => measure(file, unwanted), signal);

  const rememberPages = async (place: KeptPlace, read: ReadPages): Promise<void> => {
    const chunks = new Map<number, number>();
    if (read.isConverted === true && read.data !== undefined && place.attachment === undefined)
      await keep(place.fileKey, CONVERTED, read.data, 'application/pdf');
    try {
      if (!(await storage.hasRoom(place.fileKey))) return;
      for (const [index, chunk] of [
        ...chunksOf(read.layouts.filter(({ number }) => wasRead(read, number))),
      ].entries()) {
        await blobs.write(
          keyOf(place, chunkName(index)),
          new TextEncoder().encode(chunkText(chunk)),
          'application/json',
        );
        for (const { number } of chunk) chunks.set(number, index);
      }
    } catch (err) {
      log.warn({ err }, 'the words of a file could not be kept; it is read again when they are asked for');
    }
    const sizeOf = ({ number, width, height, source }: PageLayout): StoredSize => {
      const words = chunks.get(number);
      return { page: number, width, height, source, ...(words !== undefined && { words }) };
    };
    await keepSizes(place, SIZES, read.layouts.map(sizeOf));
  };

  /** What is attached is written once, and remembered as it was read, like the file itself. */
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

  const rememberPart = async (place: KeptPlace, read: ReadPages): Promise<void> => {
    if (read.layouts.length > 0) return rememberPages(place, read);
    const text = textOf(read);
    if (text !== null) await keep(place.fileKey, nameOf(place, TEXT), new TextEncoder().encode(text), 'text/plain');
  };

  /** Keeps what the reading of a file found out, and what is attached to it and can be shown. Never rejects. */
  const remember = async (fileKey: string, read: ReadPages, attached: readonly FilePart[] = []): Promise<void> => {
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
  };

  /** The file itself is the first of its parts. */
  const readAgain = async (file: KeptFile, unwanted: AbortSignal): Promise<FilePart | null> => {
    const parts = await toRead(file, unwanted, (source) => text.extract(source));
    const [part = null] = parts ?? [];
    if (part !== null) await rememberPart(file, part);
    return part;
  };

  const readOnce = (file: KeptFile, signal: AbortSignal) =>
    shareReading(bytesKey(file), (unwanted) => readAgain(file, unwanted), signal);

  const wordsAnew = async (file: KeptFile, page: number, signal: AbortSignal) => {
    const part = mustExist(await readOnce(file, signal), 'page');
    const layout = part.layouts.find(({ number }) => number === page);
    if (layout === undefined || !wasRead(part, page))
      throw unread('The words of the page', part.unreadable ?? 'was not read as far as this page');
    return layout.words;
  };

  const textAnew = async (file: KeptFile, signal: AbortSignal) => {
    const part = mustExist(await readOnce(file, signal), 'file');
    const text = textOf(part);
    if (text === null) throw unread('The text', part.unreadable ?? 'has none');
    return text;
  };

  /** None if the file has no pages, or is gone. */
  const sizes = async (file: KeptFile, signal: AbortSignal): Promise<readonly PageSize[]> =>
    (await storedSizes(file, signal)).map(({ words: _, ...size }) => size);

  return {
    sizes,
    remember,

    /** What is attached to a file and can be shown; none until the file is read. */
    async attachments(file: KeptFile, signal: AbortSignal): Promise<readonly KeptFile[]> {
      const kept = await blobs.read(besideKey(file.fileKey, ATTACHMENTS), signal);
      const list = kept && parsed(kept, isAttached);
      return (list ?? []).map((attached, attachment) => ({ ...file, ...attached, attachment }));
    },

    /** The words of a page, in the order of its text; the file is read again if it was read before its words were kept. */
    async words(file: KeptFile, page: number, signal: AbortSignal): Promise<PageWords> {
      const size = (await storedSizes(file, signal)).find((each) => each.page === page);
      if (size === undefined) throw notFound('page');
      const chunk = size.words === undefined ? null : await blobs.read(keyOf(file, chunkName(size.words)), signal);
      const kept = chunk && wordsIn(chunk, page);
      const words = kept ?? (await onceIfRefused(keyOf(file, 'words'), () => wordsAnew(file, page, signal)));
      return { page, source: size.source, words };
    },

    /** A part of the text as it was read; the file is read again if it was read before its text was kept, or if it has pages. */
    async text(file: KeptFile, from: number, signal: AbortSignal): Promise<TextPart> {
      const kept = await blobs.read(keyOf(file, TEXT), signal);
      const whole = kept
        ? new TextDecoder().decode(kept)
        : await onceIfRefused(keyOf(file, 'text'), () => textAnew(file, signal));
      return partFrom(whole, from);
    },

    /** The bytes of the e-invoice that the file is or has attached, as it is read again; null if there is none. */
    async eInvoice(file: KeptFile, signal: AbortSignal): Promise<Uint8Array | null> {
      const parts = await toRead(file, signal, (source) => text.extract(source, signal));
      return parts?.find(({ einvoice }) => einvoice != null)?.data ?? null;
    },

    /** A PNG, so many pixels wide; narrower if the page is a smaller picture, or far higher than wide. */
    async image(file: KeptFile, page: number, width: number, signal: AbortSignal) {
      const name = `page-${page}-${width}.png`;
      const key = keyOf(file, name);
      const kept = await blobs.read(key, signal);
      if (kept) return kept;
      if (!(await sizes(file, signal)).some((each) => each.page === page)) throw notFound('page');
      const draw = async (unwanted: AbortSignal) => {
        const drawn = mustExist(await withShown(file, unwanted, (source) => images.draw(source, page, width)), 'page');
        await keep(file.fileKey, nameOf(file, name), drawn, 'image/png');
        return drawn;
      };
      return onceIfRefused(keyOf(file, `${page}`), () => share(key, draw, signal));
    },
  };
};

export type KeptPages = ReturnType<typeof keptPages>;
