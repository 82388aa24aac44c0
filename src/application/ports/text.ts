import type { EInvoiceReading } from '../../domain/e-invoice/reading.ts';
import type { PageLayout } from '../../domain/page-words.ts';
import type { Sharer } from '../../domain/sharer.ts';

export interface TextPage {
  /** 1-based; null if the format has no pages. */
  readonly number: number | null;
  readonly text: string;
  /** What was not read of the file from here on, which the last line of the text says: how many pages, this one among them. */
  readonly unread?: { readonly pages: number; readonly characters: number };
}

/**
 * What a person should know of how a part was read, beside the pages and characters that `pages` count. `unread`: this was not read.
 * `hidden`: this is in the file but not shown, so it is no text of it. `encoding`: the text may say something else.
 */
export interface ReadingNote {
  readonly kind: 'unread' | 'hidden' | 'encoding';
  readonly page: number | null;
  /** What it is, such as "2 formulas without a stored result". */
  readonly what: string;
}

/** A file as a model can be shown it. An e-mail or a PDF document yields itself and then its attachments, each a part of its own. */
export interface FilePart {
  readonly fileName: string;
  /** Of what is attached: the files around it, as in `mail.eml › files.zip`. */
  readonly within?: string;
  readonly contentType: string;
  /** The bytes of this part, for models that take images or PDF. */
  readonly data: Uint8Array;
  /** Whether `data` is a PDF that a converter made of the file, and `contentType` says so. */
  readonly isConverted?: boolean;
  readonly pages: readonly TextPage[];
  /** How large its pages are, and where the words that were read stand on them, by page number; none if the format has no pages. */
  readonly layouts: readonly PageLayout[];
  /** Why there is no text, in plain words ("has no text layer", "is damaged: …", "is an image"), or null. */
  readonly unreadable: string | null;
  readonly notes?: readonly ReadingNote[];
  /** Of an e-invoice, beside its text. */
  readonly einvoice?: EInvoiceReading | null;
}

export interface SourceFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  /** Of a web page: only the article it holds, without menus, banners and footers. */
  readonly articleOnly?: boolean;
  /** Of a PDF: the page from which on it is read, without what is attached to it. */
  readonly firstPage?: number;
  /** For whom it is read: the readers are shared by user and workspace. Absent: for the server itself. */
  readonly sharer?: Sharer;
}

export interface TextExtractor {
  /**
   * The parts of a file, at least one. The format is found by content type, else by name, else by the bytes.
   * A file that cannot be read is a part with `unreadable`, never an exception; only an abort rejects.
   */
  extract(file: SourceFile, signal?: AbortSignal): Promise<readonly FilePart[]>;
}
