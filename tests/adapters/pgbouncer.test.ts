import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { type Database, openDatabase, prepared } from '../../src/adapters/postgres/connection/database.ts';
import { databaseExaminations } from '../../src/adapters/postgres/connection/examinations.ts';
import { hearsThrough, openListener } from '../../src/adapters/postgres/connection/listener.ts';
import { migrate, pending } from '../../src/adapters/postgres/connection/migrator.ts';
import { examineServer } from '../../src/adapters/postgres/connection/server.ts';
import { messageOf } from '../../src/domain/errors.ts';
import { never, refusal, rowsOf } from '../contracts/connector/suite.ts';
import { embeddedPostgres } from '../support/backends.ts';
import { freePort } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { containerPgbouncer, installedPgbouncer, type Pooler } from '../support/pgbouncer.ts';
import { emptyDatabase, type OwnDatabase } from '../support/postgres.ts';
import { eventually } from '../support/until.ts';
import { aConnection, sealer } from './connectors-postgresql-harness.ts';

const one = prepared('pooled_one')`select $1::int as n`;
const other = prepared('pooled_other')`select $1::text as t`;

const failure = (work: Promise<unknown>): Promise<string> => work.then(() => expect.fail('it works'), messageOf);

for (const { kind, keepsStatements } of [
  { kind: installedPgbouncer, keepsStatements: false },
  { kind: containerPgbouncer, keepsStatements: true },
]) {
  describe(`behind ${kind.name}`, () => {
    let own: OwnDatabase;
    let server: string;
    const poolers: Pooler[] = [];
    const databases: Database[] = [];

    const start = async (mode: 'transaction' | 'session' | 'statement', more = '') => {
      const pooler = await kind.start(server, mode, more);
      if (pooler !== null) poolers.push(pooler);
      return pooler;
    };
    const open = async (url: string, listenUrl: string | null = null) => {
      const database = await openDatabase({ url, listenUrl, poolSize: 4, log: quiet });
      databases.push(database);
      return database;
    };
    const name = () => new URL(own.url).pathname.slice(1);

    let transactional: Pooler;
    before(async function () {
      own = await emptyDatabase((await embeddedPostgres.url()) ?? '');
      server = own.url;
      const pooler = await start('transaction', 'default_pool_size = 3');
      if (pooler === null) return this.skip();
      transactional = pooler;
    });
    after(async () => {
      await Promise.all(databases.map((database) => database.close()));
      await Promise.all(poolers.map((pooler) => pooler.stop()));
      await own?.drop();
    });

    it('migrates, and runs prepared statements in more sessions than the server gives', async () => {
      const database = await open(transactional.url(name()));
      expect(database.way).to.deep.equal({ isPooled: true, keepsStatements });
      await migrate(database);
      expect(await pending(database)).to.deep.equal([]);
      const ask = async (n: number) => {
        const [asked, read, text] = await Promise.all([
          database.query<{ n: number }>(one, [n]),
          database.read<{ n: number }>(one, [n]),
          database.read<{ t: string }>(other, [String(n)]),
        ]);
        return [asked[0]?.n, read[0]?.n, text[0]?.t];
      };
      for (let round = 0; round < 10; round += 1) {
        const numbers = Array.from({ length: 20 }, (_, index) => round * 20 + index);
        expect(await Promise.all(numbers.map(ask))).to.deep.equal(numbers.map((n) => [n, n, String(n)]));
      }
      const sum = await database.atomically(async (run) => {
        for (let times = 0; times < 3; times += 1) await run(one, [times]);
        return run(one, [7]);
      });
      expect(sum).to.deep.equal([{ n: 7 }]);
    });

    it('knows whether the server ends a statement that takes too long: the role says so, and the login cannot', async () => {
      const database = await open(transactional.url(name()));
      expect((await examineServer(database)).hasTimeLimit).to.equal(false);
      await database.pool.query(`alter database ${name()} set statement_timeout = '30s'`);
      const later = await start('transaction');
      expect((await examineServer(await open(later?.url(name()) ?? ''))).hasTimeLimit).to.equal(true);
      await database.pool.query(`alter database ${name()} reset statement_timeout`);
    });

    it('does not believe to listen where no notification arrives, and listens where one does', async () => {
      const database = await open(transactional.url(name()));
      expect(await hearsThrough(database)).to.equal(false);
      const warned: string[] = [];
      const deaf = openListener(database, {
        ...quiet,
        warn: (fields) => void warned.push(JSON.stringify(fields)),
      });
      deaf.listen('portico_test', { message() {}, gap() {} });
      await eventually(async () => warned.length > 0);
      expect(warned.join()).to.match(/pool_mode = transaction/);
      expect(deaf.isListening('portico_test')).to.equal(false);
      await deaf.close();

      const pooler = await start('session');
      const sessions = await open(pooler?.url(name()) ?? '');
      expect(await hearsThrough(sessions)).to.equal(true);
      const heard: string[] = [];
      const listener = openListener(sessions, quiet);
      listener.listen('portico_test', { message: (payload) => void heard.push(payload), gap() {} });
      await eventually(async () => listener.isListening('portico_test'));
      await sessions.pool.query(`select pg_notify('portico_test', 'hello')`);
      await eventually(async () => heard.length > 0);
      expect(heard).to.deep.equal(['hello']);
      await listener.close();
    });

    it('listens past the pooler where it has an address for that', async () => {
      const database = await open(transactional.url(name()), server);
      const heard: string[] = [];
      const listener = openListener(database, quiet);
      listener.listen('portico_test', { message: (payload) => void heard.push(payload), gap() {} });
      await eventually(async () => listener.isListening('portico_test'));
      await database.pool.query(`select pg_notify('portico_test', 'hello')`);
      await eventually(async () => heard.length > 0);
      expect(heard).to.deep.equal(['hello']);
      await listener.close();
      const details = (await Promise.all(databaseExaminations(database, false).map(({ examine }) => examine()))).flat();
      expect(JSON.stringify(details)).not.to.match(/notifications do not arrive/);
    });

    it('does not believe to listen at an address of another database, or one through the pooler', async () => {
      const elsewhere = await emptyDatabase((await embeddedPostgres.url()) ?? '');
      for (const listenUrl of [elsewhere.url, transactional.url(name())]) {
        const database = await open(transactional.url(name()), listenUrl);
        expect(await hearsThrough(database), listenUrl).to.equal(false);
        const direct = await open(server, listenUrl);
        const details = (await Promise.all(databaseExaminations(direct, false).map(({ examine }) => examine()))).flat();
        expect(JSON.stringify(details)).to.match(/do not arrive by DATABASE_LISTEN_URL/);
        await Promise.all([database.close(), direct.close()]);
        databases.splice(-2);
      }
      await elsewhere.drop();
    });

    describe('says what is wrong', () => {
      const nobody = () =>
        Object.assign(new URL(transactional.url(name())), { username: 'nobody', password: 'secret' }).href;
      const wrong = () => Object.assign(new URL(transactional.url(name())), { password: 'wrong-secret' }).href;
      const systems = connectors({ sealer, log: quiet, timeoutSeconds: 30, poolSize: 2 });
      const tables = (url: string) => systems.open(aConnection(url)).tables(never);
      const examined = async (url: string) => examineServer(await open(url));
      after(() => systems.close());

      it('of a login', async () => {
        for (const url of [wrong(), nobody()]) {
          expect(await failure(examined(url))).to.match(/cannot be used: it refuses the user name or the password\.$/);
          expect((await refusal(tables(url))).message).to.equal(
            'The connection "ledger" did not accept its user or password.',
          );
        }
      });

      it('of a database', async () => {
        const url = transactional.url('nowhere');
        expect(await failure(examined(url))).to.match(
          /cannot be used: (?:its pooler has|it has) no database of that name\.$|does not reach/,
        );
        expect((await refusal(tables(url))).message).to.match(/has no database of that name\.$|does not reach it\.$/);
      });

      it('of a pooler that is full, or in a mode without transactions', async () => {
        const full = await start('session', 'default_pool_size = 1\nquery_wait_timeout = 1');
        const url = full?.url(name()) ?? '';
        const holding = await open(url);
        const client = await holding.pool.connect();
        await client.query('select 1');
        expect((await refusal(tables(url))).message).to.match(
          /has a pooler that had no session to give in time|did not answer in time/,
        );
        client.release();
        const single = await start('statement');
        expect((await refusal(tables(single?.url(name()) ?? ''))).message).to.match(
          /pool_mode = statement, and transactions are needed\.$/,
        );
      });

      it('of a server that it does not reach', async () => {
        const nowhere = Object.assign(new URL(server), { port: String(await freePort()) }).href;
        const lost = await kind.start(
          nowhere,
          'transaction',
          'server_login_retry = 1\nquery_wait_timeout = 2\nserver_connect_timeout = 1',
        );
        if (lost) poolers.push(lost);
        const url = lost?.url(name()) ?? '';
        expect(await failure(examined(url))).to.match(
          /its pooler (?:does not reach the server behind it|had no session of the server to give in time)\.$/,
        );
        expect((await refusal(tables(url))).message).to.match(
          /has a pooler that (?:does not reach it|had no session to give in time)\.$/,
        );
      });
    });

    it('connections read and query, and set what they need in each transaction', async () => {
      const systems = connectors({ sealer, log: quiet, timeoutSeconds: 30, poolSize: 4 });
      const system = systems.open(aConnection(transactional.url(name())));
      const caps = { schemas: null, maxRows: 10, maxBytes: 10_000, timeoutSeconds: 10 };
      const asked = Array.from({ length: 12 }, (_, n) =>
        system.query(
          `select ${n} as n, current_setting('statement_timeout') as t, timestamptz '2026-11-20 09:30+00' as at`,
          caps,
          never,
        ),
      );
      const answers = await Promise.all(asked.map((answer) => rowsOf(answer)));
      expect(answers.flat().map(({ n, t }) => [n, t])).to.deep.equal(Array.from({ length: 12 }, (_, n) => [n, '10s']));
      expect(answers[0]?.[0]?.at).to.equal('2026-11-20T09:30:00+00:00');
      await systems.close();
    });

    it('connections are examined as any others, and a login that is refused is told as that', async () => {
      const systems = connectors({ sealer, log: quiet, timeoutSeconds: 30, poolSize: 4 });
      const examined = async (url: string) =>
        (await systems.open(aConnection(url)).examine(never)).filter(({ status }) => status === 'fail');
      const wrong = new URL(transactional.url(name()));
      wrong.password = 'wrong';
      expect(await examined(transactional.url(name()))).to.deep.equal([]);
      expect((await examined(wrong.href))[0]?.detail).to.match(/did not accept its user or password/);
      expect((await examined(transactional.url('nowhere')))[0]?.detail).to.match(/has no database of that name/);
      await systems.close();
    });
  });
}
