import { expect } from 'chai';
import pg from 'pg';
import { Client } from '../../src/adapters/postgres/connection/client.ts';
import { usePostgres } from '../support/postgres.ts';

/** The driver's types leave `connection` out, which tells of each message. */
type Watched = Client & { readonly connection: NodeJS.EventEmitter };

describe('a statement that a connection of PostgreSQL has prepared', () => {
  const postgres = usePostgres();
  const open: pg.Client[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.end()));
    await postgres.database.pool.query('drop table if exists prepared_rows');
  });

  const connect = async <C extends pg.Client>(client: C): Promise<C> => {
    await client.connect();
    open.push(client);
    return client;
  };
  const ownClient = (options = {}) => connect(new Client({ connectionString: postgres.url, ...options }));

  const read = {
    name: 'prepared_read',
    text: `select n as number, null as nothing, n::text as text, array[n, n] as numbers, json_build_object('n', n) as json,
      '\\x00ff'::bytea as bytes, true as yes, '2026-11-27T21:13:53.123Z'::timestamptz as at from generate_series(1, $1::int) n`,
  };

  for (const pipeline of [false, true])
    it(`has the rows that the driver reads, and is described once, ${pipeline ? 'sent while others run' : 'one after the other'}`, async () => {
      const client = (await ownClient({ pipeline })) as Watched;
      const driver = await connect(new pg.Client({ connectionString: postgres.url }));
      let descriptions = 0;
      client.connection.on('rowDescription', () => {
        descriptions += 1;
      });
      for (const count of [2, 0, 3]) {
        const { rows } = await client.query({ ...read, values: [count] });
        expect(rows).to.have.length(count);
        expect(rows).to.deep.equal((await driver.query({ ...read, values: [count] })).rows);
      }
      expect(descriptions).to.equal(1);
    });

  it('takes values as the driver does', async () => {
    const client = await ownClient();
    const values = [
      null,
      undefined,
      'ä',
      1.5,
      true,
      [1, null],
      ['a"b'],
      { a: [1] },
      new Date(0),
      Buffer.from([0, 255]),
    ];
    const types = ['text', 'text', 'text', 'float8', 'bool', 'int[]', 'text[]', 'json', 'timestamptz', 'bytea'];
    const text = `select ${types.map((type, index) => `$${index + 1}::${type} as v${index}`).join(', ')}`;
    const { rows } = await client.query({ name: 'prepared_values', text, values });
    expect(Object.values(rows[0])).to.deep.equal(values.map((value) => value ?? null));
  });

  it('is refused, and not read by columns that it had, once the table has others', async () => {
    const client = await ownClient();
    await client.query('create table prepared_rows as select 1 as a, 2 as b');
    const all = { name: 'prepared_all', text: 'select * from prepared_rows' };
    expect((await client.query(all)).rows).to.deep.equal([{ a: 1, b: 2 }]);
    await client.query('alter table prepared_rows drop column a, add column c text default 3');
    expect(await client.query(all).catch(String)).to.match(/cached plan must not change result type/);
    expect((await client.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
  });

  it('is refused as well where a pooler has prepared it on another session since, on which it has more columns', async () => {
    const client = await ownClient();
    const all = { name: 'prepared_anew', text: 'select * from prepared_rows' };
    await client.query('create table prepared_rows as select 1 as a');
    expect((await client.query(all)).rows).to.deep.equal([{ a: 1 }]);
    // What the pooler does.
    await client.query('alter table prepared_rows add column b int default 2');
    await client.query('deallocate prepared_anew');
    await client.query('prepare prepared_anew as select * from prepared_rows');
    expect(await client.query(all).catch(String)).to.match(/columns of a prepared statement have changed/);
  });

  it('leaves the connection usable where the server refuses it, in the first place or later, and where its answer cannot be read', async () => {
    const types = new pg.TypeOverrides();
    types.setTypeParser(23, (text) => {
      if (text === '7') throw new Error('no seven');
      return Number(text);
    });
    const client = await ownClient({ types });
    const later = { name: 'prepared_later', text: 'select a from prepared_rows' };
    expect(await client.query(later).catch(String)).to.match(/prepared_rows.* does not exist/);
    await client.query('create table prepared_rows as select 1 as a');
    expect((await client.query(later)).rows).to.deep.equal([{ a: 1 }]);
    const quotient = { name: 'prepared_quotient', text: 'select 6 / $1::int as of_six' };
    for (const [value, outcome] of [
      [0, 'error: division by zero'],
      [2, [{ of_six: 3 }]],
      [0, 'error: division by zero'],
      [3, [{ of_six: 2 }]],
    ] as const)
      expect(await client.query({ ...quotient, values: [value] }).then(({ rows }) => rows, String)).to.deep.equal(
        outcome,
      );
    const itself = { name: 'prepared_itself', text: 'select $1::int as itself' };
    expect(await client.query({ ...itself, values: [7] }).catch(String)).to.equal('Error: no seven');
    expect((await client.query({ ...itself, values: [8] })).rows).to.deep.equal([{ itself: 8 }]);
  });

  it('that answers no columns writes as often as it is sent', async () => {
    const client = await ownClient();
    await client.query('create table prepared_rows (n int)');
    for (const n of [1, 2, 3])
      expect(
        (await client.query({ name: 'prepared_write', text: 'insert into prepared_rows values ($1)', values: [n] }))
          .rows,
      ).to.deep.equal([]);
    expect((await client.query('select n from prepared_rows order by n')).rows.map(({ n }) => n)).to.deep.equal([
      1, 2, 3,
    ]);
  });
});
