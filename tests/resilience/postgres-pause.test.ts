import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StartedPostgreSqlContainer } from '@testcontainers/postgresql';
import { expect } from 'chai';
import { callApi } from '../support/api.ts';
import { controlOf, startPostgres } from '../support/backends.ts';
import { freePort } from '../support/listen.ts';
import { aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { holdAll } from './held.ts';
import { extraction, type SlowModel, slowModel, unhurried } from './model.ts';
import { asking, type Stage, setUp } from './stage.ts';
import { randomOf, type Traffic, traffic } from './traffic.ts';

const PAUSE_MS = 10_000;

describe('a server whose external PostgreSQL goes away', function () {
  this.timeout(300_000);
  let postgres: StartedPostgreSqlContainer;
  let docker: Awaited<ReturnType<typeof controlOf>>;
  let model: SlowModel;
  let server: Server;
  let stage: Stage;
  let begun: Traffic | null = null;
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));

  before(async function () {
    const port = await freePort();
    const started = await startPostgres((container) => container.withExposedPorts({ container: 5432, host: port }));
    if (!started) return this.skip();
    console.log(`    seed: TEST_SEED=${seed}`);
    postgres = started;
    docker = await controlOf(postgres);
    model = await slowModel();
    const env = {
      DATABASE_URL: postgres.getConnectionUri(),
      // Longer than the disk of a busy machine stands still; the client gives up after five seconds more, within the pause.
      DATABASE_STATEMENT_TIMEOUT_SECONDS: '3',
      DATABASE_CONNECT_TIMEOUT_SECONDS: '2',
    };
    server = await aServer({ env: { ...asking(model), ...env, WORKER_CONCURRENCY: '16' } });
    await server.start();
    stage = await setUp(server, env.DATABASE_URL);
  });
  afterEach(async () => {
    await docker?.unpause();
    await begun?.stop().catch(() => {});
  });
  after(async () => {
    await server?.close();
    await model?.close();
    await postgres?.stop();
  });

  const status = async (path: string, body?: object) =>
    (await callApi(stage.baseUrl, stage.key, path, { body })).status;

  const begin = (label: string, from: number): Traffic => {
    model.behave(unhurried(randomOf(seed + from)));
    begun = traffic(stage, label, ['worker_lost', 'interrupted', 'internal'], randomOf(seed + from + 1));
    return begun;
  };

  /** Stops PostgreSQL while a unit is at the model, which answers what it is asked meanwhile once PostgreSQL is gone. */
  const duringWork = async (stop: () => Promise<void>) => {
    const held = holdAll(model);
    await until('a unit is at the model', () => held.length > 0);
    await stop();
    model.behave(unhurried(randomOf(seed + held.length)));
    for (const { call, answer } of held) answer(extraction(call.unit));
  };

  const moreRuns = async (load: Traffic) => {
    const answered = load.answered();
    await until('runs are answered', () => load.answered() > answered + 5);
  };

  const endsWell = async (load: Traffic, pid: number) => {
    await moreRuns(load);
    await load.stop();
    await load.verify();
    expect(server.pid, 'without a start of Portico').to.equal(pid);
    expect(model.overlaps).to.deep.equal([]);
  };

  it('answers while it is paused, that it cannot, and loses and doubles nothing', async () => {
    const { pid } = server;
    const load = begin('paused', 0);
    await moreRuns(load);
    await duringWork(docker.pause);
    // Answered while it is paused still: no request waits for its return.
    const asked = [
      status('/runs'),
      status('/connections'),
      status(`/agents/${stage.agentId}/run`, { user_message: 'This is UNIT-refused.' }),
    ];
    const [answers] = await Promise.all([Promise.all(asked), sleep(PAUSE_MS)]);
    for (const answer of answers) expect(answer).to.be.oneOf([500, 503]);
    await docker.unpause();
    await endsWell(load, pid);
  });

  it('goes on after a restart of it, and loses and doubles nothing', async () => {
    const { pid } = server;
    const load = begin('restarted', 2);
    await moreRuns(load);
    await duringWork(docker.kill);
    await sleep(2_000);
    await docker.start();
    await endsWell(load, pid);
  });
});
