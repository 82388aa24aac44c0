import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type HungFolder, hang } from '../support/hung-folder.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type IntakeWorkers, intakeWorkers, items } from './intake.ts';
import { sql } from './stage.ts';

const NAMES = ['inbox', 'away', 'far'] as const;

describe('workers whose folders do not answer', function () {
  this.timeout(300_000);
  let folder: string;
  let postgres: OwnDatabase;
  let workers: IntakeWorkers;
  const hung: HungFolder[] = [];

  const at = (name: (typeof NAMES)[number]) => path.join(folder, name);
  /** `fence`: how many looks at it have begun. */
  const source = async (name: string) => {
    const [row] = await sql<{ error: string | null; fence: number }>(
      postgres.url,
      `select error, fence from sources where name = '${name}'`,
    );
    return row;
  };
  const errorOf = async (name: string) => (await source(name))?.error;
  const looksAt = async (name: string) => (await source(name))?.fence ?? 0;

  before(async function () {
    folder = await realpath(await aFolder());
    for (const name of NAMES) await mkdir(at(name));
    postgres = await embeddedDatabase();
    workers = await intakeWorkers({
      folder,
      database: postgres.url,
      sources: Object.fromEntries(NAMES.map((name) => [name, `type: folder, path: ${at(name)}, after: move`])),
      variables: {},
      env: { SOURCE_FOLDERS: NAMES.map(at).join(), UV_THREADPOOL_SIZE: '4' },
      count: 1,
    });
    const away = await hang(at('away'));
    if (away === null) return this.skip();
    hung.push(away);
  });

  after(async () => {
    for (const each of hung) await each.end();
    await workers?.close();
    await postgres?.drop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('look at the others as before, say which one it is, and go on when it answers', async () => {
    await workers.start();
    let put = 0;
    await until('the folder is given up', async () => {
      await writeFile(path.join(at('inbox'), `${put}.txt`), `Total: ${put}`);
      put += 1;
      await sleep(1000);
      return (await errorOf('away')) !== null;
    });
    expect(await errorOf('away')).to.equal(`The folder ${at('away')} does not answer.`);
    expect(await errorOf('far')).to.equal(null);
    expect((await items(postgres.url)).length).to.be.greaterThan(3);
    await until('all are read', async () => (await readdir(at('inbox'))).join() === 'done');
    await hung.shift()?.end();
    await writeFile(path.join(at('away'), 'late.txt'), 'Total: 7');
    await sql(postgres.url, 'update sources set due_at = now()');
    await until('it is read', async () => (await items(postgres.url)).some(({ name }) => name === 'late.txt'));
    await until('it is well', async () => (await errorOf('away')) === null);
  });

  it('end in time although a folder owes them an answer', async () => {
    const far = await hang(at('far'));
    if (far) hung.push(far);
    const looksSoFar = await looksAt('far');
    // Every 5 s.
    await until('a look at it begins', async () => (await looksAt('far')) > looksSoFar);
    await sleep(1000);
    await workers.stop();
    const [log] = await workers.logs();
    expect(log).to.include('Portico has stopped').and.include('the process ends by force');
  });
});
