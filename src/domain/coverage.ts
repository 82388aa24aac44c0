import type { ReadingDoubt } from './review.ts';

/** Something of its files that is known not to have been read. */
export interface UnreadContent {
  /** With the files around it, as in `mail.eml › a.pdf`; null of what stands for several. */
  readonly fileName: string | null;
  readonly page: number | null;
  readonly what: string;
}

/** How much of its files a document was extracted from; pages are those of formats that have pages. */
export interface Coverage {
  readonly pagesRead: number;
  readonly pagesTotal: number;
  readonly charactersRead: number;
  readonly charactersTotal: number;
  /** Whether nothing was left out: then `unread` is empty. */
  readonly complete: boolean;
  readonly unread: readonly UnreadContent[];
  /** What makes it doubtful that a person who looks at the files reads the same: only reviews show it. */
  readonly doubts: readonly ReadingDoubt[];
}
