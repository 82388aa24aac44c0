import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../src/adapters/postgres/connection/database.ts';
import { startEmbeddedPostgres } from '../../src/adapters/postgres/connection/embedded.ts';
import { openListener } from '../../src/adapters/postgres/connection/listener.ts';
import { quiet } from '../support/log.ts';
import { embeddedDatabase, usePostgres } from '../support/postgres.ts';

const echo = { name: 'echo', text: 'select $1::int as n' };
const quotient = { name: 'quotient', text: 'select 1000 / $1::int as n, $2::int as tag' };
const napping = { name: 'napping', text: 'select pg_sleep($1)' };

const ways = (database: Database): readonly (() => Promise<unknown>)[] => [
  () => database.read(echo, [1]),
  () => database.query(echo, [1]),
  () => database.transaction((em) => em.execute('select 1 as n')),
];
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    () => 'failed',
  );

describe('the database when PostgreSQL goes away', () => {
  it('fails promptly, and works again as soon as PostgreSQL does', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'portico-outage-'));
    const server = await startEmbeddedPostgres({ dir, log: quiet });
    const database = await openDatabase({ url: server.url, poolSize: 4, log: quiet });
    const listener = openListener(database, quiet);
    let gaps = 0;
    const heard: string[] = [];
    listener.listen('news', { message: (payload) => heard.push(payload), gap: () => (gaps += 1) });
    try {
      // Else the listener that comes only now would be taken for the one that came back, and the notification would go to nobody.
      while (gaps === 0) await sleep(20);
      for (const stop of ['SIGINT', 'SIGKILL', 'SIGQUIT'] as const) {
        await Promise.all(Array.from({ length: 8 }, () => Promise.all(ways(database).map((way) => way()))));
        const before = gaps;
        const asleep = Promise.all([
          outcome(database.query(napping, [20])),
          outcome(database.transaction((em) => em.execute('select pg_sleep(20)'))),
        ]);
        await sleep(50);
        process.kill(Number((await readFile(path.join(dir, 'data/postmaster.pid'), 'utf8')).split('\n')[0]), stop);
        expect(await asleep).to.deep.equal(['failed', 'failed']);
        while (gaps === before) await sleep(20);
        for (const way of ways(database)) while ((await outcome(way())) === 'failed') await sleep(20);
        expect(database.pool.totalCount - database.pool.idleCount).to.equal(0);
        await database.pool.query(`notify news, '${stop}'`);
        while (heard.at(-1) !== stop) await sleep(20);
      }
    } finally {
      await listener.close();
      await server.stop();
      expect(await Promise.all(ways(database).map((way) => outcome(way())))).to.deep.equal([
        'failed',
        'failed',
        'failed',
      ]);
      await database.close();
      await rm(dir, { recursive: true, force: true });
    }
  });
});

describe('a database that is closed', () => {
  const postgres = usePostgres();
  const sessions = { name: 'sessions', text: 'select count(*)::int as n from pg_stat_activity where datname = $1' };

  it('has no session left', async () => {
    const { url, drop } = await embeddedDatabase();
    const left = async () => (await postgres.database.query<{ n: number }>(sessions, [path.basename(url)]))[0]?.n;
    try {
      for (let n = 0; n < 5; n += 1) {
        const database = await openDatabase({ url, poolSize: 6, log: quiet });
        const listener = openListener(database, quiet);
        await new Promise<void>((resolve) => listener.listen('news', { message() {}, gap: resolve }));
        expect(await left()).to.equal(1);
        await listener.close();
        expect(await left()).to.equal(0);
        await Promise.all(Array.from({ length: 6 }, () => database.query(napping, [0.02])));
        await Promise.all([database.read(echo, [1]), database.read(echo, [2])]);
        expect(await left()).to.equal(8);
        await database.close();
        expect(await left()).to.equal(0);
      }
    } finally {
      await drop();
    }
  });
});

describe('a transaction whose connection is cut', () => {
  const postgres = usePostgres();

  it('leaves its place to others, wherever in it that happens', async () => {
    const { database } = postgres;
    const cut = 'select pg_terminate_backend(pg_backend_pid())';
    for (let n = 0; n < 15; n += 1) {
      expect(await outcome(database.transaction((em) => em.execute(cut)))).to.equal('failed');
      const clients = await Promise.all([database.pool.connect(), database.pool.connect()]);
      const pids = clients.map((client) => (client as unknown as { processID: number }).processID);
      for (const client of clients) client.release();
      const began = Array.from({ length: 4 }, () => outcome(database.transaction((em) => em.execute('select 1'))));
      await database.read({ name: 'cut', text: 'select pg_terminate_backend(pid) from unnest($1::int[]) pid' }, [pids]);
      await Promise.all(began);
    }
    expect(database.pool.totalCount - database.pool.idleCount).to.equal(0);
    expect(await outcome(database.transaction((em) => em.execute('select 1')))).to.equal('done');
  });
});

describe('shared connections for short reads', () => {
  const postgres = usePostgres();

  it('give each read its own answer, errors too', async () => {
    const reads = Array.from({ length: 400 }, (_, tag) =>
      postgres.database.read<{ n: number; tag: number }>(quotient, [tag % 7, tag]).then(
        ([row]) => row,
        (error: Error) => error.message,
      ),
    );
    const expected = reads.map((_, tag) =>
      tag % 7 === 0 ? 'division by zero' : { n: Math.trunc(1000 / (tag % 7)), tag },
    );
    expect(await Promise.all(reads)).to.deep.equal(expected);
  });

  it('go on with reads whose connection is cut under them', async () => {
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    for (let round = 0; round < 5; round += 1) {
      const reads = Array.from({ length: 50 }, (_, tag) => postgres.database.read(echo, [tag]));
      await postgres.database.pool.query(cut);
      reads.push(...Array.from({ length: 50 }, (_, tag) => postgres.database.read(echo, [50 + tag])));
      expect(await Promise.all(reads)).to.deep.equal(Array.from({ length: 100 }, (_, n) => [{ n }]));
    }
  });

  it('go on after a statement no longer fits the tables', async () => {
    const { database } = postgres;
    const all = { name: 'all_of_shape', text: 'select * from shape' };
    await database.pool.query('create table shape as select 1 as a');
    for (let n = 0; n < 4; n += 1) expect(await database.read(all, [])).to.deep.equal([{ a: 1 }]);
    await database.pool.query('alter table shape add column b int');
    for (let n = 0; n < 4; n += 1) expect(await database.read(all, [])).to.deep.equal([{ a: 1, b: null }]);
  });

  it('never hand out a number that is not exact', async () => {
    const big = { name: 'big', text: 'select $1::bigint as n' };
    expect(await postgres.database.read(big, ['9007199254740991'])).to.deep.equal([{ n: Number.MAX_SAFE_INTEGER }]);
    expect(await outcome(postgres.database.read(big, ['9007199254740993']))).to.equal('failed');
  });

  it('are named, so that an operator recognises them', async () => {
    const name = { name: 'whoami', text: `select current_setting('application_name') as name` };
    expect(await postgres.database.read(name, [])).to.deep.equal([{ name: 'portico' }]);
  });
});
