import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { eventSource } from '../support/event-source.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import type { Environment } from '../support/program.ts';
import { aFolder, aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Client, client } from './client.ts';
import { heldFor, holdAll } from './held.ts';
import { extraction, type SlowModel, slowModel } from './model.ts';
import { type RollingProxy, rollingProxy } from './rolling-proxy.ts';
import { asking, lockedLedger, type Stage, setUp, sql } from './stage.ts';
import { randomOf, traffic } from './traffic.ts';

/** Each of the servers is killed once. */
const ROUNDS = 4;
const SHORTEST_ANSWER_MS = 200;

/** The settings by which a program has a clock that is off. */
const clockOff = (minutes: number): Environment => ({
  NODE_OPTIONS: `--import ${path.resolve(import.meta.dirname, 'roles-clock.ts')}`,
  TEST_CLOCK_OFF_MINUTES: String(minutes),
});

describe('two servers of each role on one database', function () {
  this.timeout(300_000);
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));
  let folder: string;
  let postgres: OwnDatabase;
  let model: SlowModel;
  let proxy: RollingProxy;
  let stage: Stage;
  const servers: Server[] = [];
  let apis: readonly [Server, Server];
  let workers: readonly [Server, Server];

  const serverOf = async (role: 'api' | 'worker', key: string, env: Environment = {}) => {
    const settings = { ...asking(model, key), DATABASE_URL: postgres.url, ...env };
    const server = await aServer({ role, dataDir: path.join(folder, 'data'), env: settings });
    servers.push(server);
    return server;
  };

  before(async () => {
    console.log(`    seed: TEST_SEED=${seed}`);
    folder = await aFolder();
    [postgres, model] = await Promise.all([embeddedDatabase(), slowModel()]);
    apis = [await serverOf('api', 'api'), await serverOf('api', 'api', clockOff(10))];
    // Longer than a slow machine halts a worker that lives: the runs of one test are to be taken up once.
    const lease = { RUN_LEASE_SECONDS: '10' };
    workers = [await serverOf('worker', 'one', lease), await serverOf('worker', 'two', { ...lease, ...clockOff(-10) })];
    await apis[0].start();
    await Promise.all(servers.map((server) => server.start()));
    stage = await setUp(apis[0], postgres.url);
    proxy = await rollingProxy(apis.map(({ baseUrl }) => baseUrl));
  });

  after(async () => {
    await proxy?.close();
    await Promise.all(servers.map((server) => server.close()));
    await model?.close();
    await postgres?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    model.behave(async ({ unit }) => extraction(unit));
    model.forget();
    await Promise.all(servers.map((server) => server.start()));
  });

  it('have clocks that are far apart', async () => {
    const timeOf = async ({ baseUrl }: Server) => {
      const answer = await fetch(`${baseUrl}/api/v1/agents/${stage.agentId}/upload-urls`, {
        method: 'POST',
        headers: { 'x-api-key': stage.key, 'content-type': 'application/json' },
        body: JSON.stringify({ files: [{ file_name: 'a.txt', content_type: 'text/plain' }] }),
      });
      const { data } = (await answer.json()) as { data: { files: { expires_at: string }[] } };
      return Date.parse(data.files[0]?.expires_at ?? '');
    };
    const apart = (await timeOf(apis[1])) - (await timeOf(apis[0]));
    expect(apart / 60_000).to.be.within(9.5, 10.5);
  });

  it('lose and double nothing when one after the other is killed, clocks 20 minutes apart', async () => {
    const random = randomOf(seed);
    model.behave(async ({ unit }) => {
      await sleep(SHORTEST_ANSWER_MS + random() * 400);
      return extraction(unit);
    });
    const load = traffic({ ...stage, baseUrl: proxy.baseUrl }, 'roles', ['worker_lost'], randomOf(seed + 1), 2400);
    /** A worker loses what it is at. */
    const isAsking = (key: string) => {
      const before = model.calls.length;
      return until(`worker ${key} asks the model`, () => model.calls.slice(before).some((call) => call.key === key));
    };
    for (let round = 0; round < ROUNDS; round++) {
      const answered = load.answered();
      await until('runs are answered', () => load.answered() > answered + 3);
      const victim = [apis[0], workers[1], apis[1], workers[0]][round % 4] as Server;
      if (round % 2 === 1) await isAsking(victim === workers[0] ? 'one' : 'two');
      await sleep(random() * SHORTEST_ANSWER_MS);
      await victim.kill();
      await until('runs are answered without it', () => load.answered() > answered + 6);
      await victim.start();
    }
    await load.stop();
    await load.verify();
    expect(model.overlaps).to.deep.equal([]);
  });

  it('show every event of a run once, in order, to a client whose stream goes on at the other when one is killed', async () => {
    const headers = { 'x-api-key': stage.key };
    const held = holdAll(model);
    const units = ['UNIT-before', 'UNIT-meanwhile', 'UNIT-after'];
    const id = await client(stage).createRun({ units, files: true });
    const [before, meanwhile, last] = await Promise.all(units.map((unit) => heldFor(held, unit)));
    const address = ({ baseUrl }: Server) => `${baseUrl}/api/v1/runs/${id}/events`;
    const broken = await eventSource(address(apis[0]), headers);
    before?.answer(extraction('UNIT-before'));
    await broken.until((frames) => frames.some(({ event }) => event === 'unit.completed'));
    await apis[0].kill();
    expect(await broken.ended, 'ended in order').to.equal(false);
    const seen = broken.frames.length;
    meanwhile?.answer(extraction('UNIT-meanwhile'));
    const use = client({ ...stage, baseUrl: apis[1].baseUrl });
    await until(
      'a unit ends while there is no stream',
      async () => (await use.run(id)).items[1]?.status === 'completed',
    );
    const resumed = await eventSource(address(apis[1]), {
      ...headers,
      'last-event-id': broken.frames.at(-1)?.id ?? '',
    });
    await resumed.until((frames) => frames.some(({ event }) => event === 'unit.completed'));
    last?.answer(extraction('UNIT-after'));
    expect(await resumed.ended).to.equal(true);
    expect(broken.frames).to.have.length(seen);
    const listed = (await (await fetch(address(apis[1]), { headers })).json()) as {
      data: { events: readonly { type: string }[] };
    };
    expect([...broken.frames, ...resumed.frames].map(({ data }) => data)).to.deep.equal(listed.data.events);
    expect(listed.data.events.filter(({ type }) => type === 'unit.completed')).to.have.length(3);
    expect(listed.data.events.at(-1)?.type).to.equal('run.completed');
  });

  it('share the runs whatever their clocks say, each unit once', async () => {
    model.behave(async ({ unit }) => {
      await sleep(Math.random() * 30);
      return extraction(unit);
    });
    const use = client({ ...stage, baseUrl: apis[1].baseUrl });
    const units = Array.from({ length: 60 }, (_, n) => `UNIT-clocks-${n}`);
    for (const each of workers) each.signal('SIGSTOP');
    const ids = await Promise.all(units.map((unit) => use.createRun({ units: [unit] })));
    for (const each of workers) each.signal('SIGCONT');
    const runs = await Promise.all(ids.map(use.ended));
    expect(new Set(runs.map(({ status }) => status))).to.deep.equal(new Set(['completed']));
    expect(new Set(model.calls.map(({ key }) => key))).to.deep.equal(new Set(['one', 'two']));
    expect(model.overlaps).to.deep.equal([]);
  });

  describe('where one is lost while it delivers', () => {
    const aReadyDocument = async (use: Client, unit: string) => {
      const held = holdAll(model);
      const id = await use.createRun({ units: [unit] });
      (await heldFor(held, unit)).answer(extraction(unit));
      return (await use.ended(id)).documents[0]?.id as string;
    };

    const isProcessing = async (id: string) =>
      (await sql<{ status: string }>(stage.database, 'select status from documents where id = $1', [id]))[0]?.status ===
      'processing';

    const rows = (id: string) => sql(stage.ledger, 'select id from entries where document_id = $1', [id]);

    it('the document is free again within seconds, and gets into the system of record once', async () => {
      const [near, far] = apis.map(({ baseUrl }) => client({ ...stage, baseUrl })) as [Client, Client];
      const document = await aReadyDocument(near, 'UNIT-delivery');
      const lock = await lockedLedger(stage);
      void near.process(document);
      await until('it is being delivered', () => isProcessing(document));
      expect((await far.process(document))?.status).to.equal(409);
      const killed = performance.now();
      await apis[0].kill();
      await lock.release();
      let answer = await far.process(document);
      await until('it is processed', async () => {
        answer = answer?.status === 200 ? answer : await far.process(document);
        return answer?.status === 200;
      });
      console.log(`      processed ${Math.round((performance.now() - killed) / 1000)} s after the kill`);
      expect(answer?.document).to.include({ status: 'processed', error: null });
      expect(await rows(document)).to.have.length(1);
    });

    it('a delivery that is under way for longer than its lease keeps its document', async () => {
      const [near, far] = apis.map(({ baseUrl }) => client({ ...stage, baseUrl })) as [Client, Client];
      const document = await aReadyDocument(near, 'UNIT-long');
      const lock = await lockedLedger(stage);
      const delivering = near.process(document);
      await until('it is being delivered', () => isProcessing(document));
      await sleep(17_000);
      expect((await far.process(document))?.status).to.equal(409);
      await lock.release();
      expect((await delivering)?.document).to.include({ status: 'processed' });
      expect(await rows(document)).to.have.length(1);
    });
  });
});
