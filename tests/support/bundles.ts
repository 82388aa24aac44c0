import { randomUUID } from 'node:crypto';
import { degrees, PDFDocument } from 'pdf-lib';
import { papers } from '../fixtures/corpus/documents.ts';
import { type LaidPaper, layPaper } from '../fixtures/corpus/letter.ts';

export interface BundlePage {
  /** The place of the document among those of the bundle; null for a blank page. */
  readonly of: number | null;
  /** The page of the document, from 1. */
  readonly page: number;
  /** By how many degrees it is turned. */
  readonly turned?: number;
  /** Words that stand alone on a sheet of their own. */
  readonly words?: string;
}

const laid = new Map<string, Promise<LaidPaper>>();

/** A paper of the corpus, laid out once. */
export const paperAt = (index: number): Promise<LaidPaper> => {
  const paper = papers[index % papers.length];
  if (paper === undefined) throw new Error('the corpus is empty');
  const known = laid.get(paper.name) ?? layPaper(paper);
  laid.set(paper.name, known);
  return known;
};

/** One PDF of pages of these papers, in this order. */
export const bundleOf = async (documents: readonly Uint8Array[], pages: readonly BundlePage[]): Promise<Uint8Array> => {
  const bundle = await PDFDocument.create();
  bundle.setTitle(randomUUID());
  const sources = await Promise.all(documents.map((pdf) => PDFDocument.load(pdf)));
  for (const { of, page, turned = 0, words } of pages) {
    const source = of === null ? undefined : sources[of];
    if (source === undefined) {
      const sheet = bundle.addPage([595, 842]);
      if (words !== undefined) sheet.drawText(words, { x: 80, y: 700, size: 40 });
      continue;
    }
    const [copy] = await bundle.copyPages(source, [page - 1]);
    if (copy === undefined) throw new Error(`there is no page ${page}`);
    copy.setRotation(degrees((copy.getRotation().angle + turned) % 360));
    bundle.addPage(copy);
  }
  return bundle.save();
};

/** A small paper of so many pages, with its number and kind on each. */
export const simplePaper = async (
  kind: string,
  number: string,
  {
    pages = 1,
    supplier = 'Castle Lane Dairy Ltd',
    total = '120.00',
  }: { pages?: number; supplier?: string; total?: string } = {},
): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  for (let page = 1; page <= pages; page += 1) {
    const sheet = pdf.addPage([595, 842]);
    const lines = [
      supplier,
      page === 1 ? kind : `${kind}, continued`,
      `${kind} number: ${number}`,
      `Line ${page} of ${kind} ${number}`,
      ...(page === pages ? [`Total: ${total}`] : []),
      `Page ${page} of ${pages}`,
    ];
    for (const [index, line] of lines.entries()) sheet.drawText(line, { x: 60, y: 780 - index * 30, size: 12 });
  }
  return pdf.save();
};
