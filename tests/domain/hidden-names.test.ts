import { expect } from 'chai';
import { withoutNames } from '../../src/domain/hidden-names.ts';

describe('a text without the names that its reader does not see', () => {
  it('has none of them, however they are quoted, and in names that are made of them', () => {
    const names = ['erp', 'dbo.bills', 'bills'];
    for (const [text, shown] of [
      ['The connection "erp" did not answer in time.', 'The connection "[hidden]" did not answer in time.'],
      ['There is no table dbo.bills.', 'There is no table [hidden].'],
      ['violates check constraint "bills_total_check"', 'violates check constraint "[hidden]_total_check"'],
      ["Cannot insert into 'DBO.Bills'", "Cannot insert into '[hidden]'"],
      ['The enterprise waybills stay', 'The enterprise waybills stay'],
    ] as const)
      expect(withoutNames(text, names)).to.equal(shown);
  });

  it('takes names as they are, not as expressions, and leaves a text without names alone', () => {
    expect(withoutNames('a.b (c) a+b', ['a+b', '(c)'])).to.equal('a.b [hidden] [hidden]');
    expect(withoutNames('A text.', ['', ''])).to.equal('A text.');
  });
});
