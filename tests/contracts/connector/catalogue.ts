import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Made, never, refusal, type Suite } from './suite.ts';

export const catalogueContract = ({ dialect, harness, connector, open, make, numbered }: Suite) => {
  const identifiers = async () => (await connector().tables(never)).map(({ schema, name }) => `${schema}.${name}`);
  const viewOf = async (table: Made) => {
    const name = `v_${randomUUID().slice(0, 8)}`;
    await harness().execute(
      `create view ${dialect.quote(table.schema)}.${dialect.quote(name)} as select * from ${table.quoted}`,
    );
    return { schema: table.schema, name };
  };

  it('lists tables and views, each as what it is', async () => {
    const table = await numbered(0);
    const view = await viewOf(table);
    const tables = await connector().tables(never);
    expect(tables).to.deep.include({ schema: table.schema, name: table.name, type: 'table' });
    expect(tables).to.deep.include({ ...view, type: 'view' });
  });

  it('lists by identifier, in the order of code points', async () => {
    const names = ['Zebra', 'apple', 'Äpfel', 'ｚ', '🍎', 'a b'].filter(dialect.allows);
    for (const name of names) await make({ columns: { id: dialect.types.integer }, name });
    const listed = await identifiers();
    const sorted = listed.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(listed).to.deep.equal(sorted);
    expect(listed).to.include.members(names.map((name) => `${harness().schema}.${name}`));
  });

  it("hides the system's own schemas", async () => {
    const schemas = new Set((await connector().tables(never)).map(({ schema }) => schema.toLowerCase()));
    expect([...schemas].filter((schema) => /^(pg_.*|information_schema|sys|guest|db_.*)$/.test(schema))).to.deep.equal(
      [],
    );
  });

  it('knows a table that was made a moment ago, and none that was dropped', async () => {
    await identifiers();
    const table = await numbered(0);
    expect(await identifiers()).to.include(table.entity);
    await harness().execute(`drop table ${table.quoted}`);
    expect(await identifiers()).not.to.include(table.entity);
  });

  it('describes columns by position', async () => {
    const { text, exact, integer } = dialect.types;
    const { entity, name } = await make({
      columns: { b: integer, a: integer, amount: exact, note: `${text} default 'none'` },
      key: ['b', 'a'],
    });
    const table = (await connector().schema([harness().schema], never)).find((known) => known.name === name);
    const [first, second, amount, note] = table?.columns ?? [];
    expect(table, entity).to.include({ schema: harness().schema, type: 'table' });
    expect(first).to.include({ name: 'b', nullable: false, primaryKey: true, position: 1, default: null });
    expect(second).to.include({ name: 'a', nullable: false, primaryKey: true, position: 2 });
    expect(amount).to.include({
      name: 'amount',
      dataType: dialect.dataTypes.exact,
      nullable: true,
      primaryKey: false,
      position: 3,
    });
    expect(note).to.include({ name: 'note', dataType: dialect.dataTypes.text });
    expect(note?.default).to.match(/'none'/);
    expect(table?.columns).to.have.length(4);
  });

  it('describes views, which have no key', async () => {
    const view = await viewOf(await numbered(0));
    const described = (await connector().schema(null, never)).find(({ name }) => name === view.name);
    expect(described).to.include({ type: 'view' });
    expect(described?.columns.map(({ name, primaryKey }) => [name, primaryKey])).to.deep.equal([
      ['id', false],
      ['name', false],
    ]);
  });

  it('describes these schemas, or all', async () => {
    const here = await numbered(0);
    const there = await make({ columns: { id: dialect.types.integer }, schema: harness().otherSchema });
    const described = async (schemas: readonly string[] | null) =>
      (await connector().schema(schemas, never)).map(({ name }) => name);
    expect(await described([harness().schema]))
      .to.include(here.name)
      .and.not.include(there.name);
    expect(await described(null))
      .to.include(here.name)
      .and.include(there.name);
    expect(await described(['nowhere', `x'y"z]`])).to.deep.equal([]);
    expect(await described([])).to.deep.equal([]);
  });

  it('shows only what the login may read', async () => {
    const table = await numbered(1);
    const reader = open().open(harness().reader);
    expect((await reader.tables(never)).map(({ name }) => name)).to.include(table.name);
    const blind = open().open(harness().blind);
    expect((await blind.tables(never)).map(({ name }) => name)).not.to.include(table.name);
    expect(await blind.schema([harness().schema], never)).to.deep.equal([]);
    const error = await refusal(blind.records({ entity: table.entity, filter: null, limit: 1, offset: 0 }, never));
    expect(error.kind).to.equal('invalid');
    expect(error.message).to.match(/permission|no table/i);
  });
};
