import { expect } from 'chai';
import { objectsIn, withoutNames } from '../../src/domain/hidden-names.ts';

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

  it('has none of the tables, schemas and databases that a database names', () => {
    for (const [text, shown] of [
      [
        'Key (supplier)=(9) is not present in table "suppliers".',
        'Key (supplier)=(9) is not present in table "[hidden]".',
      ],
      [
        'violates foreign key constraint "a_suppliers_fk" on table "suppliers"',
        'violates foreign key constraint "a_[hidden]_fk" on table "[hidden]"',
      ],
      ['permission denied for sequence bills_id_seq.', 'permission denied for sequence [hidden].'],
      ['relation "public.bills" does not exist', 'relation "[hidden].[hidden]" does not exist'],
      [
        'constraint fails (`erp`.`bills`, FOREIGN KEY (`a`) REFERENCES `suppliers` (`id`))',
        'constraint fails (`[hidden]`.`[hidden]`, FOREIGN KEY (`a`) REFERENCES `[hidden]` (`id`))',
      ],
      [
        'The conflict occurred in database "erp", table "dbo.bills", column \'id\'.',
        'The conflict occurred in database "[hidden]", table "[hidden].[hidden]", column \'id\'.',
      ],
      [
        "denied on the object 'bills', database 'erp', schema 'dbo'.",
        "denied on the object '[hidden]', database '[hidden]', schema '[hidden]'.",
      ],
      ['The table is full.', 'The table is full.'],
    ] as const)
      expect(withoutNames(text, objectsIn(text))).to.equal(shown);
  });
});
