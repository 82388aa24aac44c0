import type { PageBox } from '../quote-places.ts';

/** By what files are divided: what stands on the pages, every page, blank pages, or not at all. */
export const splitWays = ['content', 'page', 'blank_page', 'none'] as const;

export interface Split {
  readonly by: (typeof splitWays)[number];
  /** A page that has one of these and no other words is a separator sheet. */
  readonly separators: readonly string[];
}

export const usualSplit: Split = { by: 'content', separators: ['Trennblatt', 'Separator'] };

/** What a file may be divided into. */
export interface PartKind {
  readonly name: string;
  /** The agent that reads such parts, by name; null: nobody does. */
  readonly agent: string | null;
  readonly description: string;
}

/** Where it stands that a part is what it is. */
export interface PartEvidence {
  readonly page: number | null;
  readonly quote: string;
  readonly boxes: readonly PageBox[];
}

/** Pages of one file that belong together. */
export interface Pages {
  /** The way to the file, as in `mail.eml › file.pdf`. */
  readonly fileName: string;
  /** From 1, ascending; none if the file has no pages. */
  readonly pages: readonly number[];
}

export interface Part extends Pages {
  readonly name: string;
  readonly evidence: readonly PartEvidence[];
  /** From 0 to 1; null for a part that a person made. */
  readonly confidence: number | null;
}

/** A file that was divided. */
export interface SplitFile {
  readonly fileName: string;
  /** How many pages it has; 0 if its format has none. */
  readonly pages: number;
  /** Pages with nothing on them, separator sheets among them. */
  readonly blank: readonly number[];
}
