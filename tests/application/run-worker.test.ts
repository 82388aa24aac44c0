import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import type { Work } from '../../src/application/ports/queue.ts';
import type { Slots } from '../../src/application/worker/run-work.ts';
import { runWorker } from '../../src/application/worker/run-worker.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { MAX_ATTEMPTS } from '../../src/domain/run.ts';
import { aNewRun, type Cast } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { usePostgres } from '../support/postgres.ts';
import { aLeasedRun, detailOf, only, postgresStage, type RunStage } from '../support/runs.ts';

const settings = { concurrency: 1, leaseSeconds: 60 };

describe('a worker whose work is interrupted', () => {
  const postgres = usePostgres();
  let stage: RunStage;
  let cast: Cast;
  let leased: Work;

  beforeEach(async () => {
    stage = postgresStage(postgres);
    await stage.clear();
    cast = await stage.cast();
    leased = await aLeasedRun(stage, cast);
  });
  afterEach(() => stage.close());

  /** As if the leases of attempts that are over had run out; the one under way keeps its own. */
  const expireUpTo = (attempt: number) =>
    postgres.database.pool.query(
      `update run_leases set expires_at = date_trunc('milliseconds', now()) where attempt <= $1`,
      [attempt],
    );

  /** Interrupts every run that it takes up, until it has taken up so many. */
  const interrupted = async (times: number, error: Error = new Error('the disk is full')) => {
    const attempts: number[] = [];
    const runWork = async ({ lease }: Work) => {
      attempts.push(lease.attempt);
      throw error;
    };
    const worker = runWorker({
      queue: stage.queue,
      changes: stage.changes,
      runWork,
      ids: uuidIds,
      log: quiet,
      settings,
    });
    worker.start();
    for (let looks = 0; looks < 600 && attempts.length < times; looks++) {
      await expireUpTo(attempts.at(-1) ?? leased.lease.attempt);
      await sleep(25);
    }
    await worker.stop(1000);
    return attempts;
  };

  it('leaves the run to others as long as it may be attempted, handed back or not', async () => {
    await stage.queue.release(leased.lease);
    for (let handed = 2; handed <= MAX_ATTEMPTS; handed++)
      await stage.queue.release(only(await stage.queue.lease('other', 1, 60)).lease);
    const [first] = await interrupted(1);
    expect(first).to.equal(MAX_ATTEMPTS + 1);
    expect((await detailOf(stage, cast, leased.run.id)).status).to.equal('running');
  });

  it('gives the run up after the last attempt, and names what is out of reach', async () => {
    await stage.expireLeases();
    const outage = new DomainError('unavailable', 'The file store cannot be reached.');
    expect(await interrupted(MAX_ATTEMPTS - 1, outage)).to.deep.equal([2, 3]);
    const { status, error, statusReason } = await detailOf(stage, cast, leased.run.id);
    const message = 'The file store cannot be reached. This happened each time the run was tried: start it again.';
    expect({ status, error, statusReason }).to.deep.equal({
      status: 'failed',
      error: message,
      statusReason: { code: 'interrupted', message },
    });
  });

  it('gives the run up after the last attempt, and owns up to what is no outage', async () => {
    await stage.expireLeases();
    expect(await interrupted(MAX_ATTEMPTS - 1)).to.deep.equal([2, 3]);
    const { status, statusReason } = await detailOf(stage, cast, leased.run.id);
    expect([status, statusReason?.code]).to.deep.equal(['failed', 'internal']);
    expect(statusReason?.message)
      .to.match(/on our side each time the run was tried/)
      .and.not.contain('disk');
  });
});

describe('a worker that several workspaces want', () => {
  const postgres = usePostgres();
  let stage: RunStage;
  let casts: { readonly A: Cast; readonly B: Cast; readonly C: Cast };
  let stop = async () => {};

  beforeEach(async () => {
    stage = postgresStage(postgres);
    await stage.clear();
    casts = { A: await stage.cast(), B: await stage.cast(), C: await stage.cast() };
  });
  afterEach(async () => {
    await stop();
    await stage.close();
  });

  const create = async (who: keyof typeof casts, units = 1) =>
    void (await stage.runs.create(aNewRun(casts[who].agent, casts[who].user, { files: units }), null));

  /** A worker whose units end when they are told to. */
  const aWorker = (concurrency: number, endTakesMs = 0) => {
    const nameOf = (id: string) => Object.entries(casts).find(([, { user }]) => user.workspaceId === id)?.[0] ?? '?';
    const units: { readonly of: string; readonly end: () => void; over: boolean }[] = [];
    const runWork = async ({ run, lease, units: all }: Work, slots: Slots) => {
      const unit = () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        units.push({ of: nameOf(run.workspaceId), end: resolve, over: false });
        return promise;
      };
      await Promise.all(all.map(() => slots(unit)));
      await sleep(endTakesMs);
      await stage.queue.finish(lease, { event: 'complete' });
    };
    const fair = { concurrency, leaseSeconds: 60 };
    const worker = runWorker({
      queue: stage.queue,
      changes: stage.changes,
      runWork,
      ids: uuidIds,
      log: quiet,
      settings: fair,
    });
    const inWork = () => units.filter(({ over }) => !over).map(({ of }) => of);
    const whenBegun = async (count: number) => {
      for (let looks = 0; units.length < count; looks += 1) {
        if (looks === 2000) throw new Error(`only ${units.length} of ${count} units have begun`);
        await sleep(5);
      }
    };
    /** Ends the oldest unit of a workspace, and waits for what takes its place. */
    const end = async (of: string) => {
      const unit = units.find((each) => each.of === of && !each.over);
      if (!unit) throw new Error(`${of} has no unit in work`);
      const before = units.length;
      unit.over = true;
      unit.end();
      await whenBegun(before + 1);
      return units[before]?.of;
    };
    stop = async () => {
      const stopping = worker.stop(60_000);
      for (let looks = 0; inWork().length > 0 || looks < 5; looks += 1) {
        for (const unit of units) {
          unit.over = true;
          unit.end();
        }
        await sleep(5);
      }
      await stopping;
    };
    return { worker, end, inWork, whenBegun };
  };

  it('gives a place to the run of another one before the next unit of a long run', async () => {
    await create('A', 12);
    const { worker, end, whenBegun } = aWorker(2);
    worker.start();
    await whenBegun(2);
    await create('B');
    await create('C');
    expect([await end('A'), await end('A')].toSorted()).to.deep.equal(['B', 'C']);
    expect([await end('B'), await end('C')]).to.deep.equal(['A', 'A']);
  });

  for (const [however, endTakesMs] of [
    ['whether the runs are long or many', 0],
    ['however long it takes to store the end of a run', 500],
  ] as const) {
    it(`shares its places evenly, ${however}`, async () => {
      await create('A', 20);
      const { worker, end, inWork, whenBegun } = aWorker(4, endTakesMs);
      worker.start();
      await whenBegun(4);
      for (let n = 0; n < 10; n += 1) await create('B');
      for (let n = 0; n < 2; n += 1) expect(await end('A')).to.equal('B');
      for (const each of ['B', 'A', 'B', 'B', 'A', 'A', 'B']) await end(each);
      expect(inWork().toSorted()).to.deep.equal(['A', 'A', 'B', 'B']);
    });
  }

  it('fills all its places for one that is alone', async () => {
    await create('A', 3);
    await create('A', 3);
    const { worker, end, inWork, whenBegun } = aWorker(4);
    worker.start();
    await whenBegun(4);
    expect(await end('A')).to.equal('A');
    expect(inWork()).to.deep.equal(['A', 'A', 'A', 'A']);
  });
});
