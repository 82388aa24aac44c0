import { expect } from 'chai';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { readOn } from '../../src/application/turns/read-on.ts';
import { OWN_WORK } from '../../src/domain/sharer.ts';
import { email } from '../fixtures/text/files.ts';

const PAGES = 40;

const pdfOf = async (textOf: (page: number) => string) => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (let page = 1; page <= PAGES; page += 1)
    pdf.addPage([595, 842]).drawText(textOf(page), { x: 60, y: 800, size: 8, lineHeight: 10, font });
  return pdf.save();
};

describe('a bundle of more pages than one reading has room for', () => {
  const text = textExtractor({ timeoutSeconds: 30, maxCharacters: 300 });
  after(() => text.close());
  const signal = () => AbortSignal.timeout(30_000);
  const read = async (fileName: string, contentType: string, data: Uint8Array) =>
    readOn(text, await text.extract({ fileName, contentType, data }), OWN_WORK, signal());

  it('is read to its end, each page once and with its words, where it is within a mail as well', async () => {
    const data = await pdfOf((page) => `Delivery note number ${page} of ${PAGES}`);
    const alone = await read('a.pdf', 'application/pdf', data);
    const mail = email('Please find them attached.', [{ name: 'a.pdf', type: 'application/pdf', data }]);
    for (const part of [alone[0], (await read('m.eml', 'message/rfc822', mail))[1]]) {
      expect(part?.pages.map(({ number, text: words }) => [number, words])).to.deep.equal(
        Array.from({ length: PAGES }, (_, index) => [index + 1, `Delivery note number ${index + 1} of ${PAGES}`]),
      );
      expect(part?.pages.filter(({ unread }) => unread !== undefined)).to.deep.equal([]);
      expect(part?.layouts.map(({ number, words }) => [number, words.length])).to.deep.equal(
        Array.from({ length: PAGES }, (_, index) => [index + 1, 6]),
      );
    }
  });

  it('says what was not read where the stretches are at their end, or a page is too long alone', async () => {
    const long = await pdfOf((page) => `Page ${page} `.padEnd(150, 'x'));
    const [bundle] = await read('b.pdf', 'application/pdf', long);
    const last = bundle?.pages.at(-1);
    expect(last?.unread?.pages).to.equal(PAGES - (last?.number ?? 0) + 1);
    expect(last?.number).to.be.within(15, 35);
    const [wide] = await read(
      'c.pdf',
      'application/pdf',
      await pdfOf((page) => `Page ${page} of it\n`.repeat(page === 2 ? 60 : 1)),
    );
    expect(wide?.pages.map(({ number }) => number)).to.deep.equal([1, 2]);
    expect(wide?.pages.at(-1)?.unread?.pages).to.equal(PAGES - 1);
  });
});
