import { expect } from 'chai';
import { never, type Suite, textOf } from './suite.ts';

export const valuesContract = ({ dialect, connector, make, records }: Suite) => {
  for (const { declared, literal, json } of dialect.values) {
    it(`${literal} as ${declared} is ${json}`, async () => {
      const table = await make({ columns: { v: declared }, rows: [[literal]] });
      expect(await textOf(records(table))).to.equal(`[{"v":${json}}]`);
      const { schema, name } = table;
      const query = { schema, name, orderBy: null, direction: 'asc' as const, after: null, limit: 1, offset: 0 };
      expect(await textOf(connector().rows(query, never))).to.equal(`[{"v":${json}}]`);
      const caps = { schemas: null, maxRows: 10, maxBytes: 1_000_000, timeoutSeconds: 30 };
      expect(await textOf(connector().query(`select v from ${table.quoted}`, caps, never))).to.equal(`[{"v":${json}}]`);
    });
  }

  it('a null of any type is null', async () => {
    const columns = Object.fromEntries(Object.entries(dialect.types));
    const table = await make({ columns, rows: [Object.keys(columns).map(() => 'null')] });
    expect(JSON.parse(await textOf(records(table)))).to.deep.equal([
      Object.fromEntries(Object.keys(columns).map((name) => [name, null])),
    ]);
  });

  it('a value of a megabyte is whole', async () => {
    const text = 'aß"\\\n☃'.repeat(150_000);
    const table = await make({ columns: { v: dialect.types.text }, rows: [[dialect.literal(text)]] });
    expect(JSON.parse(await textOf(records(table)))).to.deep.equal([{ v: text }]);
  });
};
