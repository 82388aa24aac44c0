import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvLine } from '../../src/domain/csv.ts';

const FORMULA = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

const cellsOf = (line: string, delimiter: string): string[] =>
  (
    parse(line, {
      delimiter,
      relax_quotes: true,
      relax_column_count: true,
      quote: delimiter === ',' ? '"' : null,
    }) as string[][]
  ).flat();

describe('a line of CSV', () => {
  it('says what its cells say', () => {
    const cells = ['a', 'b, c', 'say "hi"', 'two\nlines', ' spaces ', '', 'x; y'];
    expect(cellsOf(csvLine(cells), ',')).to.deep.equal(cells);
  });

  it('has no formula, wherever a spreadsheet splits it', () => {
    const piece = fc.constantFrom('=', '+', '-', '@', ';', '\t', '\n', '\r\n', '"', ' ', ',', 'x', '\uff1d', '1');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (cells) => {
        // The first delimiter is the real one; by the others a spreadsheet takes quotes for text.
        for (const cell of cellsOf(csvLine(cells), ',')) expect(cell).to.not.match(FORMULA);
        for (const delimiter of [';', '\t'])
          for (const cell of cellsOf(csvLine(cells), delimiter)) expect(cell.replace(/^"+/, '')).to.not.match(FORMULA);
      }),
    );
  });

  it('is written in time whatever a cell repeats', () => {
    const cell = `x${';\t " '.repeat(200_000)}`;
    expect(csvLine([cell]).length).to.be.above(cell.length);
  });
});
