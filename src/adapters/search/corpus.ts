import { concurrently } from '../../application/async.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { PageReader, SearchProvider } from '../../application/ports/search.ts';
import type { TextExtractor } from '../../application/ports/text.ts';
import { coverage, passages, relevance, termsOf } from '../../application/search/relevance.ts';
import { DomainError } from '../../domain/errors.ts';
import { type CorpusLimits, listPages, readPageFile } from './corpus-files.ts';
import { type CorpusPage, corpusPage } from './corpus-page.ts';

interface Settings {
  readonly folder: string;
  readonly text: TextExtractor;
  readonly log: Log;
  /** How old a look at the folder may be. */
  readonly recheckSeconds?: number;
  readonly limits?: Partial<CorpusLimits>;
}

const usual: CorpusLimits = { maxPages: 2_000, maxEntries: 50_000, maxFileBytes: 2_000_000 };
/** Of the texts of all pages together. */
const MAX_CHARACTERS = 50_000_000;
const SNIPPET = 300;

type Pages = ReadonlyMap<string, CorpusPage>;

/** By address. Where two files claim the same one, the first by name has it. */
const addressed = (pages: readonly CorpusPage[]): Pages => {
  const index = new Map<string, CorpusPage>();
  for (const page of pages) {
    const own = `corpus:///${page.name.split('/').map(encodeURIComponent).join('/')}`;
    const { publishedAt } = page;
    index.set(publishedAt !== null && !index.has(publishedAt) ? publishedAt : own, page);
  }
  return index;
};

/** Rejects with the signal's reason once it aborts; the work itself goes on for whoever else waits for it. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return promise;
};

/** A folder of pages, kept in memory and read again where files change. It is its own web: its addresses need no network. */
export const corpus = ({ folder, text, log, recheckSeconds = 1, limits = {} }: Settings): SearchProvider & PageReader => {
  const bounds = { ...usual, ...limits };
  const read = new Map<string, { readonly stamp: string; readonly page: CorpusPage | null }>();
  let index: Pages = new Map();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  const readFile = async (name: string): Promise<CorpusPage | null> => {
    const data = await readPageFile(folder, name, bounds);
    const page = data && (await corpusPage(name, data, text));
    if (data !== null && page === null) log.warn({ name }, 'a page of the search corpus cannot be read');
    return page;
  };

  const look = async () => {
    const files = await listPages(folder, bounds).catch((error: unknown) => {
      throw new DomainError('unavailable', 'The folder of pages that is searched cannot be read.', { cause: error });
    });
    const changed = files.filter(({ name, stamp }) => read.get(name)?.stamp !== stamp);
    await concurrently(changed, 2, async ({ name, stamp }) => void read.set(name, { stamp, page: await readFile(name) }));
    const present = new Set(files.map(({ name }) => name));
    const gone = [...read.keys()].filter((name) => !present.has(name));
    for (const name of gone) read.delete(name);
    if (changed.length + gone.length > 0) index = addressed(within(files.flatMap(({ name }) => read.get(name)?.page ?? [])));
  };

  const within = (pages: readonly CorpusPage[]): readonly CorpusPage[] => {
    let left = MAX_CHARACTERS;
    const kept = pages.filter((page) => {
      left -= page.text.length;
      return left >= 0;
    });
    if (kept.length < pages.length)
      log.warn({ kept: kept.length, found: pages.length }, 'the search corpus is too large: not all is searched');
    return kept;
  };

  const refreshed = (): Promise<void> => {
    if (looking === null && performance.now() - lookedAt >= recheckSeconds * 1000) {
      looking = look().finally(() => {
        looking = null;
      });
      looking.then(
        () => {
          lookedAt = performance.now();
        },
        () => {},
      );
    }
    return looking ?? Promise.resolve();
  };

  return {
    async search(query, { limit }, signal) {
      await unlessAborted(refreshed(), signal);
      const entries = [...index];
      const terms = termsOf(query);
      const scores = relevance(
        terms,
        entries.map(([, { words }]) => words),
      );
      // One word of many is chance.
      const enough = Math.floor(terms.length / 3) + 1;
      return entries
        .map(([url, page], at) => ({ url, page, score: coverage(terms, page.words) >= enough ? (scores[at] ?? 0) : 0 }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || (a.url < b.url ? -1 : 1))
        .slice(0, limit)
        .map(({ url, page }) => ({ url, title: page.title, snippet: passages(page.text, terms, SNIPPET) }));
    },

    async read(url, _workspaceId, signal) {
      signal.throwIfAborted();
      const page = index.get(url);
      return page === undefined ? null : { url, text: page.text };
    },
  };
};
