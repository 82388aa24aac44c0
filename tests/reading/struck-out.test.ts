import { utils, type WorkSheet, write } from '@e965/xlsx';
import { expect } from 'chai';
import { strFromU8, unzipSync, zipSync } from 'fflate';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes, sharedText } from '../fixtures/text/files.ts';
import { box, slideShow } from '../fixtures/text/slides.ts';
import { openText, paragraph, run, wordDocument } from '../fixtures/text/word.ts';

const READ = 'Total: ~~120.00~~ 99.00 EUR';

const word = (mark: string) => paragraph([run('Total: '), run('120.00', mark), run(' 99.00 EUR')].join(''));
const style = '<w:style w:type="character" w:styleId="Old"><w:rPr><w:strike/></w:rPr></w:style>';
const cellRun = (text: string, properties = '') => `<r><rPr>${properties}</rPr><t xml:space="preserve">${text}</t></r>`;

const files: Readonly<Record<string, Uint8Array>> = {
  'a.docx': wordDocument(word('<w:strike/>')),
  'twice.docx': wordDocument(word('<w:dstrike/>')),
  'style.docx': wordDocument(word('<w:rStyle w:val="Old"/>'), { styles: ['styles', style] }),
  'in-parts.docx': wordDocument(
    paragraph(
      [
        run('Total: '),
        run('120', '<w:strike/>'),
        run('.00', '<w:strike/>'),
        run(' 99.00', '<w:strike w:val="0"/>'),
        run(' EUR'),
      ].join(''),
    ),
  ),
  'a.odt': openText(
    '<text:p>Total: <text:span text:style-name="T1">120.00</text:span> 99.00 EUR</text:p>',
    '<style:style style:name="T1" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>',
  ),
  'a.rtf': bytes(String.raw`{\rtf1\ansi Total: {\strike 120.00} 99.00 EUR\par}`),
  'off.rtf': bytes(String.raw`{\rtf1\ansi Total: \striked1 120.00\striked0  99.00 EUR\par}`),
  'a.xlsx': sharedText(cellRun('Total: ') + cellRun('120.00', '<strike/>') + cellRun(' 99.00 EUR')),
  'a.pptx': slideShow([
    {
      shapes: box(
        'Total: </a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>120.00</a:t></a:r><a:r><a:rPr strike="noStrike"/><a:t> 99.00 EUR',
      ),
    },
  ]),
  's.html': bytes('<p>Total: <s> 120.00</s> 99.00 EUR</p>'),
  'del.html': bytes('<p>Total: <del>120.00</del> <ins>99.00</ins> EUR</p>'),
  'style.html': bytes('<p>Total: <span style="text-decoration: line-through red">120.00</span> 99.00 EUR</p>'),
  'sheet.html': bytes(
    '<style>.old { text-decoration-line: line-through }</style><p>Total: <span class="old"><b>120.00</b></span> 99.00 EUR</p>',
  ),
  'both.html': bytes(
    '<p>Total: <span style="text-decoration: line-through"><s><b style="text-decoration: line-through">120.00</b></s></span> 99.00 EUR</p>',
  ),
};

describe('text that is struck out', () => {
  for (const [fileName, data] of Object.entries(files))
    it(`is said to be: ${fileName}`, async () => {
      const [part] = await readFile({ fileName, contentType: '', data }, 10_000);
      expect(part?.pages.map(({ text }) => text.replace('# A\n', ''))).to.deep.equal([READ]);
    });

  it('is said to be in cells of .xlsx that are struck out as a whole', async () => {
    const sheet: WorkSheet = utils.aoa_to_sheet([['Total', 120, 99]]);
    const made = unzipSync(new Uint8Array(write({ SheetNames: ['A'], Sheets: { A: sheet } }, { type: 'array' })));
    const font = '<fonts count="2"><font><sz val="12"/></font><font><strike/><sz val="12"/></font></fonts>';
    const format = '<cellXfs count="2"><xf fontId="0"/><xf fontId="1"/></cellXfs>';
    const styles = strFromU8(made['xl/styles.xml'] as Uint8Array);
    const cells = strFromU8(made['xl/worksheets/sheet1.xml'] as Uint8Array);
    const data = zipSync({
      ...made,
      'xl/styles.xml': bytes(styles.replace(/<fonts.*<\/fonts>/s, font).replace(/<cellXfs.*<\/cellXfs>/s, format)),
      'xl/worksheets/sheet1.xml': bytes(cells.replace('<c r="B1"', '<c r="B1" s="1"')),
    });
    const [part] = await readFile({ fileName: 'a.xlsx', contentType: '', data }, 10_000);
    expect(part?.pages[0]?.text).to.equal('# A\nTotal\t~~120~~\t99');
  });

  it('is said to be in each of its paragraphs, and where nothing is struck out nothing is said', async () => {
    const data = bytes('<del><p>Cancelled</p><p>Order 7</p></del><p>Order 8 <s> </s></p>');
    const [part] = await readFile({ fileName: 'a.html', contentType: '', data }, 10_000);
    expect(part?.pages[0]?.text).to.equal('~~Cancelled~~\n\n~~Order 7~~\n\nOrder 8');
  });

  it('is said to be on a PDF page, where a line lies over whole words, and not where lines underline, divide or lie behind', async () => {
    const pdf = await PDFDocument.create();
    const page = pdf.addPage([400, 200]);
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    const size = 12;
    const put = (text: string, x: number, y: number) => page.drawText(text, { x, y, size, font });
    const line = (x: number, y: number, width: number) =>
      page.drawLine({ start: { x, y }, end: { x: x + width, y }, thickness: 0.8 });
    put('Total: 120.00 99.00 EUR', 50, 160);
    line(50 + font.widthOfTextAtSize('Total: ', size), 163.5, font.widthOfTextAtSize('120.00', size));
    put('Net: 70.00', 50, 130);
    line(50, 128.5, font.widthOfTextAtSize('Net: 70.00', size));
    line(40, 104, 300);
    put('Part 2', 150, 100);
    put('4 of 5', 50, 70);
    line(40, 74, 300);
    put('Old', 50, 40);
    page.drawRectangle({ x: 50, y: 43.5, width: font.widthOfTextAtSize('Old', size), height: 0.7 });
    const [part] = await readFile({ fileName: 'a.pdf', contentType: '', data: await pdf.save() }, 10_000);
    expect(part?.pages[0]?.text.split('\n')).to.deep.equal([
      'Total: ~~120.00~~ 99.00 EUR',
      'Net: 70.00',
      'Part 2',
      '4 of 5',
      '~~Old~~',
    ]);
  });
});
