import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { readPdf } from '../../src/adapters/text/formats/pdf.ts';
import { laySheet, sheetful, writing } from '../fixtures/text/scenes.ts';

const PAGES = Number(process.env.INK_PAGES ?? 40);
const MOST_CHARACTERS = 10_000;

const counted = (count: number, what: string) => (count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`]);

describe('any page', function () {
  this.timeout(60_000 + PAGES * 1000);

  it('is read as a person sees it: each word that is to be seen, no other, and pictures of words are said', async () => {
    const seed = Number(process.env.INK_SEED ?? randomInt(2 ** 31));
    console.log(`      ${PAGES} pages, seed ${seed}`);
    const raster = await writing();
    const isReadAsSeen = fc.asyncProperty(sheetful, async (each) => {
      const { pdf, words, hidden, hasPicture, layeredNotes } = await laySheet(each, raster);
      const { pages, layouts, scans, notes } = await readPdf(pdf, MOST_CHARACTERS);
      const read = pages[0]?.text.split(/\s+/).filter((word) => word !== '') ?? [];
      expect(read.toSorted()).to.deep.equal(words.toSorted());
      expect(layouts[0]?.words.map(({ text }) => text).toSorted()).to.deep.equal(words.toSorted());
      expect(notes.map(({ what }) => what)).to.deep.equal([
        ...counted(hidden, 'hidden word'),
        ...(hasPicture && words.length > 0 ? ['writing that is no text of the file'] : []),
        ...counted(layeredNotes, 'note').map((count) => `${count} on a layer, which may be off`),
      ]);
      expect(scans).to.deep.equal(hasPicture || words.length === 0 ? [1] : []);
    });
    await fc.assert(isReadAsSeen, { seed, numRuns: PAGES });
  });
});
