import { DomainError, mustExist, notFound } from '../../domain/errors.ts';
import type { PageLayout } from '../../domain/page-words.ts';
import type { BlobStore } from '../ports/blobs.ts';
import type { PageImages, PageSize } from '../ports/page-images.ts';
import type { Log } from '../ports/runtime.ts';
import type { FilePart, SourceFile, TextExtractor } from '../ports/text.ts';
import { refusals } from '../shared/refusals.ts';
import { sharedWork } from '../shared/shared-work.ts';
import type { StorageService } from '../storage/storage.ts';
import { filesInTurn } from './files-in-turn.ts';
import { keepsBeside } from './kept-beside.ts';
import { bytesKey, type KeptFile, keyOf, nameOf } from './kept-file.ts';
import { keptReading, type StoredSize, wasRead } from './kept-reading.ts';
import type { SourceFiles } from './source-files.ts';
import { partFrom, type TextPart, textOf } from './text-parts.ts';

/** A page that cannot be drawn is not tried again for so long: a hostile one takes all the time that a page may take. */
const REFUSED_MS = 10 * 60 * 1000;
const MOST_REFUSED = 1000;
/** How many files are read again at the same time for their words or text. */
const READINGS = 1;

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

/** The pages of files, which are kept beside them once they are made. */
export const keptPages = ({ blobs, sources, storage, images, text, log, settings }: Dependencies) => {
  const toDraw = filesInTurn(sources, settings.drawings);
  const toRead = filesInTurn(sources, READINGS);
  const share = sharedWork<Uint8Array>();
  const shareReading = sharedWork<FilePart | null>();
  const shareSizes = sharedWork<readonly PageSize[]>();
  const keep = keepsBeside({ blobs, storage, log });
  const kept = keptReading({ blobs, sources, storage, keep, log });
  const onceIfRefused = refusals({ milliseconds: REFUSED_MS, most: MOST_REFUSED, isLasting: isUnreadable });

  /** With what shows its pages: the file itself, or what a converter made of it. */
  const withShown = <T>(file: KeptFile, unwanted: AbortSignal, use: (source: SourceFile) => Promise<T>) =>
    toDraw(file, unwanted, async (source) => {
      const converted = await kept.converted(file);
      return use(converted ? { ...source, contentType: 'application/pdf', data: converted } : source);
    });

  const measure = async (file: KeptFile, unwanted: AbortSignal): Promise<readonly PageSize[]> => {
    const measured = await withShown(file, unwanted, (source) => images.sizes(source));
    if (measured !== null) await kept.rememberMeasured(file, measured);
    return measured ?? [];
  };

  const storedSizes = async (file: KeptFile, signal: AbortSignal): Promise<readonly StoredSize[]> =>
    (await kept.sizes(file, signal)) ?? shareSizes(bytesKey(file), (unwanted) => measure(file, unwanted), signal);

  /** The file itself is the first of its parts. */
  const readAgain = async (file: KeptFile, unwanted: AbortSignal): Promise<FilePart | null> => {
    const parts = await toRead(file, unwanted, (source) => text.extract(source));
    const [part = null] = parts ?? [];
    if (part !== null) await kept.rememberPart(file, part);
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
    remember: kept.remember,
    attachments: kept.attachments,

    /** The words of a page, in the order of its text; the file is read again if it was read before its words were kept. */
    async words(file: KeptFile, page: number, signal: AbortSignal): Promise<PageWords> {
      const size = (await storedSizes(file, signal)).find((each) => each.page === page);
      if (size === undefined) throw notFound('page');
      const words =
        (await kept.words(file, size, signal)) ??
        (await onceIfRefused(keyOf(file, 'words'), () => wordsAnew(file, page, signal)));
      return { page, source: size.source, words };
    },

    /** A part of the text as it was read; the file is read again if it was read before its text was kept, or if it has pages. */
    async text(file: KeptFile, from: number, signal: AbortSignal): Promise<TextPart> {
      const whole =
        (await kept.text(file, signal)) ?? (await onceIfRefused(keyOf(file, 'text'), () => textAnew(file, signal)));
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
      const drawnBefore = await blobs.read(key, signal);
      if (drawnBefore) return drawnBefore;
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
