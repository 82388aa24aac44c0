import { expect } from 'chai';
import {
  begun,
  besideOf,
  changesOf,
  type Division,
  type Files,
  joined,
  keyOf,
  merged,
  moved,
  sheetOf,
  sheetsText,
  splitAt,
  taken,
  unassignedIn,
} from '../../src/adapters/console/browser/division/division.ts';

const files: Files = new Map([
  ['a.pdf', [1, 2, 3, 4, 5]],
  ['note.txt', []],
  ['b.pdf', [1, 2]],
]);
const part = (name: string, fileName: string, ...pages: readonly number[]) => ({ name, fileName, pages });
const before: Division = [part('invoice', 'a.pdf', 1, 3), part('invoice', 'a.pdf', 2, 4), part('order', 'b.pdf', 1)];
const at = (page: number, fileName = 'a.pdf') => ({ fileName, page });
const shown = (division: Division) => division.map(({ name, fileName, pages }) => `${name} ${fileName} ${pages}`);

describe('the division of files in the console', () => {
  it('keeps each page in one part or in none', () => {
    expect(unassignedIn(files, before).map(keyOf)).to.deep.equal(['5 a.pdf', '0 note.txt', '2 b.pdf']);
    expect(sheetOf(keyOf(at(3, 'a b.pdf')))).to.deep.equal(at(3, 'a b.pdf'));
    const next = moved(files, before, [at(5), at(1), at(2, 'b.pdf'), at(0, 'note.txt')], 1);
    expect(shown(next), 'what is of another file stays').to.deep.equal([
      'invoice a.pdf 1,2,4,5',
      'invoice a.pdf 3',
      'order b.pdf 1',
    ]);
    expect(shown(taken(files, before, [at(1), at(3)]))).to.deep.equal(['invoice a.pdf 2,4', 'order b.pdf 1']);
    expect(shown(begun(files, before, [at(0, 'note.txt'), at(4)], 'other'))).to.deep.equal([
      'invoice a.pdf 1,3',
      'invoice a.pdf 2',
      'other a.pdf 4',
      'other note.txt ',
      'order b.pdf 1',
    ]);
  });

  it('splits at a page and joins again', () => {
    expect(splitAt(files, before, at(1)), 'it begins there already').to.equal(before);
    const split = splitAt(files, before, at(4));
    expect(shown(split)).to.deep.equal(['invoice a.pdf 1,3', 'invoice a.pdf 2', 'invoice a.pdf 4', 'order b.pdf 1']);
    expect(shown(joined(files, split, 2))).to.deep.equal(shown(before));
    expect([besideOf(before, 1, 1), besideOf(before, 0, -1), besideOf(before, 1, -1)]).to.deep.equal([-1, -1, 0]);
  });

  it('says what is read again, and what is gone', () => {
    const next = moved(files, before, [at(5)], 1);
    const { gone, fresh } = changesOf(before, next);
    expect([shown(gone), shown(fresh)]).to.deep.equal([['invoice a.pdf 2,4'], ['invoice a.pdf 2,4,5']]);
  });

  it('puts the changes of one person over those of another, unless they are about the same', () => {
    const mine = moved(files, before, [at(5)], 1);
    const elsewhere = taken(files, before, [at(1, 'b.pdf')]);
    expect(shown(merged(files, before, mine, elsewhere) ?? [])).to.deep.equal([
      'invoice a.pdf 1,3',
      'invoice a.pdf 2,4,5',
    ]);
    expect(merged(files, before, mine, moved(files, before, [at(1)], 1)), 'the part is another').to.equal(null);
    expect(merged(files, before, mine, moved(files, before, [at(5)], 0)), 'the page is taken').to.equal(null);
    expect(shown(merged(files, before, mine, mine) ?? []), 'the same change').to.deep.equal(shown(mine));
  });

  it('names pages as people do', () =>
    expect(sheetsText([at(5), at(3), at(4), at(1), at(0, 'note.txt')])).to.equal('pages 1, 3–5 of a.pdf, note.txt'));
});
