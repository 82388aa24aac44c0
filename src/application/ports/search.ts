import type { Sharer } from '../../domain/sharer.ts';

export interface SearchResult {
  readonly title: string;
  /** Absolute. */
  readonly url: string;
  /** The page's text about the query, as the provider picks it; empty if it gives none. */
  readonly snippet: string;
}

export interface SearchProvider {
  /**
   * At most `limit` pages, the best first, none twice; none if nothing fits. Rejects with a DomainError `unavailable`, which
   * names no key, if the provider cannot be asked or refuses, and with the signal's reason when it aborts.
   */
  search(query: string, terms: { readonly limit: number }, signal: AbortSignal): Promise<readonly SearchResult[]>;
}

export interface Page {
  /** The address that answered: another one than was asked if it redirects. */
  readonly url: string;
  readonly text: string;
}

/** The pages that a provider finds. */
export interface PageReader {
  /** null if there is nothing to read: the page is out of reach, too slow, too large or has no text. Only an abort rejects. */
  read(url: string, sharer: Sharer, signal: AbortSignal): Promise<Page | null>;
}
