import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aFolder, aServer, type Server, shortLease } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Client, client } from './client.ts';
import { heldFor, holdAll } from './held.ts';
import { extraction, type SlowModel, slowModel } from './model.ts';
import { asking, endLease, type Stage, setUp, sql } from './stage.ts';

describe('workers on one database', () => {
  let folder: string;
  let postgres: OwnDatabase;
  let model: SlowModel;
  let api: Server;
  let stage: Stage;
  let use: Client;
  const workers = new Map<string, Server>();
  const servers: Server[] = [];

  const serverOf = async (role: 'api' | 'worker', key: string, env: Readonly<Record<string, string>> = {}) => {
    const server = await aServer({
      role,
      dataDir: path.join(folder, 'data'),
      env: { ...asking(model, key), DATABASE_URL: postgres.url, ...env },
    });
    servers.push(server);
    return server;
  };
  const worker = (key: string) => workers.get(key) as Server;
  const other = (key: string) => (key === 'one' ? 'two' : 'one');
  /** How often it has said that a run is no longer its own. */
  const lossesOf = async (key: string) => (await worker(key).logs()).split('no longer ours').length - 1;

  before(async () => {
    folder = await aFolder();
    [postgres, model] = await Promise.all([embeddedDatabase(), slowModel()]);
    api = await serverOf('api', 'api');
    await api.start();
    for (const key of ['one', 'two']) workers.set(key, await serverOf('worker', key, { SHUTDOWN_SECONDS: '3' }));
    [stage] = await Promise.all([setUp(api, postgres.url), ...[...workers.values()].map((each) => each.start())]);
    use = client(stage);
  });

  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await model?.close();
    await postgres?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    model.behave(async ({ unit }) => extraction(unit));
    model.forget();
    for (const each of [api, ...workers.values()]) each.signal('SIGCONT');
    await Promise.all([...workers.values()].map((each) => each.start()));
  });

  /** Everything that is stored of a run. */
  const stored = async (id: string) => {
    const of = (table: string, condition: string) =>
      sql(postgres.url, `select to_jsonb(t) - 'updated_at' as row from ${table} t where ${condition} order by 1`, [id]);
    return {
      run: await of('runs', 'id = $1'),
      units: await of('run_units', 'run_id = $1'),
      documents: await of('documents', 'run_id = $1'),
      conversations: await of('conversations', 'run_id = $1'),
      messages: await of('messages', 'conversation_id in (select id from conversations where run_id = $1)'),
    };
  };

  it('share the runs, and no unit is ever worked on twice', async () => {
    model.behave(async ({ unit }) => {
      await sleep(Math.random() * 30);
      return extraction(unit);
    });
    for (const each of workers.values()) each.signal('SIGSTOP');
    const units = Array.from({ length: 120 }, (_, n) => `UNIT-share-${n}`);
    const ids = await Promise.all(units.map((unit) => use.createRun({ units: [unit] })));
    for (const each of workers.values()) each.signal('SIGCONT');
    const runs = await Promise.all(ids.map(use.ended));
    expect(new Set(runs.map(({ status }) => status))).to.deep.equal(new Set(['completed']));
    expect(model.overlaps).to.deep.equal([]);
    expect(new Set(model.calls.map(({ key }) => key))).to.deep.equal(new Set(['one', 'two']));
    for (const unit of units) expect(model.calls.filter((call) => call.unit === unit).length, unit).to.equal(1);
  });

  it('write nothing that comes late: one that was stopped past its lease finds its runs done by the other', async () => {
    const held = holdAll(model);
    const units = Array.from({ length: 6 }, (_, n) => `UNIT-late-${n}`);
    const ids = await Promise.all(units.map((unit) => use.createRun({ files: true, units: [unit] })));
    await until('every unit is asked for', () => held.length === units.length);
    const sleeper = held[0]?.call.key as string;
    const late = held.filter(({ call }) => call.key === sleeper);
    worker(sleeper).signal('SIGSTOP');
    for (const { call } of late) await endLease(postgres.url, ids[units.indexOf(call.unit)] as string);
    for (const { call, answer } of held) if (call.key !== sleeper) answer(extraction(call.unit, 'awake'));
    for (const { call } of late)
      (await heldFor(held, call.unit, other(sleeper))).answer(extraction(call.unit, 'awake'));
    for (const run of await Promise.all(ids.map(use.ended))) expect(run.status).to.equal('completed');

    const before = await Promise.all(ids.map(stored));
    const lost = await lossesOf(sleeper);
    for (const { call, answer } of late) answer(extraction(call.unit, 'asleep'));
    worker(sleeper).signal('SIGCONT');
    await until('the sleeper notices', async () => (await lossesOf(sleeper)) === lost + late.length);
    expect(await Promise.all(ids.map(stored))).to.deep.equal(before);
    for (const [n, id] of ids.entries()) {
      const run = await use.run(id);
      expect(run.documents.length).to.equal(1);
      const document = await use.document(run.documents[0]?.id as string);
      expect(document).to.deep.include({ status: 'ready', document_data: { unit: units[n], read_by: 'awake' } });
    }
  });

  it('do nothing twice at a time when one was stopped past its lease and there was no other', async () => {
    await Promise.all([...workers.values()].map((each) => each.stop()));
    const alone = await serverOf('worker', 'alone', shortLease);
    await alone.start();
    const held = holdAll(model);
    const id = await use.createRun({ units: ['UNIT-alone'] });
    await heldFor(held, 'UNIT-alone');
    alone.signal('SIGSTOP');
    const isOver = async () => {
      const [row] = await sql<{ over: boolean }>(
        postgres.url,
        'select expires_at < now() as over from run_leases where run_id = $1',
        [id],
      );
      return row?.over === true;
    };
    await until('the lease is over', isOver);
    const before = held.length;
    alone.signal('SIGCONT');
    await until('it is asked for again', () => held.length > before);
    // Long enough for a lease that nobody renews to run out.
    await sleep(3000);
    (await heldFor(held, 'UNIT-alone')).answer(extraction('UNIT-alone', 'again'));
    expect((await use.ended(id)).status).to.equal('completed');
    expect(model.overlaps).to.deep.equal([]);
    await alone.stop();
  });

  it('go on where a killed one stopped: from the last unit and the last message that were stored', async () => {
    const [done, asked, corrected] = ['UNIT-go-done', 'UNIT-go-asked', 'UNIT-go-corrected'] as const;
    const held = holdAll(model);
    const id = await use.createRun({ files: true, units: [done, asked, corrected] });
    (await heldFor(held, done)).answer(extraction(done));
    (await heldFor(held, corrected)).answer('This is not JSON.');
    await until('the correction is asked for', () =>
      held.some(({ call }) => call.unit === corrected && call.messages === 3),
    );
    const { key: victim } = (await heldFor(held, asked)).call;
    await until('the first unit is stored', async () => (await use.run(id)).items[0]?.status === 'completed');
    const messagesBefore = (await stored(id)).messages;
    await worker(victim).kill();
    await endLease(postgres.url, id);

    (await heldFor(held, asked, other(victim))).answer(extraction(asked, 'heir'));
    const resumed = await heldFor(held, corrected, other(victim));
    expect(resumed.call.messages).to.equal(3);
    resumed.answer(extraction(corrected, 'heir'));
    const run = await use.ended(id);
    expect(run).to.include({ status: 'completed', attempt: 2 });
    expect(model.calls.filter(({ unit }) => unit === done).length).to.equal(1);
    expect(model.calls.filter(({ key }) => key === other(victim)).length).to.equal(2);
    expect(run.documents.length).to.equal(3);
    const { messages } = await stored(id);
    expect(messages).to.deep.include.members([...messagesBefore]);
    expect(messages.length).to.equal(2 + 2 + 4);
    const [begun] = await Promise.all(run.documents.map(({ id: document }) => use.document(document)));
    expect(begun).to.deep.include({ document_data: { unit: done, read_by: 'model' } });
  });

  it('go on with the window of a long file at which a killed one stopped', async () => {
    const unit = 'UNIT-long';
    const held = holdAll(model);
    const id = await use.createRun({ files: true, units: [unit], lines: 4000 });
    const first = await heldFor(held, unit);
    const { key: victim } = first.call;
    const heir = other(victim);
    first.answer(extraction(unit, 'victim'));
    await until('the second window is asked about', () => held.length === 2);
    await worker(victim).kill();
    await endLease(postgres.url, id);

    const second = await heldFor(held, unit, heir);
    expect(second.call.part).to.equal(held[1]?.call.part);
    second.answer(JSON.stringify({ document: { read_by: 'heir' }, evidence: [] }));
    await until('the third window is asked about', () => held.length === 4);
    held[3]?.answer(JSON.stringify({ document: {}, evidence: [] }));
    const run = await use.ended(id);
    expect(run).to.include({ status: 'completed', attempt: 2 });
    const ends = held.map(
      ({ call }) =>
        /(\d+) to (\d+) of (\d+)/
          .exec(call.part ?? '')
          ?.slice(1)
          .map(Number) ?? [],
    );
    expect(ends.map(([from]) => from)).to.deep.equal([0, ends[0]?.[1], ends[0]?.[1], ends[1]?.[1]]);
    expect(ends[3]?.[1]).to.equal(ends[3]?.[2]);
    const document = await use.document(run.documents[0]?.id as string);
    expect(document).to.deep.include({ status: 'ready', document_data: { unit, read_by: 'victim' } });
    expect(document.coverage).to.include({ complete: true });
    const [row] = await sql<{ contradictions: object }>(
      postgres.url,
      'select contradictions from documents where run_id = $1',
      [id],
    );
    expect(row?.contradictions).to.deep.equal([
      { pointer: '/read_by', message: 'The files state "victim" first, but a later part of the files states "heir".' },
    ]);
    expect((await stored(id)).messages.length).to.equal(1 + 3 * 2);
  });

  it('give a run up after three were lost with it, and keep what it produced', async () => {
    const held = holdAll(model);
    const id = await use.createRun({ files: true, units: ['UNIT-lost-done', 'UNIT-lost'] });
    (await heldFor(held, 'UNIT-lost-done')).answer(extraction('UNIT-lost-done'));
    let holder = (await heldFor(held, 'UNIT-lost')).call.key;
    await until('the first unit is stored', async () => (await use.run(id)).items[0]?.status === 'completed');
    for (const attempt of [1, 2, 3]) {
      expect(await use.run(id)).to.include({ status: 'running', attempt });
      await worker(holder).kill();
      await endLease(postgres.url, id);
      if (attempt === 3) break;
      const killed = holder;
      holder = (await heldFor(held, 'UNIT-lost', other(killed))).call.key;
      await worker(killed).start();
    }
    const run = await use.ended(id);
    expect(run).to.include({ status: 'failed', attempt: 3 });
    expect(run.status_reason?.code).to.equal('worker_lost');
    expect(run.items.map(({ status }) => status)).to.deep.equal(['completed', 'failed']);
    expect(run.documents.map(({ status }) => status)).to.deep.equal(['ready', 'error']);
    expect(model.calls.filter(({ unit }) => unit === 'UNIT-lost').length).to.equal(3);
  });

  it('give a run up as soon as one starts, even if each is killed soon after its start', async () => {
    const held = holdAll(model);
    const id = await use.createRun({ units: ['UNIT-storm'] });
    await heldFor(held, 'UNIT-storm');
    api.signal('SIGSTOP');
    await Promise.all([...workers.values()].map((each) => each.kill()));
    await sql(postgres.url, 'update runs set attempt = 3 where id = $1', [id]);
    await sql(postgres.url, 'update run_leases set attempt = 3, expires_at = now() where run_id = $1', [id]);
    const reasonOf = async () =>
      (
        await sql<{ code: string | null }>(
          postgres.url,
          `select status_reason->>'code' as code from runs where id = $1`,
          [id],
        )
      )[0]?.code;
    // Each lives shorter than the pause between two looks at what was left behind.
    for (let round = 0; round < 6 && (await reasonOf()) === null; round++) {
      await worker('one').start();
      await sleep(300);
      await worker('one').kill();
    }
    expect(await reasonOf()).to.equal('worker_lost');
  });

  it('hand a run back when they are told to stop, and that is not held against it', async () => {
    const held = holdAll(model);
    const id = await use.createRun({ units: ['UNIT-back'] });
    let holder = (await heldFor(held, 'UNIT-back')).call.key;
    for (let stops = 0; stops < 3; stops++) {
      const next = heldFor(held, 'UNIT-back', other(holder));
      expect(await worker(holder).stop()).to.equal(0);
      const stopped = holder;
      holder = (await next).call.key;
      await worker(stopped).start();
    }
    expect((await use.run(id)).status).to.equal('running');
    (await heldFor(held, 'UNIT-back')).answer(extraction('UNIT-back'));
    expect(await use.ended(id)).to.include({ status: 'completed', attempt: 4 });
    expect(model.overlaps).to.deep.equal([]);
  });

  it('let a short piece of work end when they are told to stop', async () => {
    const held = holdAll(model);
    const id = await use.createRun({ units: ['UNIT-short'] });
    const { call, answer } = await heldFor(held, 'UNIT-short');
    const stopping = worker(call.key).stop();
    await sleep(200);
    answer(extraction('UNIT-short'));
    expect(await stopping).to.equal(0);
    expect(await use.ended(id)).to.include({ status: 'completed', attempt: 1 });
  });

  it('stop at the deadline of a run', async () => {
    const hasty = await serverOf('api', 'api', { RUN_DEADLINE_SECONDS: '10' });
    await hasty.start();
    const held = holdAll(model);
    const id = await client({ ...stage, baseUrl: hasty.baseUrl }).createRun({ files: true, units: ['UNIT-deadline'] });
    const { call } = await heldFor(held, 'UNIT-deadline');
    await until('the model is left alone', () => call.gone.aborted);
    const run = await use.ended(id);
    expect(run.status).to.equal('failed');
    expect(run.status_reason?.code).to.equal('deadline_exceeded');
    expect(run.items.map(({ status }) => status)).to.deep.equal(['failed']);
    expect(run.documents.map(({ status }) => status)).to.deep.equal(['error']);
  });
});
