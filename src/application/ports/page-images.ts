import type { PageLayout } from '../../domain/page-words.ts';
import type { SourceFile } from './text.ts';

/** `width` and `height` in points (1/72 inch) as the page is shown; `source`: whether the file has its words, or OCR reads them. */
export interface PageSize extends Pick<PageLayout, 'width' | 'height' | 'source'> {
  /** From 1. */
  readonly page: number;
}

/** Shows the pages of PDF documents and of pictures as a person would see them. */
export interface PageImages {
  /** None if the format has no pages, or the file is damaged; null if that took too long or too much. Only an abort rejects. */
  sizes(file: SourceFile, signal?: AbortSignal): Promise<readonly PageSize[] | null>;
  /**
   * A PNG that is as wide as this; less if the page is a smaller picture, or far higher than wide.
   * Rejects with a DomainError: `not_found` if there is no such page, `page_unreadable` if it cannot be shown.
   */
  draw(file: SourceFile, page: number, width: number, signal?: AbortSignal): Promise<Uint8Array>;
}
