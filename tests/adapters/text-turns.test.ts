import { expect } from 'chai';
import { type Pictures, readPage } from '../../src/adapters/text/ocr/pages.ts';
import { startTesseract } from '../../src/adapters/text/ocr/tesseract.ts';
import { invoicePdf } from '../fixtures/text/files.ts';
import { scanOf, turned } from '../fixtures/text/scans.ts';

describe('a stack of pages', () => {
  it('is looked at for its orientation only where a page lies otherwise than the one before', async () => {
    const engine = await startTesseract(['eng']);
    let looks = 0;
    const counted = {
      ...engine,
      compass() {
        looks += 1;
        return engine.compass();
      },
    };
    const upright = await scanOf(await invoicePdf());
    const stack = [turned(upright), turned(upright), upright];
    const pictures: Pictures = {
      pageCount: stack.length,
      page: async (number) => ({ raster: stack[number - 1] ?? upright, width: 595, height: 842 }),
      close: () => undefined,
    };
    const read = [];
    for (const number of [1, 2, 3]) read.push({ ...(await readPage(counted, pictures, number)), looks });
    expect(read.map((page) => page.looks)).to.deep.equal([1, 1, 2]);
    for (const { text } of read) expect(text).to.contain('Invoice number: NM-2026-0117');
  });
});
