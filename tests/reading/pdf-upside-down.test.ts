import { expect } from 'chai';
import { degrees, PDFDocument, StandardFonts } from 'pdf-lib';
import { readPdf } from '../../src/adapters/text/formats/pdf.ts';

const MOST_CHARACTERS = 10_000;
const CELLS = ['Invoice RE-2026-0815', '1,234.50', '14,814.00-'];

/** A page that stands upside down where it is turned by so much; what is painted at once is a letter, as browsers paint them, or a cell. */
const upsideDown = async (turn: number, divide: (cell: string) => Iterable<string>): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([400, 400]);
  page.setRotation(degrees(turn));
  const angle = 180 + turn;
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const put = (text: string, along: number, below: number) =>
    page.drawText(text, {
      x: 200 + (along - 180) * cos + below * sin,
      y: 200 + (along - 180) * sin - below * cos,
      size: 11,
      font,
      rotate: degrees(angle),
    });
  for (const [row, cells] of [CELLS, ['Payable: 30 jours', '2', '(300.00)']].entries())
    for (const [column, cell] of cells.entries()) {
      let along = column * 140;
      for (const part of divide(cell)) {
        put(part, along, row * 20);
        along += font.widthOfTextAtSize(part, 11);
      }
    }
  return pdf.save();
};

describe('lines that stand upside down', () => {
  for (const turn of [0, 90, 180, 270])
    for (const [what, divide] of Object.entries({ letters: (cell: string) => cell, cells: (cell: string) => [cell] }))
      it(`are read as they are written, painted as ${what} on a page that is turned by ${turn}`, async () => {
        const { pages, layouts } = await readPdf(await upsideDown(turn, divide), MOST_CHARACTERS);
        const lines = [CELLS.join('  '), 'Payable: 30 jours  2  (300.00)'];
        expect(pages[0]?.text.split('\n')).to.deep.equal(lines);
        expect(layouts[0]?.words.map(({ text }) => text)).to.have.members(lines.join(' ').split(/\s+/));
      });
});
