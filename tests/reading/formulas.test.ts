import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes } from '../fixtures/text/files.ts';
import { paragraph, run, wordDocument } from '../fixtures/text/word.ts';

const text = (written: string) => `<m:r><m:t>${written}</m:t></m:r>`;
const part = (name: string, ...parts: readonly string[]) => `<m:${name}>${parts.join('')}</m:${name}>`;
const fraction = (above: string, below: string) => part('f', part('num', above), part('den', below));
const power = (base: string, exponent: string) => part('sSup', part('e', base), part('sup', exponent));

const word: readonly (readonly [formula: string, line: string])[] = [
  [fraction(text('1'), text('2')), 'Pay 1/2 each'],
  [text('1') + fraction(text('1'), text('2')), 'Pay 1 1/2 each'],
  [fraction(text('100+20'), text('3')), 'Pay (100+20)/3 each'],
  [power(text('10'), text('3')), 'Pay 10^3 each'],
  [power(text('1,05'), text('n-1')), 'Pay 1,05^(n-1) each'],
  [part('sSub', part('e', text('K')), part('sub', text('12'))), 'Pay K_12 each'],
  [part('d', part('e', text('3+4'))) + text('5'), 'Pay (3+4)5 each'],
  [
    part('d', '<m:dPr><m:begChr m:val="|"/><m:endChr m:val="|"/></m:dPr>', part('e', text('7'))) + text('5'),
    'Pay |7|5 each',
  ],
  [part('rad', '<m:deg/>', part('e', text('16'))), 'Pay √16 each'],
  [
    part('m', part('mr', part('e', text('1')), part('e', text('2'))), part('mr', part('e', text('3')))),
    'Pay 1 2; 3; each',
  ],
  [
    part('nary', '<m:naryPr><m:chr m:val="∑"/></m:naryPr>', part('sub', text('1')), '<m:sup/>', part('e', text('20'))),
    'Pay ∑_1 20 each',
  ],
];
const html: readonly (readonly [formula: string, line: string])[] = [
  ['<mn>1</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>', 'Pay 1 1/2 each'],
  ['<mfrac><mrow><mn>100</mn><mo>+</mo><mn>20</mn></mrow><mn>3</mn></mfrac>', 'Pay (100+20)/3 each'],
  ['<msup><mn>10</mn><mn>3</mn></msup>', 'Pay 10^3 each'],
  ['<msub><mi>K</mi><mn>12</mn></msub>', 'Pay K_12 each'],
];

const read = async (fileName: string, data: Uint8Array) => {
  const [only] = await readFile({ fileName, contentType: '', data }, 10_000);
  return only?.pages[0]?.text.replace(/ +/g, ' ');
};

describe('formulas', () => {
  for (const [formula, line] of word)
    it(`of Word are read on one line: ${line}`, async () => {
      const body = paragraph(run('Pay ') + part('oMath', formula) + run(' each'));
      expect(await read('a.docx', wordDocument(body))).to.equal(line);
    });

  for (const [formula, line] of html)
    it(`of web pages are read on one line: ${line}`, async () => {
      expect(await read('a.html', bytes(`<p>Pay <math>${formula}</math> each</p>`))).to.equal(line);
    });
});
