import { availableParallelism } from 'node:os';
import { inTime } from '../../../application/shared/async.ts';
import { fairShare } from '../../../application/shared/fair-share.ts';
import type { Sharer } from '../../../domain/sharer.ts';
import { type PoolOptions, processPool, ReaderFailed, startProcess } from '../sandboxed-process.ts';
import type { OcrPage } from './ocr-page.ts';

export interface OcrOptions extends PoolOptions {
  /** As Tesseract names them, the most likely one first. */
  readonly languages: readonly string[];
  /** How many files are read at the same time. Each takes a core, so that half of them stay for the rest. */
  readonly readers?: number;
  readonly pageSeconds?: number;
  /** How long the pages of one file may take together; those that are left by then are not read. */
  readonly fileSeconds?: number;
  /** How many pages of one file are read. */
  readonly maxPages?: number;
  /** How many files may wait: each of them stays in memory. */
  readonly maxWaiting?: number;
}

/** A file with pages that are pictures: which, by their numbers, or all. */
export interface Scanned {
  readonly data: Uint8Array;
  readonly contentType: string;
  readonly scans: readonly number[] | 'all';
  readonly sharer: Sharer;
}

export interface ScannedPages {
  /** What was read or tried, in order. */
  readonly pages: readonly OcrPage[];
  /** The numbers of the pages for which there was no time or no room. */
  readonly unread: readonly number[];
}

/** The file comes with the first request, and its pages are asked for one by one. `pageCount` is 0 if it cannot be opened. */
export type OcrRequest =
  | { readonly languages: readonly string[]; readonly contentType: string }
  | { readonly page: number };

export type OcrAnswer = { readonly pageCount: number } | { readonly page: OcrPage };

/** A file on its way through one process or several. */
interface Progress {
  /** Null until a process has opened the file, if all of its pages are wanted. */
  wanted: readonly number[] | null;
  readonly pages: OcrPage[];
  isOpen: boolean;
}

class Crowded extends Error {}

/** A file that ends its process so often is hostile, or the machine has too little memory. */
const MAX_FAILURES = 3;
const LATE = 'took too long to read';
const ANOTHER_ANSWER = 'a reader of pictures answered another question';
const NO_BYTES: Uint8Array = new Uint8Array(0);

const failedPage = (number: number, problem: string): OcrPage => ({
  text: '',
  problem,
  layout: { number, width: 0, height: 0, source: 'ocr', words: [] },
});

/** Reads pages that are pictures, each file in a process of its own: recognition cannot be stopped, so its process is ended instead. */
export const ocrReaders = (options: OcrOptions) => {
  const {
    languages,
    readers = Math.max(1, Math.floor(availableParallelism() / 2)),
    pageSeconds = 60,
    fileSeconds = 300,
  } = options;
  const { maxPages = 200, maxWaiting = 500 } = options;
  const pool = processPool((megabytes) => startProcess<OcrRequest, OcrAnswer>('ocr/ocr-main', megabytes), options);
  const share = fairShare({ places: readers, mostWaiting: maxWaiting, refusal: () => new Crowded() });

  /** Reads on where the last process ended. Rejects with ReaderFailed when this one does. */
  const readOn = (
    { data, contentType, scans }: Scanned,
    progress: Progress,
    end: number,
    signal: AbortSignal,
  ): Promise<void> =>
    pool.use(async (reader) => {
      const terms = { seconds: pageSeconds, late: () => new ReaderFailed(LATE), signal };
      const ask = async (request: OcrRequest, file = NO_BYTES) =>
        (await inTime(() => reader.ask(request, file), terms)).answer;
      progress.isOpen = false;
      const opened = await ask({ languages, contentType }, data);
      if (!('pageCount' in opened)) throw new Error(ANOTHER_ANSWER);
      progress.isOpen = true;
      const all = Array.from({ length: opened.pageCount }, (_, index) => index + 1);
      progress.wanted ??= scans === 'all' ? all : scans.filter((number) => number <= opened.pageCount);
      for (const number of progress.wanted.slice(progress.pages.length, maxPages)) {
        if (performance.now() >= end) break;
        const read = await ask({ page: number });
        if (!('page' in read)) throw new Error(ANOTHER_ANSWER);
        progress.pages.push(read.page);
      }
    });

  /** Reads as far as one process comes; answers how that one failed, or null. */
  const attempt = async (file: Scanned, progress: Progress, end: number, signal: AbortSignal) => {
    try {
      await readOn(file, progress, end, signal);
      return null;
    } catch (error) {
      if (error instanceof ReaderFailed && !signal.aborted) return error;
      throw error;
    }
  };

  const readFile = async (file: Scanned, signal: AbortSignal): Promise<ScannedPages> => {
    const end = performance.now() + fileSeconds * 1000;
    const progress: Progress = { wanted: file.scans === 'all' ? null : file.scans, pages: [], isOpen: false };
    let tried = -1;
    for (let failures = 0; failures < MAX_FAILURES; failures += 1) {
      const failure = await attempt(file, progress, end, signal);
      if (failure === null) break;
      // The end of one process is no proof against the page, for the system may have killed it.
      const isProven = tried === progress.pages.length || failure.message === LATE;
      tried = progress.pages.length;
      if (!isProven) continue;
      progress.pages.push(failedPage(progress.wanted?.[tried] ?? 1, failure.message));
      if (!progress.isOpen) break;
    }
    return { pages: progress.pages, unread: progress.wanted?.slice(progress.pages.length) ?? [] };
  };

  return {
    /** null if too many files wait; only an abort rejects. */
    read: (file: Scanned, signal: AbortSignal): Promise<ScannedPages | null> =>
      share
        .pass(file.sharer, () => readFile(file, signal), signal)
        .catch((error: unknown) => {
          if (error instanceof Crowded) return null;
          throw error;
        }),
    close: pool.end,
  };
};
