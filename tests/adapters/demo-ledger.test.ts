import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { admitLogin, createLedger, ledger } from '../../src/adapters/demo/ledger.ts';
import { embeddedPostgres } from '../support/backends.ts';
import { emptyDatabase } from '../support/postgres.ts';

describe('the ledger of the demo', () => {
  const clients: pg.Client[] = [];
  let drop = async () => {};
  let address = '';

  before(async function () {
    const server = await embeddedPostgres.url();
    if (server === null) return this.skip();
    const database = await emptyDatabase(server);
    drop = database.drop;
    address = database.url;
    for (let count = 0; count < 3; count++) clients.push(new pg.Client({ connectionString: database.url }));
    await Promise.all(clients.map((client) => client.connect()));
  });
  after(async () => {
    await clients[0]?.query('drop owned by keeper; drop role keeper');
    await Promise.all(clients.map((client) => client.end()));
    await drop();
  });

  const first = () => {
    const [client] = clients;
    if (!client) throw new Error('The clients are there in tests only.');
    return client;
  };

  const enter = (over: Record<string, unknown> = {}) => {
    const row = {
      document_id: randomUUID(),
      supplier: 'A',
      invoice_number: 'A-1',
      invoice_date: '2026-11-01',
      currency: 'EUR',
      net: 100,
      tax: 19,
      total: 119,
      lines: '[]',
      ...over,
    };
    const names = Object.keys(row);
    const places = names.map((_, index) => `$${index + 1}`);
    return first().query(
      `insert into demo.invoices (${names.join(', ')}) values (${places.join(', ')})`,
      Object.values(row),
    );
  };

  const refusal = async (over: Record<string, unknown>) =>
    enter(over).then(
      () => 'entered',
      (error: Error) => error.message,
    );

  it('is made once however often and by however many it is made', async () => {
    await Promise.all(clients.map(createLedger));
    await createLedger(first());
    expect((await ledger(first()).rows()).map(({ number, document_id }) => [number, document_id])).to.deep.equal([
      ['CL-8841', null],
      ['TW-3274', null],
      ['HR-20298', null],
    ]);
  });

  it('takes an invoice, and refuses the same one again, sums that do not add up, gaps, and currencies it does not know', async () => {
    await enter();
    expect(await refusal({})).to.include('each_invoice_once');
    expect(await refusal({ supplier: 'Castle Lane Dairy', invoice_number: 'CL-8841' })).to.include('each_invoice_once');
    expect(await refusal({ invoice_number: 'A-2', total: 120 })).to.include('total_is_net_plus_tax');
    expect(await refusal({ invoice_number: 'A-3', currency: 'XTS' })).to.include('known_currency');
    expect(await refusal({ invoice_number: 'A-4', due_date: '2026-10-01' })).to.include('due_after_invoice_date');
    expect(await refusal({ invoice_number: null })).to.include('"invoice_number"');
  });

  it('has a login of its own that reads and enters, and can do nothing else', async () => {
    const login = await admitLogin(first(), 'keeper');
    expect(await admitLogin(first(), 'keeper'), 'another password each time').to.not.deep.equal(login);
    const { user, password } = await admitLogin(first(), 'keeper');
    const own = new pg.Client({ connectionString: Object.assign(new URL(address), { username: user, password }).href });
    await own.connect();
    try {
      expect((await own.query('select from demo.invoices')).rowCount).to.be.greaterThan(2);
      await own.query(
        `insert into demo.orders (order_number, supplier, order_date, currency, total, lines) values ('PO-1', 'A', '2026-11-01', 'EUR', 1, '[]')`,
      );
      for (const refused of [
        `update demo.invoices set total = 0`,
        `delete from demo.orders`,
        `truncate demo.orders`,
        `drop table demo.orders`,
        `create table demo.more ()`,
        `create table public.more ()`,
        `create schema more`,
        `create role more`,
        `select pg_read_file('postgresql.conf')`,
      ]) {
        expect(await own.query(refused).catch((error: Error) => error.message), refused).to.match(
          /permission denied|must be owner/,
        );
      }
      const { rows } = await own.query(
        'select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more from pg_roles where rolname = current_user',
      );
      expect(rows).to.deep.equal([{ more: false }]);
    } finally {
      await own.end();
      await first().query('delete from demo.orders');
    }
  });

  it('clears what documents entered under the numbers it is given, and nothing else', async () => {
    await enter({ supplier: 'B', invoice_number: 'B-1' });
    expect(await ledger(first()).clear(['A-1', 'CL-8841', 'none'])).to.equal(1);
    expect((await ledger(first()).rows()).map(({ number }) => number)).to.deep.equal([
      'CL-8841',
      'TW-3274',
      'HR-20298',
      'B-1',
    ]);
  });
});
