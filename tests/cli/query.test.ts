import { expect } from 'chai';
import { composed } from '../support/composed.ts';
import type { Harness } from '../support/http.ts';
import { cli, lines } from './run-cli.ts';

describe('portico query, on the composed server', () => {
  let server: Harness;
  let key: string;
  const run = (...argv: string[]) =>
    cli(['query', ...argv], { env: { PORTICO_URL: server.baseUrl, PORTICO_API_KEY: key } });
  before(async () => {
    server = await composed();
    key = await server.key();
  });
  after(() => server.stop());

  const sql = `select 12345678901234567890::numeric as big, 0.10::numeric as price, null as none, 'a' as name, 9007199254740993::bigint as n`;

  it('shows the rows as a table, every digit of them, and says how many', async () => {
    const { code, out, err } = await run('books', sql);
    expect([code, lines(out).map((line) => line.split(/\s{2,}/)), err]).to.deep.equal([
      0,
      [
        ['big', 'price', 'none', 'name', 'n'],
        ['12345678901234567890', '0.1', '-', 'a', '9007199254740993'],
      ],
      '1 row\n',
    ]);
  });

  it('prints JSON with every digit', async () => {
    const { code, out } = await run('books', sql, '--json');
    expect(code).to.equal(0);
    expect(out).to.contain('12345678901234567890').and.to.contain('9007199254740993');
  });

  it('says what is wrong with a query, and where', async () => {
    const { code, err } = await run('books', 'select nothing from nowhere');
    expect(code).to.equal(1);
    expect(err).to.match(/^portico: .*nowhere/);
  });

  it('says that there is no such database', async () => {
    expect((await run('nothing', 'select 1')).err).to.contain('There is no such database.');
  });
});
