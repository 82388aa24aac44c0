/** Puts pages of several PDF files into one, as a scanner does with a heap of paper. */
import { PDFDocument } from 'pdf-lib';

const A4 = [595.28, 841.89];

/** `pages` are [place of the file in `files`, number of its page from 1]; null is a blank sheet. */
export const bundlePdf = async (files, pages, made) => {
  const bundle = await PDFDocument.create({ updateMetadata: false });
  bundle.setTitle('Post of the day');
  bundle.setCreationDate(new Date(made));
  const sources = await Promise.all(files.map((bytes) => PDFDocument.load(bytes, { updateMetadata: false })));
  for (const page of pages) {
    if (page === null) {
      bundle.addPage(A4);
      continue;
    }
    const [copy] = await bundle.copyPages(sources[page[0]], [page[1] - 1]);
    bundle.addPage(copy);
  }
  return bundle.save();
};
