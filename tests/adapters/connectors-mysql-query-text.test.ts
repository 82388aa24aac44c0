import { expect } from 'chai';
import { withoutComments } from '../../src/adapters/connectors/mysql/query-text.ts';
import { DomainError } from '../../src/domain/errors.ts';

describe('the text of a query for MySQL', () => {
  it('keeps its texts and names, has spaces for its comments, and nothing behind it', () => {
    const kept = [
      `select 'a''b', 'c\\'d', ''`,
      `select "a""b", "c\\"d", ""`,
      'select `a``b#c` from `d`',
      `select '#', "--", '/*'`,
    ];
    for (const text of kept) expect(withoutComments(`${text} ; \n;`)).to.equal(text);
    expect(withoutComments('select 1 # one\n, /* two */ 2 -- two\n')).to.equal('select 1      \n,           2');
  });

  for (const sign of [`'`, '"', '`'])
    it(`is refused at once where a ${sign} is not closed, however long it goes on`, () => {
      for (const rest of [
        'O Brien and sons, of the lower town',
        `a${sign}${sign}`.repeat(50_000),
        'a\\'.repeat(50_000),
      ])
        expect(() => withoutComments(`select ${sign}${rest} `)).to.throw(DomainError, 'is not closed');
    });

  it('may have much room between its words', () => {
    const text = `select 1${' '.repeat(80_000)}, ${';'.repeat(80_000)}2`;
    expect(withoutComments(`${text}${' '.repeat(80_000)}`)).to.equal(text);
  });
});
