import type { StartedPostgreSqlContainer } from '@testcontainers/postgresql';
import { expect } from 'chai';
import { Config } from '../../src/composition/config.ts';
import { Erasures } from '../../src/composition/modules/worker.ts';
import { startPostgres } from '../support/backends.ts';
import { bundleOf, simplePaper } from '../support/bundles.ts';
import { serveHere } from '../support/here.ts';
import { freshDatabase } from '../support/postgres.ts';
import { keptLog, nowhere, spread, wordsOf, workspace } from './erased-words.ts';
import { openReadingWorld, type ReadingWorld } from './files-read.ts';

const nameOf = (url: string) => new URL(url).pathname.slice(1);

describe('what pg_dump writes after an erasure', function () {
  this.timeout(240_000);
  let container: StartedPostgreSqlContainer;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let world: ReadingWorld;
  let words: ReturnType<typeof wordsOf>;
  const logged = keptLog();
  /** What the server of the database logs. */
  const databaseLog: string[] = [];

  before(async function () {
    const started = await startPostgres((each) =>
      each.withLogConsumer((stream) => stream.on('data', (line) => databaseLog.push(String(line)))),
    );
    if (started === null) return this.skip();
    container = started;
    database = await freshDatabase(container.getConnectionUri());
    world = await openReadingWorld(workspace, { log: logged.log, env: { DATABASE_URL: database.url } });
    // The customer's own, where the row stays.
    await world.query('create table public.bills (document_id uuid unique, supplier text)');
    words = wordsOf(world, logged.lines);
  });
  after(async () => {
    await world?.stop();
    await container?.stop();
  });

  const inContainer = async (...command: readonly string[]) => {
    const { exitCode, stdout, stderr } = await container.exec([...command]);
    expect(exitCode, stderr).to.equal(0);
    return stdout;
  };
  const user = () => ['--username', container.getUsername()];
  /** The whole database but for the customer's own table. */
  const dumpOf = async (url: string) => {
    const dump = await inContainer('pg_dump', ...user(), '--exclude-table-data=public.bills', nameOf(url));
    expect(dump).to.include('COPY public.documents ');
    return dump;
  };
  const lines = (text: string, word: string) =>
    text.split('\n').filter((line) => line.toLowerCase().includes(word.toLowerCase()));

  /** The documents of a file that holds two. */
  const parts = async (numbers: readonly [string, string]) => {
    const papers = await Promise.all(numbers.map((number) => simplePaper('Invoice', number)));
    const file = await bundleOf(papers, [
      { of: 0, page: 1 },
      { of: 1, page: 1 },
    ]);
    const run = await world.run(await world.upload({ 'two.pdf': file }, 'Post room'), { agent: 'Post room' });
    const documents = run.documents.toSorted((a, b) => a.name.localeCompare(b.name));
    expect(documents.map(({ name }) => name)).to.deep.equal(['two.pdf, page 1', 'two.pdf, page 2']);
    return documents.map(({ id }) => id);
  };

  it('has no word of it, nor have the file store and the logs, also once a backup from before is restored', async () => {
    const word = `Sicherungswort${Date.now()}`;
    const { document } = await spread(world, words, word);
    const [gone, kept] = await parts([`${word}A`, 'Bleibendeswort']);
    expect(lines(await dumpOf(database.url), word).length).to.be.above(10);
    await inContainer('pg_dump', ...user(), '--format=custom', '--file=/tmp/before.dump', nameOf(database.url));
    const { status, body } = await words.erase({ document_id: document.id });
    expect(status).to.equal(200);
    const part = await words.erase({ document_id: gone });
    expect(part.status).to.equal(200);
    expect(lines(await dumpOf(database.url), word)).to.deep.equal([]);
    expect(await words.everywhere(word)).to.deep.equal(nowhere);

    await inContainer('createdb', ...user(), 'restored');
    await inContainer('pg_restore', ...user(), '--dbname=restored', '/tmp/before.dump');
    const restored = Object.assign(new URL(database.url), { pathname: '/restored' }).href;
    expect(lines(await dumpOf(restored), word).length).to.be.above(10);
    const { dataDir } = world.composition.container.get(Config);
    const again = await serveHere({ DATABASE_URL: restored, DATA_DIR: dataDir }, { log: logged.log });
    try {
      const erasures = again.container.get(Erasures);
      const refused = await erasures.mustBeDone().catch((error: Error) => error.message);
      expect(refused).to.include('run "portico erase --replay"');
      expect((await erasures.replay()).map(({ id }) => id)).to.have.members([body.data.id, part.body.data.id]);
      await erasures.mustBeDone();
    } finally {
      await again.stop();
    }
    const dump = await dumpOf(restored);
    expect(lines(dump, word)).to.deep.equal([]);
    expect(lines(dump, kept ?? '').length, 'the other part').to.be.above(3);
    expect(await words.everywhere(word)).to.deep.equal(nowhere);
    expect(lines(databaseLog.join(''), word)).to.deep.equal([]);
  });
});
