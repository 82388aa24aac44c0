import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { aServer, postmasterOf, type Server, shortLease } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type SlowModel, slowModel, unhurried } from './model.ts';
import { asking, type Stage, setUp } from './stage.ts';
import { randomOf, type Traffic, traffic } from './traffic.ts';

/** A night of it: TEST_KILLS=200. */
const ROUNDS = Number(process.env.TEST_KILLS ?? 10);

describe('under SIGKILL at random moments', function () {
  this.timeout(300_000 + ROUNDS * 30_000);
  let model: SlowModel;
  let server: Server;
  let stage: Stage;
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));

  before(async () => {
    console.log(`    seed: TEST_SEED=${seed}`);
    model = await slowModel();
    server = await aServer({ env: { ...asking(model), ...shortLease, WORKER_CONCURRENCY: '16' } });
    await server.start();
    stage = await setUp(server);
  });

  after(async () => {
    await server?.close();
    await model?.close();
  });

  const untilItWorks = async (load: Traffic) => {
    const answered = load.answered();
    await server.start();
    await until('runs are answered again', () => load.answered() > answered);
  };

  it(`loses and doubles nothing when the server is killed ${ROUNDS} times`, async () => {
    const random = randomOf(seed);
    model.behave(unhurried(randomOf(seed + 1)));
    const load = traffic(stage, 'server', ['worker_lost'], randomOf(seed + 2));
    for (let round = 0; round < ROUNDS; round++) {
      // Every fourth time it is killed while it starts, else once it works.
      if (round % 4 === 3) server.launch();
      else await untilItWorks(load);
      await sleep(random() * 1200);
      await server.kill();
    }
    await server.start();
    await load.stop();
    await load.verify();
    expect(model.overlaps).to.deep.equal([]);
    expect(load.answered()).to.be.greaterThan(ROUNDS);
  });

  it(`loses and doubles nothing when PostgreSQL is killed ${ROUNDS} times, and recovers by itself`, async () => {
    const random = randomOf(seed + 3);
    model.behave(unhurried(randomOf(seed + 4)));
    const { pid } = server;
    const load = traffic(stage, 'postgres', ['worker_lost', 'interrupted', 'internal'], randomOf(seed + 5));
    let last: number | null = null;
    for (let round = 0; round < ROUNDS; round++) {
      const answered = load.answered();
      await until('another PostgreSQL runs, and runs are answered again', async () => {
        if (!server.isRunning()) throw new Error(`The server ended: ${(await server.logs()).slice(-2000)}`);
        const postmaster = await postmasterOf(server.dataDir);
        return postmaster !== null && postmaster !== last && load.answered() > answered;
      });
      await sleep(random() * 800);
      last = await postmasterOf(server.dataDir);
      if (last !== null) process.kill(last, 'SIGKILL');
    }
    await load.stop();
    await load.verify();
    expect(server.pid).to.equal(pid);
    expect(model.overlaps).to.deep.equal([]);
  });
});
