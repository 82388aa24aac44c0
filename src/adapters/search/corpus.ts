import { open, opendir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../application/ports/runtime.ts';
import type { PageReader, SearchProvider } from '../../application/ports/search.ts';
import type { TextExtractor } from '../../application/ports/text.ts';
import { coverage, passages, relevance, termsOf } from '../../application/search/relevance.ts';
import { abortable, concurrently } from '../../application/shared/async.ts';
import { DomainError } from '../../domain/errors.ts';
import { type CorpusPage, corpusPage } from './corpus-page.ts';

/** Limits a folder that the setting names by mistake. */
const defaultLimits = { maxPages: 2_000, maxEntries: 50_000, maxFileBytes: 2_000_000 };

type CorpusLimits = typeof defaultLimits;

interface CorpusFile {
  /** The path below the folder, with forward slashes. */
  readonly name: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
}

const isPage = (name: string) => /\.(?:html?|md|markdown|txt)$/i.test(name);
const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.') || part === 'node_modules');

/** The pages of a folder and its subfolders, sorted by name. It does not follow symbolic links, which could lead out of the folder. */
const listPages = async (
  folder: string,
  { maxPages, maxEntries, maxFileBytes }: CorpusLimits,
): Promise<readonly CorpusFile[]> => {
  const names: string[] = [];
  let entries = 0;
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (++entries > maxEntries) break;
    const name = path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/');
    if (entry.isFile() && isPage(name) && !isHidden(name)) names.push(name);
  }
  const files: CorpusFile[] = [];
  for (const name of names.sort().slice(0, maxPages)) {
    const stats = await stat(path.join(folder, name)).catch(() => null);
    if (stats?.isFile() && stats.size <= maxFileBytes)
      files.push({ name, stamp: `${stats.ino} ${stats.size} ${stats.mtimeMs}` });
  }
  return files;
};

/** null if the file was removed meanwhile, or has grown too large. */
const readPageFile = async (
  folder: string,
  name: string,
  { maxFileBytes }: CorpusLimits,
): Promise<Uint8Array | null> => {
  const file = await open(path.join(folder, name)).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    return size <= maxFileBytes ? await file.readFile() : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
};

interface Settings {
  readonly folder: string;
  readonly text: TextExtractor;
  readonly log: Log;
  /** How long the list of files stays valid. */
  readonly recheckSeconds?: number;
  readonly limits?: Partial<CorpusLimits>;
}

/** In the texts of all pages together. */
const MAX_CHARACTERS = 50_000_000;
const SNIPPET = 300;

type Pages = ReadonlyMap<string, CorpusPage>;

/** By address. If two files have the same one, it belongs to the first by name. */
const addressed = (pages: readonly CorpusPage[]): Pages => {
  const index = new Map<string, CorpusPage>();
  for (const page of pages) {
    const address = `corpus:///${page.name.split('/').map(encodeURIComponent).join('/')}`;
    const { publishedAt } = page;
    index.set(publishedAt !== null && !index.has(publishedAt) ? publishedAt : address, page);
  }
  return index;
};

/** A folder of pages that serves as the web without a network. Pages stay in memory, and files are read again when they change. */
export const corpus = ({
  folder,
  text,
  log,
  recheckSeconds = 1,
  limits = {},
}: Settings): SearchProvider & PageReader => {
  const bounds = { ...defaultLimits, ...limits };
  const pagesByFile = new Map<string, { readonly stamp: string; readonly page: CorpusPage | null }>();
  let index: Pages = new Map();
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | null = null;

  const readFile = async (name: string): Promise<CorpusPage | null> => {
    const data = await readPageFile(folder, name, bounds);
    const page = data && (await corpusPage(name, data, text));
    if (data !== null && page === null) log.warn({ name }, 'a page of the search corpus cannot be read');
    return page;
  };

  const refresh = async () => {
    const files = await listPages(folder, bounds).catch((error: unknown) => {
      throw new DomainError('unavailable', 'The folder of pages that is searched cannot be read.', { cause: error });
    });
    const changed = files.filter(({ name, stamp }) => pagesByFile.get(name)?.stamp !== stamp);
    await concurrently(
      changed,
      2,
      async ({ name, stamp }) => void pagesByFile.set(name, { stamp, page: await readFile(name) }),
    );
    const present = new Set(files.map(({ name }) => name));
    const gone = [...pagesByFile.keys()].filter((name) => !present.has(name));
    for (const name of gone) pagesByFile.delete(name);
    if (changed.length + gone.length > 0)
      index = addressed(withinLimit(files.flatMap(({ name }) => pagesByFile.get(name)?.page ?? [])));
    refreshedAt = performance.now();
  };

  const withinLimit = (pages: readonly CorpusPage[]): readonly CorpusPage[] => {
    let left = MAX_CHARACTERS;
    const kept = pages.filter((page) => {
      left -= page.text.length;
      return left >= 0;
    });
    if (kept.length < pages.length)
      log.warn({ kept: kept.length, found: pages.length }, 'the search corpus is too large: not all is searched');
    return kept;
  };

  /** One refresh serves every search that waits for it; the next search after a failed one tries again. */
  const refreshed = (): Promise<void> => {
    if (refreshing === null && performance.now() - refreshedAt >= recheckSeconds * 1000) {
      refreshing = refresh().finally(() => {
        refreshing = null;
      });
    }
    return refreshing ?? Promise.resolve();
  };

  return {
    async search(query, { limit }, signal) {
      await abortable(refreshed(), signal);
      const entries = [...index];
      const terms = termsOf(query);
      const scores = relevance(
        terms,
        entries.map(([, { words }]) => words),
      );
      // A page with a single word of a long query matches by chance.
      const enough = Math.floor(terms.length / 3) + 1;
      return entries
        .map(([url, page], at) => ({ url, page, score: coverage(terms, page.words) >= enough ? (scores[at] ?? 0) : 0 }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || (a.url < b.url ? -1 : 1))
        .slice(0, limit)
        .map(({ url, page }) => ({ url, title: page.title, snippet: passages(page.text, terms, SNIPPET) }));
    },

    async read(url, _sharer, signal) {
      signal.throwIfAborted();
      const page = index.get(url);
      return page === undefined ? null : { url, text: page.text };
    },
  };
};
