import { expect } from 'chai';
import { even } from '../../src/adapters/text/ocr/even.ts';
import type { Raster } from '../../src/adapters/text/ocr/raster.ts';

const [WIDTH, HEIGHT] = [700, 900];
const [PAPER, INK] = [230, 40];

type Draw = (x: number, y: number) => boolean;

/** A page with ink where any of these says so. */
const page = (...drawn: readonly Draw[]): Raster => {
  const gray = new Uint8Array(WIDTH * HEIGHT).fill(PAPER);
  for (let at = 0; at < gray.length; at += 1)
    if (drawn.some((draw) => draw(at % WIDTH, Math.floor(at / WIDTH)))) gray[at] = INK;
  return { width: WIDTH, height: HEIGHT, gray };
};

/** A table of 100 by 50 pixels a cell, that leans by so much a pixel. */
const grid =
  (lean: number): Draw =>
  (x, y) => {
    const [across, down] = [x + lean * y, y - lean * x];
    const isInside = across >= 50 && across <= 552 && down >= 100 && down <= 702;
    return isInside && (Math.floor(across) % 100 < 2 || Math.floor(down) % 50 < 2);
  };

/** As tall and thick as letters are, so many pixels apart. */
const strokes: Draw = (x, y) =>
  x > 60 && x < 540 && x % 25 >= 10 && x % 25 < 15 && y % 50 > 12 && y % 50 < 36 && y > 100 && y < 700;
const block: Draw = (x, y) => x > 580 && x < 680 && y > 100 && y < 500;

const inkOf = ({ gray }: Raster, where: Draw): number =>
  gray.reduce((sum, shade, at) => sum + (shade < 150 && where(at % WIDTH, Math.floor(at / WIDTH)) ? 1 : 0), 0);

describe('the ruled lines of a page', () => {
  for (const lean of [0, 0.03, -0.05]) {
    it(`go where they lean by ${100 * lean} %, and leave what they enclose`, () => {
      const lines = grid(lean);
      const before = page(lines, strokes);
      const after = even(before);
      const isLine: Draw = (x, y) => lines(x, y) && !strokes(x, y);
      const isPrint: Draw = (x, y) => strokes(x, y) && !lines(x, y);
      expect(inkOf(after, isLine)).to.be.below(0.08 * inkOf(before, isLine));
      // But for the strokes that lines which lean run along.
      expect(inkOf(after, isPrint)).to.be.above(0.9 * inkOf(before, isPrint));
    });
  }

  it('are not what is thick, or shorter than any line', () => {
    const before = page(block, strokes);
    const after = even(before);
    expect(inkOf(after, strokes)).to.equal(inkOf(before, strokes));
  });

  it('take the shade of the paper that they stood on, however black they are', () => {
    const printed = page(grid(0));
    for (const ink of [0, 1, INK]) {
      const { gray } = even({ ...printed, gray: printed.gray.map((shade) => (shade === INK ? ink : shade)) });
      expect(gray[310 * WIDTH + 300], `of ink ${ink}`).to.be.within(PAPER - 6, PAPER + 6);
    }
  });
});
