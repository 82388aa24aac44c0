import { expect } from 'chai';
import { zipSync } from 'fflate';
import { soffice } from '../../src/adapters/text/converter/soffice.ts';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { nativeSandbox } from '../../src/adapters/text/native-sandbox.ts';
import { pageImages } from '../../src/adapters/text/pages/page-images.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import { bytes, pdfOfRuns } from '../fixtures/text/files.ts';
import { oldSlides, openPresentation, openSlide } from '../fixtures/text/slides.ts';
import { quiet } from '../support/log.ts';
import { sofficeStandIn } from '../support/soffice-stand-in.ts';

const rtf = (words: string) => bytes(`{\\rtf1\\ansi ${words}\\par}`);

const { PATH: searchPath = '' } = process.env;

/** What was logged. */
const logged: (readonly [fields: object, message: string])[] = [];
const log: Log = { ...quiet, warn: (fields, message) => void logged.push([fields, message]) };

const conversionBy = (program: string, timeoutSeconds: number) => ({
  converter: soffice({ program, searchPath, sandbox: nativeSandbox(program) ?? (() => []), timeoutSeconds }),
  log,
});

describe('documents with a converter', function () {
  this.timeout(300_000);

  let standIn: Awaited<ReturnType<typeof sofficeStandIn>>;
  let extractor: ReturnType<typeof textExtractor>;
  let hasty: ReturnType<typeof textExtractor>;
  before(async () => {
    standIn = await sofficeStandIn(await pdfOfRuns([['Total: 84.00', 50, 780]]));
    const within = (timeoutSeconds: number) =>
      textExtractor({
        timeoutSeconds: 150,
        conversion: conversionBy(standIn.program, timeoutSeconds),
      });
    extractor = within(100);
    hasty = within(1);
  });
  after(async () => {
    await Promise.all([extractor.close(), hasty.close()]);
    await standIn.close();
  });
  const read = (fileName: string, data: Uint8Array, by = extractor) => by.extract({ fileName, contentType: '', data });

  it('have pages, with the places of their words', async () => {
    const [part] = await read('letter.rtf', rtf('Total: 84.00'));
    expect(part).to.deep.include({
      fileName: 'letter.rtf',
      contentType: 'application/pdf',
      isConverted: true,
      pages: [{ number: 1, text: 'Total: 84.00' }],
      unreadable: null,
    });
    expect(part?.layouts[0]?.words.map(({ text }) => text)).to.deep.equal(['Total:', '84.00']);
    const images = pageImages();
    const data = part?.data ?? new Uint8Array(0);
    expect(await images.sizes({ fileName: 'letter.rtf', contentType: 'application/pdf', data })).to.have.length(1);
    await images.close();
  });

  it('are read that nothing else reads', async () => {
    const [part] = await read('offer.ppt', oldSlides('rtf1'));
    expect(part).to.deep.include({ fileName: 'offer.ppt', unreadable: null, isConverted: true });
  });

  it('are converted within mails and archives, and their pictures are on their pages', async () => {
    const parts = await read('files.zip', zipSync({ 'a.rtf': rtf('a'), 'b.txt': bytes('b') }));
    expect(parts.map(({ fileName, within, isConverted }) => [fileName, within, isConverted])).to.deep.equal([
      ['files.zip', undefined, undefined],
      ['a.rtf', 'files.zip', true],
      ['b.txt', 'files.zip', undefined],
    ]);
  });

  it('say what slides hide, and are drawn without it', async () => {
    const show = openPresentation(openSlide('Total: 84.00') + openSlide('old', 'hidden'), 'rtf1');
    const [part] = await read('a.odp', show);
    expect(part?.isConverted).to.equal(true);
    expect(part?.notes).to.deep.equal([{ kind: 'hidden', page: null, what: '3 characters of hidden text' }]);
  });

  it('stay text if they hide something, which the converter might show', async () => {
    const [part] = await read('a.rtf', rtf('Total: 84.00 {\\v 99.00}'));
    expect(part?.isConverted).to.equal(undefined);
    expect(part?.pages).to.deep.equal([{ number: null, text: 'Total: 84.00' }]);
    expect(part?.notes?.map(({ kind }) => kind)).to.deep.equal(['hidden']);
  });

  it('stay text if a field for the date of today would say the day of the conversion', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const dated = await sofficeStandIn(await pdfOfRuns([[`Date: ${today}`, 50, 780]]));
    const own = textExtractor({ timeoutSeconds: 150, conversion: conversionBy(dated.program, 100) });
    const isConverted = async (words: string) => (await read('a.rtf', rtf(words), own))[0]?.isConverted;
    const field = '{\\field{\\*\\fldinst DATE}{\\fldrslt 2024-03-01}}';
    expect(await isConverted(`Date: ${field}`)).to.equal(undefined);
    expect(await isConverted(`Date: ${today}`), 'which the file says itself').to.equal(true);
    expect((await read('offer.ppt', oldSlides('rtf1'), own))[0]?.isConverted, 'nothing else reads it').to.equal(true);
    await own.close();
    await dated.close();
  });

  for (const [what, word, reason] of [
    ['fails', 'CRASH', /^could not be converted to PDF: it is damaged/],
    ['takes too long', 'SLOW', /^took too long to convert to PDF; save it as PDF/],
    ['makes what is no PDF', 'PLAIN', /^could not be converted/],
  ] as const) {
    it(`stay text if the converter ${what}, and are refused if nothing else reads them`, async () => {
      const by = word === 'SLOW' ? hasty : extractor;
      const [text] = await read('a.rtf', rtf(`Total: ${word}`), by);
      expect(text?.pages).to.deep.equal([{ number: null, text: `Total: ${word}` }]);
      expect(text?.unreadable).to.equal(null);
      logged.length = 0;
      const [slides] = await read('a.ppt', oldSlides(word), by);
      expect(slides?.unreadable).to.match(reason);
      const [fields, message] = logged[0] ?? [{}];
      expect(fields).to.deep.include({ format: 'ppt', converter: `LibreOffice (${standIn.program})` });
      expect(fields).to.have.property('err').with.property('message', slides?.unreadable);
      expect([logged.length, message]).to.deep.equal([
        1,
        'a document was not converted to PDF: it stays as it was read without a converter',
      ]);
    });
  }

  it('have no converted PDF of other formats', async () => {
    for (const [name, data] of [
      ['a.txt', bytes('rtf1')],
      ['a.csv', bytes('rtf1,b')],
    ] as const)
      expect((await read(name, data))[0]?.isConverted, name).to.equal(undefined);
  });
});
