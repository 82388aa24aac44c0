import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { orBusy } from '../../src/adapters/postgres/connection/busy.ts';
import { type Database, openDatabase, prepared } from '../../src/adapters/postgres/connection/database.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { aSharer } from '../support/builders.ts';
import { freePort } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { usePostgres } from '../support/postgres.ts';

const one = prepared('busy_one')`select 1 as one`;
const slow = prepared('busy_slow')`select pg_sleep(60)`;
const never = new AbortController().signal;

describe('a database that has too much to do', () => {
  const postgres = usePostgres();
  let database: Database;
  before(async () => {
    const terms = { poolSize: 1, searchPoolSize: 2, connectTimeoutSeconds: 1, statementTimeoutSeconds: 1 };
    database = await openDatabase({ url: postgres.url, ...terms, log: quiet });
  });
  after(() => database?.close());

  const outcome = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
  const mustBeBusy = (error: unknown) => {
    expect(error).to.be.instanceOf(DomainError).and.to.include({ kind: 'busy', code: 'busy', retryAfterSeconds: 2 });
  };

  it('is told as such where no session becomes free, by every way to it', async () => {
    const held = await database.pool.connect();
    const ways = [
      database.query(one, []),
      database.transaction((em) => em.execute('select 1')),
      database.atomically((run) => run('select 1')),
    ];
    for (const way of await Promise.all(ways.map(outcome))) mustBeBusy(way);
    expect(await database.read(one, []), 'short reads go on').to.deep.equal([{ one: 1 }]);
    expect(await database.search(one, [], { sharer: aSharer('ada'), signal: never }), 'searches too').to.deep.equal([
      { one: 1 },
    ]);
    held.release();
    expect(await database.query(one, [])).to.deep.equal([{ one: 1 }]);
  });

  it('is told as such where a statement takes too long, also one that waits for a lock', async () => {
    mustBeBusy(await outcome(database.query(slow, [])));
    mustBeBusy(await outcome(database.transaction((em) => em.execute('select pg_sleep(60)'))));
  });

  const sleeping = () => sleep(1500);
  const computing = async () => {
    const until = Date.now() + 1500;
    while (Date.now() < until);
  };
  for (const [how, pause] of [
    ['waits', sleeping],
    ['computes', computing],
  ] as const)
    it(`is told as such where this process ${how} within a transaction until the server ends that`, async () => {
      const ways = [
        () => database.atomically((run) => run('select 1').then(pause)),
        () =>
          database.atomically((run) =>
            run('select 1')
              .then(pause)
              .then(() => run('select 2')),
          ),
        () => database.transaction((em) => em.execute('select 1').then(pause)),
        () =>
          database.transaction((em) =>
            em
              .execute('select 1')
              .then(pause)
              .then(() => em.execute('select 2')),
          ),
      ];
      for (const way of ways) mustBeBusy(await outcome(way()));
      expect(await database.query(one, [])).to.deep.equal([{ one: 1 }]);
    });

  it('is told as such where its disk or its memory is full', async () => {
    for (const state of ['53100', '53200']) {
      const full = `do $$ begin raise exception 'No space left on device' using errcode = '${state}'; end $$`;
      const error = await outcome(database.atomically((run) => run(full)));
      mustBeBusy(error);
      expect(error).to.include({ message: 'The database has no room left: try again in 2 seconds.' });
      expect(error).to.have.nested.property('cause.message', 'No space left on device');
    }
  });

  it('is told as such where the server ends the session, or there is none', async () => {
    const ended = 'select pg_terminate_backend(pg_backend_pid())';
    const away = await openDatabase({ url: `postgres://127.0.0.1:${await freePort()}/none`, poolSize: 1, log: quiet });
    const ways = [
      database.transaction((em) => em.execute(ended)),
      database.atomically((run) => run(ended)),
      database.query(prepared('busy_ended')`select pg_terminate_backend(pg_backend_pid()) as ended`, []),
      away.read(one, []),
      away.query(one, []),
      away.search(one, [], { sharer: aSharer('ada'), signal: never }),
      away.atomically((run) => run('select 1')),
      away.transaction((em) => em.execute('select 1')),
    ];
    for (const error of await Promise.all(ways.map(outcome))) {
      mustBeBusy(error);
      expect(error).to.include({ message: 'The database does not answer at the moment: try again in 2 seconds.' });
    }
    await away.close();
  });

  it('is told as such where a new session does not open in time', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const pool = new pg.Pool({ host: '127.0.0.1', port, connectionTimeoutMillis: 50 });
    mustBeBusy(orBusy(await outcome(pool.connect())));
    await pool.end();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('answers the searches of others while one user asks for more of them than there are sessions', async () => {
    const leaving = new AbortController();
    const asked = Array.from({ length: 5 }, () =>
      outcome(database.search(slow, [], { sharer: aSharer('ada'), signal: leaving.signal })),
    );
    expect(await database.search(one, [], { sharer: aSharer('ben'), signal: never })).to.deep.equal([{ one: 1 }]);
    leaving.abort(new Error('gone'));
    for (const error of await Promise.all(asked)) expect(error).to.include({ message: 'gone' });
    const running = `select from pg_stat_activity where datname = current_database() and state = 'active' and query = 'select pg_sleep(60)'`;
    expect((await postgres.database.pool.query(running)).rowCount).to.equal(0);
  });
});
