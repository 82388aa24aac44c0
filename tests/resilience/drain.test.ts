import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { freePort } from '../support/listen.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { client } from './client.ts';
import { liveMemory } from './inspector.ts';
import { extraction, type SlowModel, slowModel } from './model.ts';
import { asking, type Stage, setUp, sql } from './stage.ts';

const RUNS = 500;
const WARM_UP = 100;
const MB = 1024 * 1024;
/** A message is as long as one may be: whatever is kept of the runs shows, and would be over 40 MB. */
const PADDING = 'The quick brown fox jumps over the lazy dog. '.repeat(2200);
/** What is still in use once garbage is collected. */
const LIVE_GROWTH = 12 * MB;
/** With the garbage that is not collected yet. */
const RESIDENT_GROWTH = 400 * MB;

const inMegabytes = (bytes: readonly number[]) => bytes.map((each) => `${Math.round(each / MB)} MB`).join(', ');

describe('a long queue', function () {
  this.timeout(300_000);
  let model: SlowModel;
  let postgres: OwnDatabase;
  let server: Server;
  let stage: Stage;
  let port: number;

  before(async () => {
    [postgres, model, port] = await Promise.all([embeddedDatabase(), slowModel(), freePort()]);
    server = await aServer({
      env: { ...asking(model), DATABASE_URL: postgres.url, NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
    });
    await server.start();
    stage = await setUp(server, postgres.url);
  });

  after(async () => {
    await server?.close();
    await model?.close();
    await postgres?.drop();
  });

  const unfinished = async () => {
    const [row] = await sql<{ n: number }>(
      stage.database,
      `select count(*)::int as n from runs where status in ('queued', 'running')`,
    );
    return row?.n ?? 0;
  };

  /** Queues the runs while the model keeps everybody waiting, then lets them through; the resident memory on the way. */
  const drain = async (label: string, runs: number): Promise<readonly number[]> => {
    const gate = Promise.withResolvers<void>();
    model.behave(async ({ unit }) => {
      await gate.promise;
      return extraction(unit);
    });
    const use = client(stage);
    const numbers = Array.from({ length: runs }, (_, n) => n).values();
    const lane = async () => {
      for (const n of numbers) await use.createRun({ units: [`UNIT-${label}-${n}. ${PADDING}`] });
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(await unfinished()).to.equal(runs);
    gate.resolve();
    const memory: number[] = [];
    const isEmpty = async () => {
      memory.push(await server.memory());
      await sleep(100);
      return (await unfinished()) === 0;
    };
    await until('the queue is empty', isEmpty, 200_000);
    return memory;
  };

  it(`of ${RUNS} runs drains, and the memory does not grow with it`, async () => {
    const warm = await drain('warm-up', WARM_UP);
    const before = await liveMemory(port);
    const memory = await drain('queue', RUNS);
    const after = await liveMemory(port);
    const points = [0, 0.25, 0.5, 0.75, 1].map((part) => memory[Math.floor(part * (memory.length - 1))] ?? 0);
    console.log(`      in use: ${inMegabytes([before, after])}; resident on the way: ${inMegabytes(points)}`);
    expect(after - before, 'what is in use').to.be.lessThan(LIVE_GROWTH);
    expect(Math.max(...memory) - Math.max(...warm), 'what is resident').to.be.lessThan(RESIDENT_GROWTH);
    const ends = await sql<{ status: string }>(stage.database, 'select distinct status from runs');
    expect(ends).to.deep.equal([{ status: 'completed' }]);
    expect(model.overlaps).to.deep.equal([]);
  });
});
