import { expect } from 'chai';
import type { Cell, RowWriter } from '../../../src/application/ports/connectors.ts';
import { eventually } from '../../support/until.ts';
import { is, type Made, never, refusal, rowsOf, type Suite, textOf } from './suite.ts';

/** Held to by those whose connections take writes. */
export const writerContract = ({ dialect, harness, open, connector, make, numbered, records }: Suite) => {
  let writer: RowWriter;
  before(() => {
    const own = connector().writer;
    if (own === undefined) throw new Error('A writer was expected.');
    writer = own;
  });

  const everything = () => {
    const { integer, text, exact, bigint, boolean, date, short } = dialect.types;
    return make({
      columns: { id: integer, name: text, amount: exact, big: bigint, flag: boolean, day: date, code: short },
      key: ['id'],
      rows: [['1', dialect.literal('one'), 'null', 'null', 'null', 'null', 'null']],
    });
  };
  const insert = (table: Made, values: Readonly<Record<string, Cell>>) => writer.insert(table.entity, values, never);
  const update = (table: Made, column: string, value: string | number, values: Readonly<Record<string, Cell>>) =>
    writer.update(table.entity, { column, value }, values, never);
  const unchanged = async (table: Made, work: () => Promise<unknown>): Promise<string> => {
    const before = await textOf(records(table));
    const { kind, message } = await refusal(work());
    expect(kind).to.equal('invalid');
    expect(await textOf(records(table))).to.equal(before);
    return message;
  };

  it('inserts one row with its values as the types of their columns', async () => {
    const table = await everything();
    const values = {
      id: 2,
      name: "it's ☃",
      amount: '12345678901234567890.0000000001',
      big: '9007199254740993',
      flag: true,
      day: '2026-11-20',
      code: 'abc',
    };
    expect(await insert(table, values)).to.equal(1);
    const text = await textOf(records(table, is('id', 'eq', 2)));
    expect(text)
      .to.include('12345678901234567890.0000000001')
      .and.include('9007199254740993')
      .and.include('2026-11-20')
      .and.include('true');
    expect(JSON.parse(text)[0]).to.include({ name: "it's ☃", code: 'abc' });
  });

  it('leaves what is not named at its default, and takes null as null', async () => {
    const table = await make({
      columns: {
        id: dialect.types.integer,
        a: `${dialect.types.integer} default 7`,
        b: `${dialect.types.integer} default 8`,
      },
    });
    await insert(table, { id: 1, b: null });
    expect(await rowsOf(records(table))).to.deep.equal([{ id: 1, a: 7, b: null }]);
  });

  it('updates the one row under the key', async () => {
    const table = await numbered(3);
    expect(await update(table, 'id', 2, { name: 'changed' })).to.equal(1);
    expect(await update(table, 'id', '3', { name: null })).to.equal(1);
    expect((await rowsOf(records(table))).map(({ name }) => name)).to.deep.equal(['row 1', 'changed', null]);
  });

  it('affects none where there is no such row', async () => {
    const table = await numbered(1);
    expect(await update(table, 'id', 9, { name: 'x' })).to.equal(0);
    expect((await rowsOf(records(table))).map(({ name }) => name)).to.deep.equal(['row 1']);
  });

  it('changes nothing where more than one row has the key', async () => {
    const { integer, text } = dialect.types;
    const rows = [1, 2].map((id) => [`${id}`, dialect.literal('same')]);
    const table = await make({ columns: { id: integer, name: text }, key: ['id'], rows });
    expect(await unchanged(table, () => update(table, 'name', 'same', { name: 'x' }))).to.match(/^More than one row /);
  });

  describe('refuses, changes nothing and tells why', () => {
    const refusals: readonly [string, Readonly<Record<string, Cell>>, RegExp][] = [
      ['an unknown column', { id: 2, nane: 'x' }, /"nane"/],
      ['a row that is there already', { id: 1 }, /./],
      ['a key that is missing', { name: 'x' }, /id/],
      ['a text that is no number', { id: 2, big: 'many' }, /big/],
      ['a fraction in a column of whole numbers', { id: 2, big: 1.5 }, /big/],
      ['a text that is too long', { id: 2, code: 'abcd' }, /code/],
      ['a day that is not in the calendar', { id: 2, day: '2026-02-30' }, /day/],
      ['a NUL character', { id: 2, name: 'a\0b' }, /"name".*NUL/],
      ['half of a surrogate pair', { id: 2, name: 'a\ud800' }, /"name".*surrogate/],
      ['no values at all', {}, /./],
    ];
    for (const [what, values, told] of refusals) {
      it(`when inserting: ${what}`, async () => {
        const table = await everything();
        expect(await unchanged(table, () => insert(table, values))).to.match(told);
      });
    }

    it('when updating: an unknown key, a conversion, nothing to change', async () => {
      const table = await everything();
      expect(await unchanged(table, () => update(table, 'idd', 1, { name: 'x' }))).to.match(/"idd"/);
      expect(await unchanged(table, () => update(table, 'id', 'one', { name: 'x' }))).to.match(/id.*one/);
      expect(await unchanged(table, () => update(table, 'id', 1, { big: 'many' }))).to.match(/big/);
      await unchanged(table, () => update(table, 'id', 1, {}));
    });

    it('a table that is not there', async () => {
      for (const entity of ['nowhere.t', 't', '', 'a\0b', 'x]; drop table y; --.z'])
        expect((await refusal(writer.insert(entity, { id: 1 }, never))).message).to.match(/^There is no table/);
    });

    it('a login that may not write', async () => {
      const table = await numbered(1);
      const reader = open().open(harness().reader).writer;
      expect(await unchanged(table, async () => reader?.insert(table.entity, { id: 2 }, never))).to.match(
        /permission/i,
      );
      expect(
        await unchanged(table, async () =>
          reader?.update(table.entity, { column: 'id', value: 1 }, { name: 'x' }, never),
        ),
      ).to.match(/permission/i);
    });
  });

  describe('rehearsed', () => {
    let rehearsal: RowWriter;
    before(() => {
      const own = connector().rehearsal;
      if (own === undefined) throw new Error('A rehearsal was expected.');
      rehearsal = own;
    });

    it('says how many rows would be affected, and leaves the table as it is', async () => {
      const table = await numbered(2);
      const before = await textOf(records(table));
      expect(await rehearsal.insert(table.entity, { id: 7, name: 'x' }, never)).to.equal(1);
      expect(await rehearsal.update(table.entity, { column: 'id', value: 1 }, { name: 'y' }, never)).to.equal(1);
      expect(await rehearsal.update(table.entity, { column: 'id', value: 9 }, { name: 'y' }, never)).to.equal(0);
      expect(await textOf(records(table))).to.equal(before);
    });

    it('refuses what the write itself is refused with, in the same words', async () => {
      const table = await everything();
      const refused: readonly Readonly<Record<string, Cell>>[] = [
        { id: 1 },
        { id: 2, nane: 'x' },
        { id: 2, code: 'abcd' },
        { id: 2, big: 'many' },
      ];
      for (const values of refused) {
        const told = await unchanged(table, () => rehearsal.insert(table.entity, values, never));
        expect(told.replaceAll(/\d{6,}/g, '')).to.equal(
          (await unchanged(table, () => insert(table, values))).replaceAll(/\d{6,}/g, ''),
        );
      }
    });
  });

  it('writes a row whole or not at all when it is aborted, and leaves nothing open', async () => {
    const table = await numbered(1);
    const release = await harness().block(table.quoted);
    const controller = new AbortController();
    const reason = new Error('gone');
    const writing = writer
      .insert(table.entity, { id: 2, name: 'x' }, controller.signal)
      .catch((error: unknown) => error);
    await eventually(async () => (await harness().busy()) >= 1);
    controller.abort(reason);
    expect(await writing).to.equal(reason);
    await eventually(async () => (await harness().busy()) === 0);
    await release();
    expect(await rowsOf(records(table))).to.have.length(1);
  });
};
