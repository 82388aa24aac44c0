import { DomainError } from '../../domain/errors.ts';
import type { KeptPages } from '../files/kept-pages.ts';
import type { ModelContent } from '../ports/models.ts';
import type { PagePictures } from './division-questions.ts';

/** Enough to see what a page is, not to read it. */
const WIDTH = 400;
const MOST = 20;

/** Small pictures of pages, one after the other, from what is kept beside the file. */
export const pagePictures =
  (keptPages: Pick<KeptPages, 'attachments' | 'image'>): PagePictures =>
  async (sharer, attachment, { fileName, pages }, signal) => {
    const file = { ...attachment, sharer };
    const [, ...way] = fileName.split(' › ');
    const name = way.at(-1);
    const attached = name === undefined ? [file] : await keptPages.attachments(file, signal);
    const shown = name === undefined ? file : attached.find((each) => each.fileName === name);
    if (shown === undefined) return [];
    const pictures: ModelContent[] = [];
    for (const page of pages.slice(0, MOST)) {
      try {
        const data = await keptPages.image(shown, page, WIDTH, signal);
        pictures.push({ type: 'file', fileName: `page-${page}.png`, contentType: 'image/png', data });
      } catch (error) {
        // An outage of our own interrupts the run, which is tried again.
        if (!(error instanceof DomainError) || error.kind === 'busy') throw error;
      }
    }
    return pictures;
  };
