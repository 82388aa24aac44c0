import { expect } from 'chai';
import { PDFDocument, PDFName, StandardFonts } from 'pdf-lib';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { hybrid } from '../fixtures/e-invoice/hybrid.ts';
import { bytes } from '../fixtures/text/files.ts';

const XFA = `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/">
  <xfa:data><f><number>XF-1</number></f></xfa:data></xfa:datasets></xdp:xdp>`;

interface Form {
  /** Whether the form is to be drawn from its XFA, and not from its pages. */
  readonly isDrawnByXfa: boolean;
  readonly hasFields?: boolean;
  readonly attached?: Readonly<Record<string, string>>;
}

const xfaPdf = async ({ isDrawnByXfa, hasFields = false, attached = {} }: Form): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([595, 842]);
  page.drawText(hasFields || !isDrawnByXfa ? 'Number:' : 'Please wait...', { x: 50, y: 700, size: 10, font });
  const form = pdf.getForm();
  if (hasFields) {
    const field = form.createTextField('number');
    field.setText('XF-2');
    field.addToPage(page, { x: 150, y: 695, width: 200, height: 18, font, borderWidth: 0 });
  }
  form.updateFieldAppearances(font);
  form.acroForm.dict.set(PDFName.of('XFA'), pdf.context.register(pdf.context.stream(XFA)));
  if (isDrawnByXfa) pdf.catalog.set(PDFName.of('NeedsRendering'), pdf.context.obj(true));
  for (const [name, text] of Object.entries(attached)) await pdf.attach(bytes(text), name);
  return pdf.save({ updateFieldAppearances: false });
};

const partsOf = (data: Uint8Array) => readFile({ fileName: 'a.pdf', contentType: '', data }, 100_000);
const textsOf = async (data: Uint8Array) =>
  (await partsOf(data)).map(({ pages }) => pages.map(({ text }) => text).join('\n'));

const COVER = [
  'For the best experience, open this PDF portfolio in',
  'Acrobat X or Adobe Reader X, or later.',
  'Get Adobe Reader Now!',
];

describe('PDF files whose pages are not what they have to say', () => {
  it('are refused with advice where Adobe Reader alone draws the form', async () => {
    const [own, ...others] = await partsOf(await xfaPdf({ isDrawnByXfa: true }));
    expect(own?.unreadable).to.match(/XFA.*print it to PDF/);
    expect(own?.pages).to.deep.equal([]);
    expect(others).to.deep.equal([]);
  });

  it('are read as their pages show them where these show the form as well', async () => {
    expect(await textsOf(await xfaPdf({ isDrawnByXfa: false, hasFields: true }))).to.deep.equal(['Number: XF-2']);
    expect(await textsOf(await xfaPdf({ isDrawnByXfa: true, hasFields: true }))).to.deep.equal(['Number: XF-2']);
    expect(await textsOf(await xfaPdf({ isDrawnByXfa: false }))).to.deep.equal(['Number:']);
  });

  it('do not keep what is attached to such a form from being read', async () => {
    const [own, attached] = await partsOf(await xfaPdf({ isDrawnByXfa: true, attached: { 'a.csv': 'a,b\n1,2' } }));
    expect(own?.unreadable).to.contain('XFA');
    expect(own?.notes?.map(({ kind }) => kind)).to.deep.equal(['unread']);
    expect(attached?.pages[0]?.text).to.equal('a\tb\n1\t2');
  });

  it('are the files in a portfolio, without the page that says what to open it with', async () => {
    const data = await hybrid({ 'b.csv': 'item,amount\nBolts,3.10', 'a.txt': 'Number: A-1' }, COVER);
    const parts = await partsOf(data);
    expect(parts.map(({ fileName, within }) => [fileName, within])).to.deep.equal([
      ['a.pdf', undefined],
      ['a.txt', 'a.pdf'],
      ['b.csv', 'a.pdf'],
    ]);
    expect(parts.map(({ unreadable }) => unreadable)).to.deep.equal([null, null, null]);
    expect(parts.map(({ pages }) => pages.length)).to.deep.equal([0, 1, 1]);
    expect(parts[0]?.layouts.map(({ words }) => words)).to.deep.equal([[]]);
  });

  it('keep a page that says more, or that has nothing attached', async () => {
    const [own] = await textsOf(await hybrid({ 'b.csv': 'item,amount' }, ['Invoice A-1', 'See the attached list.']));
    expect(own).to.contain('Invoice A-1');
    expect(await textsOf(await hybrid({}, COVER))).to.deep.equal([COVER.join('\n')]);
  });

  it('cannot be read where nothing in a portfolio can', async () => {
    const [own, attached] = await partsOf(await hybrid({ 'a.doc': new Uint8Array(64) }, COVER));
    expect(attached?.unreadable).to.be.a('string');
    expect(own?.unreadable).to.equal('holds only files that cannot be read');
  });
});
