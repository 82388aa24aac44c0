import { availableParallelism } from 'node:os';
import { deadline } from '../../../application/async.ts';
import { fairQueue } from '../../../application/runs/fair-queue.ts';
import { processPool, ReaderFailed } from '../sandboxed-process.ts';
import { startOcr } from './ocr-process.ts';
import type { OcrPage } from './pages.ts';

export interface OcrOptions {
  /** As Tesseract names them, the most likely one first. */
  readonly languages: readonly string[];
  /** How many files are read at the same time. Each takes a core, so that half of them stay for the rest. */
  readonly readers?: number;
  readonly pageSeconds?: number;
  /** How long the pages of one file may take together; those that are left by then are not read. */
  readonly fileSeconds?: number;
  /** How many pages of one file are read. */
  readonly maxPages?: number;
  /** Of one process: the heap; twice that in all. */
  readonly memoryMegabytes?: number;
  readonly idleSeconds?: number;
}

/** A file with pages that are pictures: which, by their numbers, or all. */
export interface Scanned {
  readonly data: Uint8Array;
  readonly contentType: string;
  readonly scans: readonly number[] | 'all';
  readonly workspaceId?: string;
}

export interface ScannedPages {
  /** What was read or tried, in order. */
  readonly pages: readonly OcrPage[];
  /** The numbers of the pages for which there was no time or no room. */
  readonly unread: readonly number[];
}

export interface Ocr {
  /** Only an abort rejects. */
  read(file: Scanned, signal: AbortSignal): Promise<ScannedPages>;
  /** How many files wait: each of them stays in memory. */
  waiting(): number;
  close(): Promise<void>;
}

/** A file on its way through one process or several. */
interface Progress {
  /** Null until a process has opened the file, if all of its pages are wanted. */
  wanted: readonly number[] | null;
  readonly pages: OcrPage[];
  isOpen: boolean;
}

/** A process holds the engine, PDFium and one page; a larger page leaves it larger, because the memory of WebAssembly never shrinks. */
const RETIRE_AT_MEGABYTES = 420;
/** A file that ends its process so often is hostile, or the machine has too little memory. */
const MAX_FAILURES = 3;
const LATE = 'took too long to read';

const failedPage = (number: number, problem: string): OcrPage => ({
  ...{ text: '', problem, layout: { number, width: 0, height: 0, source: 'ocr', words: [] } },
});

/** Reads pages that are pictures, each file in a process of its own: recognition cannot be stopped, so its process is ended instead. */
export const ocrReaders = (options: OcrOptions): Ocr => {
  const { languages, readers = Math.max(1, Math.floor(availableParallelism() / 2)), pageSeconds = 60, fileSeconds = 300 } = options;
  const { maxPages = 200, memoryMegabytes = 512, idleSeconds = 30 } = options;
  const pool = processPool(() => startOcr(memoryMegabytes), { idleSeconds, retireAtMegabytes: RETIRE_AT_MEGABYTES });
  const queue = fairQueue(readers, () => performance.now());

  /** Reads on where the last process ended. Rejects with ReaderFailed when this one does. */
  const readOn = async ({ data, contentType, scans }: Scanned, progress: Progress, end: number, signal: AbortSignal): Promise<void> => {
    const within = <T>(work: () => Promise<T>): Promise<T> =>
      deadline(work, { milliseconds: pageSeconds * 1000, late: () => new ReaderFailed(LATE), signal });
    const reader = pool.take();
    progress.isOpen = false;
    try {
      let { pageCount, memoryBytes } = await within(() => reader.open(data, contentType, languages));
      progress.isOpen = true;
      const all = Array.from({ length: pageCount }, (_, index) => index + 1);
      progress.wanted ??= scans === 'all' ? all : scans.filter((number) => number <= pageCount);
      const wanted = progress.wanted.slice(0, maxPages);
      for (
        let number = wanted[progress.pages.length];
        number !== undefined && performance.now() < end;
        number = wanted[progress.pages.length]
      ) {
        const asked = number;
        const answer = await within(() => reader.page(asked));
        progress.pages.push(answer.page);
        memoryBytes = answer.memoryBytes;
      }
      pool.giveBack(reader, memoryBytes);
    } catch (error) {
      reader.kill();
      throw error;
    }
  };

  const readFile = async (file: Scanned, signal: AbortSignal): Promise<ScannedPages> => {
    const end = performance.now() + fileSeconds * 1000;
    const progress: Progress = { wanted: file.scans === 'all' ? null : file.scans, pages: [], isOpen: false };
    let tried = -1;
    for (let failures = 0; failures < MAX_FAILURES; failures += 1) {
      try {
        await readOn(file, progress, end, signal);
        break;
      } catch (error) {
        if (!(error instanceof ReaderFailed) || signal.aborted) throw error;
        // The end of one process is no proof against the page, for the system may have killed it.
        const again = tried === progress.pages.length || error.message === LATE;
        tried = progress.pages.length;
        if (again) progress.pages.push(failedPage(progress.wanted?.[tried] ?? 1, error.message));
        if (again && !progress.isOpen) break;
      }
    }
    return { pages: progress.pages, unread: progress.wanted?.slice(progress.pages.length) ?? [] };
  };

  return {
    read: (file, signal) => queue.pass(file.workspaceId ?? '', () => readFile(file, signal), signal),
    waiting: () => queue.waiting(),
    close: () => pool.end(),
  };
};
