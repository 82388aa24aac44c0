import type { ReadingNote } from '../../../application/ports/text.ts';
import type { PageLayout } from '../../../domain/page-words.ts';

/** What OCR made of a page. `problem`: why it could not be read, or null; it ends the sentence "the page …". */
export interface OcrPage {
  readonly text: string;
  readonly layout: PageLayout;
  readonly problem: string | null;
  readonly notes?: readonly ReadingNote[];
}
