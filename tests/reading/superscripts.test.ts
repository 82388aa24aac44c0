import { expect } from 'chai';
import { degrees, PDFDocument, StandardFonts } from 'pdf-lib';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { fold, isWithin } from '../../src/domain/folded-text.ts';
import { bytes, sharedText } from '../fixtures/text/files.ts';
import { box, slideShow } from '../fixtures/text/slides.ts';
import { openText, paragraph, run, wordDocument } from '../fixtures/text/word.ts';

const READ = 'Total 1.250,00¹ or 12⁹⁹ for 10³ m², of the 2nd: 84';

const raised = '<w:vertAlign w:val="superscript"/>';
const word = (mark: string) =>
  paragraph(
    [
      run('Total 1.250,00'),
      run('1', mark),
      run(' or 12'),
      run('99', raised),
      run(' for 10'),
      run('3', raised),
      run(' m'),
      run('2', raised),
      run(', of the 2'),
      run('nd', raised),
      run(': '),
      run('84', raised),
    ].join(''),
  );
const styles = `<w:style w:type="character" w:styleId="Mark"><w:rPr>${raised}</w:rPr></w:style>`;

const html = `Total <b>1.250,00</b><a href="#a"><sup>1</sup></a> or 12<sup>99</sup> for 10<sup>3</sup> m<sup>2</sup>, of the 2<sup>nd</sup>: <sup>84</sup>`;
const spans = html.replace(/<\/?[ab]\b[^>]*>/g, '').replace(/<sup>/g, '<text:span text:style-name="T1">');

const cellRun = (text: string, properties = '') => `<r><rPr>${properties}</rPr><t xml:space="preserve">${text}</t></r>`;
const runs = html
  .replace(/<\/?[ab]\b[^>]*>/g, '')
  .split(/<\/?sup>/)
  .map((text, index) => cellRun(text, index % 2 === 1 ? '<vertAlign val="superscript"/>' : ''));

const files: Readonly<Record<string, Uint8Array>> = {
  'a.docx': wordDocument(word(raised)),
  'style.docx': wordDocument(word('<w:rStyle w:val="Mark"/>'), { styles: ['styles', styles] }),
  'a.odt': openText(
    `<text:p>${spans.replaceAll('</sup>', '</text:span>')}</text:p>`,
    '<style:style style:name="T1" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>',
  ),
  'a.rtf': bytes(
    String.raw`{\rtf1\ansi Total 1.250,00{\super 1} or 12\super 99\nosupersub  for 10{\super 3} m{\super 2}, of the 2{\super nd}: {\super 84}\par}`,
  ),
  'a.html': bytes(`<p>${html}</p>`),
  'a.xlsx': sharedText(runs.join('')),
  'a.pptx': slideShow([
    {
      shapes: box(
        html
          .replace(/<\/?[ab]\b[^>]*>/g, '')
          .replaceAll('<sup>', '</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>')
          .replaceAll('</sup>', '</a:t></a:r><a:r><a:rPr/><a:t>'),
      ),
    },
  ]),
};

describe('digits above their line', () => {
  for (const [fileName, data] of Object.entries(files))
    it(`are no digits of the number before them: ${fileName}`, async () => {
      const [part] = await readFile({ fileName, contentType: '', data }, 10_000);
      expect(part?.pages.map(({ text }) => text.replace('# A\n', ''))).to.deep.equal([READ]);
    });

  /** As browsers and programs for text set them: larger and smaller, higher and lower, on a page that may be turned. */
  for (const [size, rise, turn] of [
    [10, 5, 0],
    [7, 4, 0],
    [7, 4, 90],
  ] as const)
    it(`are no digits of the number before them: a.pdf, ${size} points, ${rise} above, turned by ${turn}`, async () => {
      const pdf = await PDFDocument.create();
      const font = await pdf.embedFont(StandardFonts.Helvetica);
      const page = pdf.addPage([500, 200]);
      page.setRotation(degrees(turn));
      let x = 40;
      for (const [index, text] of html
        .replace(/<\/?[ab]\b[^>]*>/g, '')
        .split(/<\/?sup>/)
        .entries()) {
        const isRaised = index % 2 === 1;
        const look = { size: isRaised ? size : 12, y: isRaised ? 100 + rise : 100 };
        page.drawText(text, { x, font, ...look });
        x += font.widthOfTextAtSize(text, look.size);
      }
      const [part] = await readFile({ fileName: 'a.pdf', contentType: '', data: await pdf.save() }, 10_000);
      expect(part?.pages[0]?.text).to.equal(READ);
    });

  it('keep the digits of cents that stand behind a comma', async () => {
    const data = bytes('<p>12,<sup>50</sup> or 12<sup>,50</sup>, of 2026.<sup>1</sup></p>');
    const [part] = await readFile({ fileName: 'a.html', contentType: '', data }, 10_000);
    expect(part?.pages[0]?.text).to.equal('12,50 or 12,50, of 2026.¹');
  });

  it('do not keep the number before them from being found', () => {
    expect(isWithin(fold('1.250,00'), fold(READ))).to.equal(true);
    expect(isWithin(fold('1.250,001'), fold(READ))).to.equal(true);
    expect(isWithin(fold('1.250,0'), fold(READ))).to.equal(false);
  });
});
