import { expect } from 'chai';
import { around, linesWithin } from '../../src/domain/word-lines.ts';

const word = (text: string, x: number, y: number) => ({ text, x, y, width: 0.1, height: 0.02, confidence: null });

/** In the order of a program that writes column by column. */
const words = [word('Soap', 0.1, 0.1), word('Brush', 0.1, 0.2), word('1.50', 0.5, 0.1), word('2.50', 0.5, 0.201)];
const page = { words, width: 595, height: 842 };
const textsOf = (lines: ReturnType<typeof linesWithin>) => lines.map((line) => line.map(({ text }) => text));
const within = (x: number, y: number, width = 0, height = 0) => textsOf(linesWithin(page, { x, y, width, height }));
const all = { x: 0, y: 0, width: 1, height: 1 };

describe('the words of a page', () => {
  it('are those within a box, line by line as they are seen', () => {
    expect(within(0, 0, 1, 1)).to.deep.equal([
      ['Soap', '1.50'],
      ['Brush', '2.50'],
    ]);
    expect(within(0.4, 0.05, 0.3, 0.1)).to.deep.equal([['1.50']]);
    expect(within(0.7, 0.05, 0.3, 0.1)).to.deep.equal([]);
  });

  it('are read as the page is held upright, whichever way it lies', () => {
    const rows = [
      ['Soap', '1.50'],
      ['Brush', '2.50'],
    ];
    const onHead = words.map(({ x, y, ...each }) => ({ ...each, x: 1 - x - each.width, y: 1 - y - each.height }));
    expect(textsOf(linesWithin({ ...page, words: onHead }, all))).to.deep.equal(rows);
    const onSide = words.map(({ x, y, width, height, ...each }) => {
      return { ...each, x: 1 - y - height, y: x, width: height, height: width };
    });
    expect(textsOf(linesWithin({ words: onSide, width: 842, height: 595 }, all))).to.deep.equal(rows);
  });

  it('are read from right to left where they are written so', () => {
    const hebrew = [word('סבון', 0.5, 0.1), word('1.50', 0.1, 0.1), word('מברשת', 0.5, 0.2), word('2.50', 0.1, 0.2)];
    expect(textsOf(linesWithin({ ...page, words: hebrew }, all))).to.deep.equal([
      ['סבון', '1.50'],
      ['מברשת', '2.50'],
    ]);
  });

  it('are the one at a point', () => {
    expect(within(0.11, 0.105)).to.deep.equal([['Soap']]);
    expect(within(0.3, 0.105)).to.deep.equal([]);
  });

  it('have one box around them, on the page', () => {
    expect(around([{ x: -0.1, y: 0.2, width: 0.3, height: 0.1 }, word('', 0.95, 0.1)])).to.deep.equal({
      x: 0,
      y: 0.1,
      width: 1,
      height: 0.2,
    });
  });
});
