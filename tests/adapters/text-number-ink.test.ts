import { expect } from 'chai';
import { decimalSignOf, doubtOf, isNumber } from '../../src/adapters/text/ocr/number-ink.ts';
import { drawPage } from '../../src/adapters/text/ocr/pdf-raster.ts';
import { type Raster, scaled } from '../../src/adapters/text/ocr/raster.ts';
import { softened } from '../../src/adapters/text/ocr/softened.ts';
import { openPdf } from '../../src/adapters/text/pdfium.ts';
import { pdfOfRuns } from '../fixtures/text/files.ts';

/** The picture of a number as it stands on a scanned page, with a little of the paper around it. */
const pictureOf = async (printed: string): Promise<Raster> => {
  const pdf = await openPdf(await pdfOfRuns([[printed, 72, 720, 9.5]]));
  const { raster } = drawPage(pdf, 1);
  pdf.close();
  const [left, top, width, height] = [194, 312, 24 + printed.length * 15, 42];
  const gray = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1)
    gray.set(raster.gray.subarray((top + y) * raster.width + left).subarray(0, width), y * width);
  return softened({ width, height, gray });
};

describe('a number as it was read', () => {
  for (const printed of [
    '38,5',
    '2.5',
    "1'234.50",
    '1.234,50',
    '22.73',
    '$4.21',
    '-7,50',
    '1,411.5',
    '2026',
    '711',
    '19',
    '£1,190.00',
  ]) {
    it(`is not doubted if its ink shows the same: ${printed}`, async () => {
      expect(isNumber(printed)).to.equal(true);
      expect(doubtOf(printed, await pictureOf(printed), null)).to.equal(null);
    });
  }

  for (const [printed, read, made] of [
    ['41,5', '415', '41,5'],
    ['38,5', '385', '385'],
    ['2.5', '25', '2.5'],
    ['-7,5', '-75', '-7,5'],
    ["1'234.50", '1234.50', "1'234.50"],
    ['1,411.5', '14115', '1,411.5'],
    ['1.234,50', '1.23450', '1.234,50'],
    ['75,51', '75.51', '75.51'],
    ['12.73', '2.73', '2.73'],
    ['1.928,13', '.928,13', '.928,13'],
    ['5 043,48', '5.043,48', '5.043,48'],
  ] as const) {
    it(`is doubted where the ink shows more: ${read} for ${printed}`, async () => {
      const doubt = doubtOf(read, await pictureOf(printed), null);
      expect(doubt?.text).to.equal(made);
      expect(doubt?.accepts(printed)).to.equal(true);
      for (const other of [read, `${printed}5`, printed.replace(/[.,'](?=\d+$)/, ''), 'os', ''])
        expect(doubt?.accepts(other), other).to.equal(false);
    });
  }

  it('has the decimal sign of its page where its ink does not tell a point from a comma', async () => {
    const blurred = scaled(await pictureOf('95,16'), 0.45);
    expect(doubtOf('95.16', blurred, null)).to.equal(null);
    const doubt = doubtOf('95.16', blurred, ',');
    expect(doubt).to.include({ text: '95,16', isWeak: false });
    expect(['95,16', '95.16', '9516'].map((other) => doubt?.accepts(other))).to.deep.equal([true, false, false]);
  });

  it('keeps the sign that its ink shows, and that of thousands', async () => {
    for (const printed of ['94629.10', '1.234', '1.234,50', '75,51'])
      expect(doubtOf(printed, await pictureOf(printed), ',')).to.equal(null);
    expect(doubtOf('75.51', await pictureOf('75,51'), ',')?.text).to.equal('75,51');
    expect(doubtOf('75,51', await pictureOf('75,51'), '.')).to.equal(null);
  });

  it('has its page write decimals with what most of its numbers have, if they are enough', () => {
    const commas = ['1,50', '2,75', '1.234,00', '-9,99'];
    expect(decimalSignOf(commas)).to.equal(null);
    expect(decimalSignOf([...commas, '3.50', '1.234', 'EUR', '24.10.2026'])).to.equal(',');
    expect(decimalSignOf([...commas, '3.50', '4.50', '5.50'])).to.equal(null);
    expect(decimalSignOf(['1.50', '2.75', '1,234.00', '9.99', '0.10', '3,50'])).to.equal('.');
  });

  it('is only what has signs of one height and separators', () => {
    for (const text of ['19%', 'A4', '4,5kg', '12-14', '€', '..', '', '12.', '1/2'])
      expect(isNumber(text), text).to.equal(false);
  });
});
