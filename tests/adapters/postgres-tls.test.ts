import type { StartedPostgreSqlContainer } from '@testcontainers/postgresql';
import { expect } from 'chai';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/adapters/postgres/connection/database.ts';
import { openListener } from '../../src/adapters/postgres/connection/listener.ts';
import { examineServer } from '../../src/adapters/postgres/connection/server.ts';
import { startPostgres } from '../support/backends.ts';
import { type Certified, certify } from '../support/certificates.ts';
import { quiet } from '../support/log.ts';
import { aServer } from '../support/server.ts';

const HBA = '/tmp/tls-only.conf';
/** Who comes over the network comes with TLS or not at all. */
const tlsOnly = 'local all all trust\nhostssl all all all scram-sha-256\n';

type Terms = Partial<Pick<DatabaseOptions, 'sslMode' | 'sslCa'>>;

describe('PostgreSQL over TLS, in a container', () => {
  let certified: Certified;
  let container: StartedPostgreSqlContainer;

  before(async function () {
    const made = await certify('DNS:localhost,IP:127.0.0.1');
    if (!made) return this.skip();
    certified = made;
    const started = await startPostgres((each) =>
      each
        .withSSL(certified.cert, certified.key)
        .withCopyContentToContainer([{ content: tlsOnly, target: HBA, mode: 0o644 }])
        .withCommand(['postgres', '-c', `hba_file=${HBA}`]),
    );
    if (!started) return this.skip();
    container = started;
  });
  after(async () => {
    await container?.stop();
    await certified?.remove();
  });

  const urlAt = (host: string, query = '') =>
    `postgres://test:test@${host}:${container.getMappedPort(5432)}/test${query === '' ? '' : `?${query}`}`;

  const using = async <T>(url: string, terms: Terms, work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await openDatabase({ url, ...terms, poolSize: 2, log: quiet });
    return work(database).finally(() => database.close());
  };

  /** What becomes of a connection on these terms: the protocol that it is encrypted by, or why there is none. */
  const outcome = (url: string, terms: Terms = {}) =>
    using(url, terms, async (database) => (await examineServer(database)).tls).catch((error: Error) => error.message);

  const encrypted = /^TLSv1\.[23]$/;

  it('is encrypted and not checked with `require`', async () => {
    expect(await outcome(urlAt('localhost', 'sslmode=require'))).to.match(encrypted);
    expect(await outcome(urlAt('127.0.0.2'), { sslMode: 'require' })).to.match(encrypted);
    expect(await outcome(urlAt('localhost', 'sslmode=no-verify'))).to.match(encrypted);
  });

  it('is checked in full: who signed the certificate, and for which name or address', async () => {
    const { ca: sslCa } = certified;
    for (const host of ['localhost', '127.0.0.1']) {
      expect(await outcome(urlAt(host), { sslMode: 'verify-full', sslCa })).to.match(encrypted);
      expect(await outcome(urlAt(host), { sslCa }), 'without a word about the mode').to.match(encrypted);
      expect(await outcome(urlAt(host, `sslmode=verify-full&sslrootcert=${encodeURIComponent(sslCa)}`))).to.match(
        encrypted,
      );
    }
    expect(await outcome(urlAt('127.0.0.2'), { sslMode: 'verify-full', sslCa })).to.match(
      /its certificate is for another host\.$/,
    );
  });

  it('is checked but for the host with `verify-ca`, as `require` is where there is a CA', async () => {
    const { ca, stranger } = certified;
    for (const sslMode of ['verify-ca', 'require'] as const) {
      expect(await outcome(urlAt('127.0.0.2'), { sslMode, sslCa: ca })).to.match(encrypted);
      expect(await outcome(urlAt('127.0.0.2'), { sslMode, sslCa: stranger })).to.match(
        /signed by .* not trusted: name that in DATABASE_SSL_CA\.$/,
      );
    }
    expect(await outcome(urlAt('localhost'), { sslMode: 'verify-ca' })).to.equal(
      'DATABASE_SSL_CA: verify-ca needs the certificates of the CA.',
    );
  });

  it('is refused where nobody vouches for the certificate', async () => {
    expect(await outcome(urlAt('localhost', 'sslmode=verify-full'))).to.match(
      /^DATABASE_URL: PostgreSQL at localhost:\d+ .*DATABASE_SSL_CA\.$/,
    );
    expect(await outcome(urlAt('localhost', 'ssl=true'))).to.match(/DATABASE_SSL_CA\.$/);
  });

  it('is asked for by a server that takes nothing else', async () => {
    expect(await outcome(urlAt('localhost'))).to.match(/^DATABASE_URL: .* it asks for TLS: set DATABASE_SSL_MODE\.$/);
    expect(await outcome(urlAt('localhost', 'sslmode=require'), { sslMode: 'disable' }), 'the setting wins').to.match(
      /it asks for TLS/,
    );
  });

  it('is not taken for one that it cannot be', async () => {
    expect(await outcome(urlAt('localhost', 'sslmode=prefer'))).to.equal(
      'DATABASE_URL: its sslmode must be one of disable, require, verify-ca, verify-full.',
    );
    expect(await outcome(urlAt('localhost'), { sslCa: '/no/such/file' })).to.equal(
      'DATABASE_SSL_CA: the file /no/such/file cannot be read (ENOENT).',
    );
    expect(await outcome(urlAt('localhost'), { sslCa: certified.key })).to.equal(
      'DATABASE_SSL_CA: the file of the CA holds no certificate in PEM form.',
    );
  });

  it('is every connection: those of the pool, of short reads and of notifications', () =>
    using(urlAt('localhost'), { sslCa: certified.ca }, async (database) => {
      const listener = openListener(database, quiet);
      const listens = new Promise<void>((resolve) => listener.listen('news', { message() {}, gap: resolve }));
      await Promise.all([
        database.transaction((em) => em.execute('select 1')),
        database.read({ name: 'one', text: 'select 1' }, []),
        listens,
      ]);
      const lines = `select coalesce(bool_and(ssl), false) as safe, count(*)::int as count from pg_stat_ssl join pg_stat_activity using (pid)
        where application_name = 'portico'`;
      const { rows } = await database.pool.query<{ safe: boolean; count: number }>(lines);
      expect(rows[0]).to.deep.equal({ safe: true, count: 3 });
      await listener.close();
    }));

  it('is what the whole server is served from', async () => {
    const env = { DATABASE_URL: urlAt('localhost'), DATABASE_SSL_MODE: 'verify-full', DATABASE_SSL_CA: certified.ca };
    const server = await aServer({ env });
    try {
      await server.start();
      const { stdout } = await server.command(['doctor']);
      expect(stdout).to.match(/ok +database +PostgreSQL \d+\.\d+, encrypted with TLSv1\.[23], answers in [\d.]+ ms/);
    } finally {
      await server.close();
    }
  });
});
