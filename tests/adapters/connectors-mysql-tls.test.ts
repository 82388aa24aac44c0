import { chmod, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { never } from '../contracts/connector/suite.ts';
import { type Certified, certify } from '../support/certificates.ts';
import { quiet } from '../support/log.ts';
import { installedMariadb, type MariadbServer } from '../support/mariadb.ts';
import { aConnection, sealer, withAddress } from './connectors-mysql-harness.ts';

describe(`MySQL over TLS, on ${installedMariadb.name}`, function () {
  this.timeout(240_000);
  let [certified, elsewhere]: (Certified | null)[] = [];
  let server: MariadbServer | null = null;
  const open = connectors({ sealer, log: quiet, timeoutSeconds: 10, poolSize: 2 });

  /** The server, which is another user, reads its files. */
  const readable = async ({ cert, key }: Certified) => {
    await chmod(path.dirname(cert), 0o755);
    for (const file of [cert, key]) await chmod(file, 0o644);
  };
  const ask = async (...statements: readonly string[]) => {
    const session = await createConnection(server?.url ?? '');
    for (const statement of statements) await session.query(statement);
    await session.end();
  };

  before(async function () {
    [certified, elsewhere] = [await certify('DNS:localhost'), await certify('DNS:db.example.com')];
    if (!certified || !elsewhere) return this.skip();
    for (const each of [certified, elsewhere]) await readable(each);
    server = await installedMariadb.start([`--ssl-cert=${certified.cert}`, `--ssl-key=${certified.key}`]);
    if (!server) return this.skip();
    await ask(
      'create database shop',
      'create table shop.bills (id int primary key)',
      `create user careful@'%' identified by 'careful' require ssl`,
      `grant select on shop.* to careful@'%'`,
    );
  });
  after(async () => {
    await open.close();
    await server?.stop();
    for (const each of [certified, elsewhere]) await each?.remove();
  });

  /** What becomes of a connection of a user whom the server lets in by TLS alone. */
  const outcome = async (host: string, parameters: Readonly<Record<string, string>>) => {
    const login = withAddress(server?.url ?? '', { hostname: host, username: 'careful', password: 'careful' });
    const address = `${login}?${new URLSearchParams(parameters)}`;
    return open
      .open(aConnection(address))
      .tables(never)
      .then(
        (tables) => tables.map(({ name }) => name),
        (error: Error) => error.message,
      );
  };
  const ca = () => ({ 'ssl-ca': certified?.ca ?? '' });
  const unreached = 'The connection "ledger" could not be reached.';

  it('is not used where the address does not ask for it', async () => {
    expect(await outcome('localhost', {})).to.equal('The connection "ledger" did not accept its user or password.');
  });

  it('takes any certificate with REQUIRED', async () => {
    for (const host of ['localhost', '127.0.0.1'])
      expect(await outcome(host, { 'ssl-mode': 'REQUIRED' })).to.deep.equal(['bills']);
  });

  for (const mode of ['VERIFY_CA', 'VERIFY_IDENTITY'])
    it(`checks with ${mode} who signed the certificate`, async () => {
      expect(await outcome('localhost', { 'ssl-mode': mode, ...ca() })).to.deep.equal(['bills']);
      expect(await outcome('localhost', { 'ssl-mode': mode, 'ssl-ca': certified?.stranger ?? '' })).to.equal(unreached);
      expect(await outcome('localhost', { 'ssl-mode': mode })).to.equal(unreached);
    });

  it('checks only with VERIFY_IDENTITY that the certificate is for this host', async () => {
    const address = 'mysql://u:p@127.0.0.1/shop?ssl-mode=VERIFY_IDENTITY';
    expect(open.addressDefect('mysql', address)).to.match(/takes the name of the host, .*VERIFY_CA/);
    expect(await outcome('127.0.0.1', { 'ssl-mode': 'VERIFY_IDENTITY', ...ca() })).to.match(/address that cannot be/);
    expect(await outcome('127.0.0.1', { 'ssl-mode': 'VERIFY_CA', ...ca() })).to.deep.equal(['bills']);
    for (const file of ['cert', 'key'] as const) await copyFile(elsewhere?.[file] ?? '', certified?.[file] ?? '');
    await ask('flush ssl');
    const other = { 'ssl-ca': elsewhere?.ca ?? '' };
    expect(await outcome('localhost', { 'ssl-mode': 'VERIFY_CA', ...other })).to.deep.equal(['bills']);
    expect(await outcome('localhost', { 'ssl-mode': 'VERIFY_IDENTITY', ...other })).to.equal(unreached);
  });

  it('says so where the file of certificates cannot be read', async () => {
    const told = await outcome('localhost', { 'ssl-mode': 'VERIFY_CA', 'ssl-ca': '/no/such/file' });
    expect(told).to.match(/address that cannot be used: it names an ssl-ca that cannot be read/);
  });
});
