import { mkdir, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { SourceWorker } from '../../src/composition/modules/sources.ts';
import { callApi } from '../support/api.ts';
import { readExposition, sampled } from '../support/exposition.ts';
import { aPlace, serveHere } from '../support/here.ts';
import { aFolder } from '../support/server.ts';

const workspace = (sources: string) => `
workspace: intake
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
  - { email: eve@example.com, name: Eve, role: viewer }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read it.
    document_schema: { type: object, properties: { total: { type: number } } }
    visible_to: [ada@example.com, eve@example.com]
  - name: Other
    workflow_type: assistant
    model: offline
    instructions: Read it.
    visible_to: [eve@example.com]
sources:
${sources}
`;

interface Source {
  readonly name: string;
  readonly last_checked_at: string | null;
  readonly state: string;
  readonly error: string | null;
}
interface Item {
  readonly key: string;
  readonly name: string;
  readonly size_bytes: number;
  readonly digest: string | null;
  readonly run_id: string | null;
  readonly why_not: string | null;
}

describe('sources over the API', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let here: Awaited<ReturnType<typeof serveHere>>;
  let folder: string;
  let keys: Readonly<Record<'ada' | 'bob' | 'eve', string>>;

  before(async () => {
    place = await aPlace();
    folder = await realpath(await aFolder());
    const folders = ['inbox', 'faulty', 'hidden', 'many'];
    for (const name of folders) await mkdir(path.join(folder, name));
    here = await serveHere({
      ...place.settings,
      SOURCE_FOLDERS: folders.map((name) => path.join(folder, name)).join(','),
      SOURCE_MAX_RUNS: '4',
      MAX_UPLOAD_BYTES: '1000',
    });
    await here.apply(
      workspace(`
  - { name: inbox, agent: Reader, type: folder, path: ${folder}/inbox, after: move, every: 1h }
  - { name: faulty, agent: Reader, type: folder, path: ${folder}/faulty, after: keep, every: 1h }
  - { name: many, agent: Reader, type: folder, path: ${folder}/many, after: move, every: 1h }
  - { name: for nobody, agent: Other, type: folder, path: ${folder}/hidden, every: 1h }`),
    );
    keys = {
      ada: await here.key('ada@example.com'),
      bob: await here.key('bob@example.com'),
      eve: await here.key('eve@example.com'),
    };
    here.container.get(SourceWorker).start();
  });

  after(async () => {
    await here.container.get(SourceWorker).stop(0);
    await here.stop();
    await place.remove();
    await rm(folder, { recursive: true });
  });

  const call = <Body>(route: string, { as = keys.ada, ...sent }: { as?: string; method?: string } = {}) =>
    callApi<{ data: Body }>(here.url, as, route, sent);
  const sources = async (as = keys.ada) => (await call<{ sources: Source[] }>('/sources', { as })).body.data.sources;
  const source = async (name: string) => (await sources(keys.eve)).find((each) => each.name === name);
  const items = async (name: string, query = '') =>
    (await call<{ items: Item[]; next: string | null }>(`/sources/${name}/intake${query}`)).body.data;
  const until = async (isSo: () => Promise<boolean>) => {
    for (let tries = 0; !(await isSo()); tries += 1) {
      if (tries > 300) throw new Error('it does not come to it');
      await sleep(100);
    }
  };
  /** Asks for a look, and waits for its end. */
  const check = async (name: string) => {
    const before = (await source(name))?.last_checked_at;
    const { status } = await call(`/sources/${encodeURIComponent(name)}/check`, { method: 'POST' });
    expect(status).to.equal(202);
    await until(async () => (await source(name))?.last_checked_at !== before);
  };
  const put = (file: string, text: string) => writeFile(path.join(folder, file), text);

  it('are listed to those who see their agents', async () => {
    expect((await sources()).map(({ name }) => name)).to.deep.equal(['faulty', 'inbox', 'many']);
    expect((await sources(keys.eve)).map(({ name }) => name)).to.deep.equal(['faulty', 'for nobody', 'inbox', 'many']);
    expect(await sources(keys.bob)).to.deep.equal([]);
    expect((await call('/sources/inbox/intake', { as: keys.bob })).status).to.equal(404);
    expect((await call('/sources/inbox/check', { as: keys.bob, method: 'POST' })).status).to.equal(404);
    expect((await call('/sources/inbox/check', { as: keys.eve, method: 'POST' })).status).to.equal(403);
    expect((await call('/sources/none/intake')).status).to.equal(404);
  });

  it('bring runs, which say where they came from, and list what became none', async () => {
    await put('inbox/invoice.txt', 'Total: 12');
    await put('inbox/large.txt', 'x'.repeat(1001));
    await put('inbox/empty.txt', '');
    await check('inbox');
    const { items: found } = await items('inbox');
    const by = Object.fromEntries(found.map((item) => [item.name, item]));
    expect(by['large.txt']).to.include({ why_not: 'too large', run_id: null, digest: null, size_bytes: 1001 });
    expect(by['empty.txt']).to.include({ why_not: 'nothing to read', run_id: null, size_bytes: 0 });
    const taken = by['invoice.txt'] as Item;
    expect(taken).to.include({ why_not: null, size_bytes: 9 });
    expect(taken.key).to.equal(`${folder}/inbox/invoice.txt ${taken.digest}`);
    const { data } = (await call<{ runs: { id: string; source: object }[]; total: number }>('/runs')).body;
    expect(data.runs.map(({ id, source: from }) => [id, from])).to.deep.equal([
      [taken.run_id, { name: 'inbox', key: taken.key, from: null, subject: null }],
    ]);
    const run = (await call<{ files: object[]; source: object }>(`/runs/${taken.run_id}`)).body.data;
    expect(run.files).to.have.length(1);
    expect(run.source).to.include({ name: 'inbox' });
    const events = (await call<{ events: { type: string; data: { source: object } }[] }>('/events?types=run.queued'))
      .body;
    expect(events.data.events[0]?.data.source).to.deep.equal(run.source);
    await check('inbox');
    expect((await items('inbox')).items).to.deep.equal(found);
  });

  it('list a file that is put there again, with the first run, and page by cursors', async () => {
    await put('inbox/copy.txt', 'Total: 12');
    await check('inbox');
    const [copy] = (await items('inbox')).items;
    const first = await items('inbox', '?limit=3');
    const rest = await items('inbox', `?limit=3&after=${first.next}`);
    expect(first.items).to.have.length(3);
    expect(rest.items).to.have.length(1);
    expect(rest.next).to.equal(null);
    const original = [...first.items, ...rest.items].find(({ name }) => name === 'invoice.txt');
    expect(copy).to.include({ name: 'copy.txt', why_not: 'already taken', run_id: original?.run_id });
  });

  it('list what comes again as taken, once and without its name, although its run was erased', async () => {
    await put('faulty/personal.txt', 'Total: 15');
    await check('faulty');
    const [first] = (await items('faulty')).items;
    await call(`/runs/${first?.run_id}/cancel`, { method: 'POST' });
    const body = { run_id: first?.run_id, reason: 'Request 1' };
    const { status } = await callApi(here.url, keys.ada, '/erasures', { body });
    expect(status).to.be.within(200, 202);
    const erased = { ...first, name: 'erased', key: '', run_id: null };
    expect((await items('faulty')).items).to.deep.equal([erased]);
    await put('faulty/again.txt', 'Total: 15');
    for (let looks = 0; looks < 2; looks += 1) {
      await check('faulty');
      const [again, ...others] = (await items('faulty')).items;
      expect(again).to.include({ name: 'erased', key: '', why_not: 'already taken', run_id: null });
      expect(others).to.deep.equal([erased]);
    }
  });

  it('say why the last look failed, and are well again after a look that did not', async () => {
    await check('faulty');
    expect((await source('faulty'))?.error).to.equal(null);
    await rename(path.join(folder, 'faulty'), path.join(folder, 'gone'));
    await check('faulty');
    expect(await source('faulty')).to.include({ state: 'failing', error: `The folder ${folder}/faulty is not there.` });
    await rename(path.join(folder, 'gone'), path.join(folder, 'faulty'));
    await put('faulty/late.txt', 'Total: 13');
    await check('faulty');
    expect((await source('faulty'))?.error).to.equal(null);
    expect((await items('faulty')).items[0]?.name).to.equal('late.txt');
  });

  it('say so where their secrets do not open with the encryption key', async () => {
    const { pool } = here.composition.database;
    const { rows } = await pool.query<{ sealed: string }>(
      `select sealed_place as sealed from sources where name = 'faulty'`,
    );
    const seal = (text: string | undefined) =>
      pool.query(`update sources set sealed_place = $1 where name = 'faulty'`, [text]);
    await seal(`v1.${Buffer.alloc(40, 1).toString('base64url')}`);
    await check('faulty');
    expect((await source('faulty'))?.error).to.match(
      /^The secrets of the source cannot be opened with the encryption key/,
    );
    await seal(rows[0]?.sealed);
    await check('faulty');
    expect((await source('faulty'))?.error).to.equal(null);
  });

  it('start no more runs than may be under way, and go on by themselves once half of these have ended', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `${n}.txt`);
    for (const name of names) await put(`many/${name}`, `Total: ${name}`);
    const runs = async () => (await items('many')).items.map(({ run_id: id }) => id);
    const left = async () => (await readdir(path.join(folder, 'many'))).filter((name) => name !== 'done');
    const cancel = (id: string | null | undefined) => call(`/runs/${id}/cancel`, { method: 'POST' });
    await check('many');
    const first = await runs();
    expect(first).to.have.length(4);
    expect(await left()).to.have.length(6);
    expect(await source('many')).to.include({ state: 'waiting', error: null });
    await cancel(first[0]);
    await check('many');
    expect(await runs()).to.have.length(4);
    await put('inbox/beside.txt', 'Total: 14');
    await check('inbox');
    expect((await items('inbox')).items[0]).to.include({ name: 'beside.txt', why_not: null });
    expect((await source('inbox'))?.state).to.equal('well');
    await cancel(first[1]);
    await until(async () => (await runs()).length === 6);
    expect((await source('many'))?.state).to.equal('waiting');
    await until(async () => {
      for (const id of await runs()) await cancel(id);
      return (await left()).length === 0;
    });
    await until(async () => (await source('many'))?.state === 'well');
    expect((await items('many')).items.map(({ name }) => name)).to.have.members(names);
    expect(new Set(await runs()).size).to.equal(10);
  });

  it('say so if no user may start their runs', async () => {
    const { error } = (await source('for nobody')) ?? {};
    expect(error).to.equal('No user who may start runs sees the agent of this source.');
  });

  it('are looked at by nobody while they are paused, and know then what was taken', async () => {
    const entry = (paused: boolean) =>
      `  - { name: faulty, agent: Reader, type: folder, path: ${folder}/faulty, after: keep, every: 5s, paused: ${paused} }`;
    await here.apply(workspace(entry(true)));
    expect((await source('faulty'))?.state).to.equal('paused');
    const before = await items('faulty');
    const { last_checked_at: at } = (await source('faulty')) ?? {};
    await put('faulty/paused.txt', 'Total: 16');
    expect((await call('/sources/faulty/check', { method: 'POST' })).status).to.equal(202);
    await sleep(4000);
    expect([(await source('faulty'))?.last_checked_at, await items('faulty')]).to.deep.equal([at, before]);
    await here.apply(workspace(entry(false)));
    await until(async () => (await items('faulty')).items.length > before.items.length);
    const { items: after } = await items('faulty');
    const taken = (some: readonly Item[]) => some.filter(({ why_not: whyNot }) => whyNot === null);
    expect(taken(after).slice(1)).to.deep.equal(taken(before.items));
    expect(taken(after)[0]?.name).to.equal('paused.txt');
  });

  it('start nothing while a budget is spent, which is counted, and go on once it is raised', async () => {
    const entry = `  - { name: faulty, agent: Reader, type: folder, path: ${folder}/faulty, after: keep, every: 1h }`;
    const budget = (limit: string) => `${workspace(entry)}
prices: { currency: EUR, models: { offline: { input: "1", output: "1" } } }
budgets: [{ name: All, limit: "${limit}", period: month, action: stop }]`;
    await here.apply(budget('0'));
    const before = await items('faulty');
    await put('faulty/spent.txt', 'Total: 17');
    await check('faulty');
    expect((await source('faulty'))?.error).to.match(/^The budget All, 0 EUR for this month, is spent\./);
    expect(await items('faulty')).to.deep.equal(before);
    const exposed = readExposition((await here.composition.metrics.expose()).body);
    expect(sampled(exposed, 'portico_budget_refusals_total')).to.equal(1);
    await here.apply(budget('1'));
    await check('faulty');
    expect((await items('faulty')).items[0]?.name).to.equal('spent.txt');
  });

  it('are refused where the operator does not allow the place, or there is no such agent', async () => {
    const refusal = async (entry: string) => here.apply(workspace(entry)).catch((error: Error) => error.message);
    const other = await refusal('  - { name: a, agent: Reader, type: folder, path: /etc }');
    expect(other).to.equal('sources[0].path must be one of SOURCE_FOLDERS, which the operator of the server sets');
    const names = await refusal(`  - { name: a, agent: Nobody, type: folder, path: ${folder}/inbox }`);
    expect(names).to.equal('sources[0].agent names Nobody, which is not among the agents');
    const twice = `  - { name: a, agent: Reader, type: folder, path: ${folder}/inbox }\n`;
    expect(await refusal(twice + twice)).to.equal('sources[1].name is the second a');
  });
});
