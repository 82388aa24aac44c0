import { expect } from 'chai';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { mappedPdf, remapped } from '../fixtures/text/mapped-fonts.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';

/** The sign so many places further on among its like. */
const shifted =
  (by: number) =>
  (sign: string): string => {
    const [first, count] = /\d/.test(sign) ? ['0', 10] : [/[a-z]/.test(sign) ? 'a' : 'A', 26];
    const at = sign.charCodeAt(0) - first.charCodeAt(0);
    return /[0-9A-Za-z]/.test(sign) ? String.fromCharCode(first.charCodeAt(0) + ((at + by) % count)) : sign;
  };
const itself = (sign: string) => sign;
const onlyDigits = (sign: string) => (/\d/.test(sign) ? shifted(1)(sign) : sign);

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789';
const UNREAD = 'writing that is no text of the file';

const withoutOcr = async (data: Uint8Array) => {
  const [part] = await readFile({ fileName: 'a.pdf', contentType: 'application/pdf', data }, 100_000);
  const text = part?.pages.map((page) => page.text).join('\n') ?? '';
  return { text, unread: (part?.notes ?? []).map(({ what }) => what), scans: part?.scans };
};

const hello = 'The goods are to be paid within thirty days';

describe('letters that a PDF draws otherwise than it says', () => {
  const extractor = textExtractor({ timeoutSeconds: 150, ocr: { languages: ['eng'] } });
  after(() => extractor.close());

  const read = async (data: Uint8Array) => {
    const [part] = await extractor.extract({ fileName: 'a.pdf', contentType: 'application/pdf', data });
    const text = part?.pages.map((page) => page.text).join('\n') ?? '';
    return { text, unread: (part?.notes ?? []).map(({ what }) => what) };
  };

  it('are read as they are drawn: other digits', async () => {
    const file = await mappedPdf([
      { text: hello, says: itself },
      { text: 'Invoice number 4711 of 2026, total 380.50', says: onlyDigits },
    ]);
    const { text, unread } = await read(file);
    expect(text).to.equal(`${hello}\nInvoice number 4711 of 2026, total 380.50`);
    expect(unread).to.deep.equal([]);
  });

  it('are said not to be read where there is no OCR', async () => {
    const file = await mappedPdf([
      { text: hello, says: itself },
      { text: '4711', says: onlyDigits },
    ]);
    expect(await withoutOcr(file)).to.deep.equal({ text: hello, unread: [UNREAD], scans: [1] });
  });

  it('are found in each of the common fonts, by the names of glyphs too, and where one digit alone is another', async () => {
    const contradicted = async (line: Parameters<typeof mappedPdf>[0][number]) => {
      const { unread } = await withoutOcr(await mappedPdf([{ text: hello, says: itself }, line]));
      return unread.length > 0;
    };
    for (const face of ['Helvetica', 'Helvetica-Bold', 'Times-Roman', 'Times-Bold', 'Times-Italic', 'Courier'])
      for (const size of [7, 10, 24])
        expect(await contradicted({ text: '4711', says: onlyDigits, face, size }), `${face} ${size}`).to.equal(true);
    const names = { 53: 'four', 56: 'seven', 50: 'one' };
    expect(await contradicted({ text: '5822', says: itself, glyphs: names }), 'names of glyphs').to.equal(true);
    const one = { text: 'Total of all items: 1,234.56', says: (sign: string) => (sign === '1' ? '7' : sign) };
    expect(await contradicted(one), 'one digit').to.equal(true);
    expect(await contradicted({ text: hello, says: shifted(1) }), 'all letters').to.equal(true);
    const raised = (sign: string) => String.fromCharCode(sign.charCodeAt(0) - 29);
    expect(await contradicted({ text: 'Thetotalisduenow', says: raised }), 'numbers of glyphs for letters').to.equal(
      true,
    );
  });

  it('are found where they lie on their side, and only there', async () => {
    for (const turn of [90, 180, 270]) {
      const numbers = { text: 'Total 4711.25', says: onlyDigits };
      expect((await withoutOcr(await mappedPdf([numbers], turn))).unread, `other digits at ${turn}`).to.deep.equal([
        UNREAD,
      ]);
      const honest = ['Helvetica', 'Times-Roman'].map((face) => ({ text: ALPHABET, says: itself, face }));
      expect((await withoutOcr(await mappedPdf(honest, turn))).unread, `at ${turn}`).to.deep.equal([]);
    }
  });

  it('are not suspected in fonts that say what they draw', async () => {
    const faces = ['Helvetica', 'Times-Roman', 'Courier'].flatMap((family) =>
      family === 'Times-Roman' ? [family, 'Times-Bold', 'Times-BoldItalic'] : [family, `${family}-BoldOblique`],
    );
    const lines = faces.flatMap((face) => [6, 11].map((size) => ({ text: ALPHABET, says: itself, face, size })));
    const capitals = { text: 'SMALL CAPITALS', says: (sign: string) => sign.toLowerCase() };
    const zero = { text: 'O0O', says: () => '0' };
    const { unread } = await withoutOcr(await mappedPdf([...lines, capitals, zero]));
    expect(unread).to.deep.equal([]);
  });

  it('are not suspected in print that is too small to tell', async () => {
    for (const [size, part] of [
      [3.5, 0.1],
      [4.6, 0.1],
      [4.6, 0.6],
      [4.7, 0.4],
      [5, 0.2],
    ] as const) {
      const pdf = await PDFDocument.create();
      const font = await pdf.embedFont(StandardFonts.Courier);
      pdf.addPage([595, 842]).drawText('0123456789', { x: 60 + part, y: 700 + part, size, font });
      expect((await withoutOcr(await pdf.save())).unread, `${size} at ${part}`).to.deep.equal([]);
    }
  });

  it('are told from honest ones in what a browser prints', async function () {
    if (!hasChromium) this.skip();
    const browser = await launchChromium();
    let file: Uint8Array;
    try {
      const page = await browser.newPage();
      await page.setContent(`<p style="font: 11pt serif">${hello}</p><p style="font: 11pt sans-serif">Total 4711.25</p>
        <p style="font: 9pt monospace">${ALPHABET}</p><p style="font: italic bold 14pt serif">${ALPHABET}</p>`);
      file = new Uint8Array(await page.pdf());
    } finally {
      await browser.close();
    }
    expect((await withoutOcr(file)).unread, 'as it is').to.deep.equal([]);
    // The digits of an embedded font, each one further.
    const changed = await remapped(file, (map) =>
      map.replace(/<003(\d)>$/gm, (_, digit: string) => `<003${(Number(digit) + 1) % 10}>`),
    );
    const { text, unread } = await withoutOcr(changed);
    expect(text).to.contain(hello).and.not.to.contain('5822');
    expect(unread, 'with other digits').to.deep.equal([UNREAD]);
  });
});
