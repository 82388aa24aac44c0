import { appendFile, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type IntakeWorkers, intakeWorkers, items as itemsIn, runs as runsIn, runsUnderWay } from './intake.ts';

const FILES = 120;
/** So few may be under way at a time. */
const MOST_RUNS = 5;

describe('what is put into a folder, while the workers are killed', function () {
  this.timeout(400_000);
  let folder: string;
  let inbox: string;
  let postgres: OwnDatabase;
  let workers: IntakeWorkers;

  const put = (name: string, text: string) => writeFile(path.join(inbox, name), text);
  /** For some seconds, with pauses that are shorter than those by which a file is whole. */
  const slowly = async (name: string, text: string) => {
    for (const part of text.match(/[\s\S]{1,2}/g) ?? []) {
      await appendFile(path.join(inbox, name), part);
      await sleep(400);
    }
  };
  const items = () => itemsIn(postgres.url);
  const runs = () => runsIn(postgres.url);
  const inDone = async () => (await readdir(path.join(inbox, 'done'))).sort();

  before(async () => {
    folder = await aFolder();
    inbox = path.join(await realpath(folder), 'inbox');
    await mkdir(inbox);
    postgres = await embeddedDatabase();
    workers = await intakeWorkers({
      folder,
      database: postgres.url,
      sources: { inbox: `type: folder, path: "\${INBOX}", after: move` },
      variables: { INBOX: inbox },
      env: { SOURCE_FOLDERS: inbox, SOURCE_MAX_RUNS: String(MOST_RUNS) },
    });
  });

  after(async () => {
    await workers?.close();
    await postgres?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('becomes one run each, and is moved once', async () => {
    await workers.start();
    const texts = Array.from({ length: FILES }, (_, n) => `Total: ${n}\n`);
    const writing: Promise<void>[] = [];
    const dropping = (async () => {
      for (const [n, text] of texts.entries()) {
        // Some are put there at once, some are renamed to their place, some are written slowly.
        if (n % 10 === 0) {
          writing.push(slowly(`${n}.txt`, text));
        } else if (n % 3 === 0) {
          await put(`.${n}.part`, text);
          await rename(path.join(inbox, `.${n}.part`), path.join(inbox, `${n}.txt`));
        } else await put(`${n}.txt`, text);
        await sleep(150);
      }
      await Promise.all(writing);
    })();
    const killing = (async () => {
      for (let kills = 0; kills < 12; kills += 1) {
        await sleep(1500 + Math.random() * 1500);
        await workers.killOne();
      }
    })();
    let isOver = false;
    let most = 0;
    const counting = (async () => {
      for (; !isOver; await sleep(50)) most = Math.max(most, await runsUnderWay(postgres.url));
    })();
    await Promise.all([dropping, killing]);
    await until('all are moved', async () => (await readdir(inbox)).join() === 'done', 120_000);
    await until('nothing is left to settle', async () => !(await items()).some(({ unsettled }) => unsettled), 60_000);
    isOver = true;
    await counting;
    expect(most).to.be.within(2, MOST_RUNS);
    const names = texts.map((_, n) => `${n}.txt`).sort();
    expect(await inDone()).to.deep.equal(names);
    const found = await Promise.all(names.map((name) => readFile(path.join(inbox, 'done', name), 'utf8')));
    expect(found.sort()).to.deep.equal([...texts].sort());
    const stored = await runs();
    expect(stored.map(({ file }) => file).sort()).to.deep.equal(names);
    const listed = await items();
    expect(listed.map(({ run_id: id, why_not: whyNot }) => [id, whyNot])).to.have.deep.members(
      stored.map(({ id }) => [id, null]),
    );
    const sources = new Map(stored.map(({ id, source }) => [id, source]));
    for (const { key, run_id: id } of listed)
      expect(sources.get(id ?? '')).to.deep.equal({ name: 'inbox', key, from: null, subject: null });
  });

  it('and put there again, under its name or another one, is no new run, and stays where it is', async () => {
    const before = await items();
    await put('0.txt', 'Total: 0\n');
    await put('another.txt', 'Total: 1\n');
    await until('both are listed', async () => (await items()).length === before.length + 2, 60_000);
    const again = (await items()).slice(before.length);
    const first = (name: string) => before.find((item) => item.name === name);
    const listed = Object.fromEntries(again.map((item) => [item.name, item]));
    expect(listed['0.txt']).to.deep.equal({ ...first('0.txt'), why_not: 'already taken' });
    expect(listed['another.txt']).to.include({ run_id: first('1.txt')?.run_id, why_not: 'already taken' });
    // Looked at again, nothing of it is new.
    await sleep(12_000);
    expect(await items()).to.have.length(before.length + 2);
    expect(await runs()).to.have.length(FILES);
    expect((await readdir(inbox)).sort()).to.deep.equal(['0.txt', 'another.txt', 'done']);
  });
});
