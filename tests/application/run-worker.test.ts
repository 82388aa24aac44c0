import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { uuidIds } from '../../src/adapters/system/ids.ts';
import type { Work } from '../../src/application/ports/queue.ts';
import { runWorker } from '../../src/application/run-worker.ts';
import { MAX_ATTEMPTS } from '../../src/domain/run.ts';
import type { Cast } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { usePostgres } from '../support/postgres.ts';
import { aClaimedRun, detailOf, only, postgresStage, type RunStage } from '../support/runs.ts';

const settings = { concurrency: 1, leaseSeconds: 60 };

describe('a worker whose work is interrupted', () => {
  const postgres = usePostgres();
  let stage: RunStage;
  let cast: Cast;
  let claimed: Work;

  beforeEach(async () => {
    stage = postgresStage(postgres);
    await stage.clear();
    cast = await stage.cast();
    claimed = await aClaimedRun(stage, cast);
  });
  afterEach(() => stage.close());

  /** As if the leases of attempts that are over had run out; the one under way keeps its own. */
  const expireUpTo = (attempt: number) =>
    postgres.database.pool.query(
      `update runs set lease_expires_at = now() - interval '1 second' where status = 'running' and attempt <= $1`,
      [attempt],
    );

  /** Interrupts every run that it takes up, until it has taken up so many. */
  const interrupted = async (times: number) => {
    const attempts: number[] = [];
    const runWork = async ({ claim }: Work) => {
      attempts.push(claim.attempt);
      throw new Error('the disk is full');
    };
    const worker = runWorker({ queue: stage.queue, changes: stage.changes, runWork, ids: uuidIds, log: quiet, settings });
    worker.start();
    for (let looks = 0; looks < 600 && attempts.length < times; looks++) {
      await expireUpTo(attempts.at(-1) ?? claimed.claim.attempt);
      await sleep(25);
    }
    await worker.stop(1000);
    return attempts;
  };

  it('leaves the run to others as long as it may be attempted, handed back or not', async () => {
    await stage.queue.release(claimed.claim);
    for (let handed = 2; handed <= MAX_ATTEMPTS; handed++) await stage.queue.release(only(await stage.queue.claim('other', 1, 60)).claim);
    const [first] = await interrupted(1);
    expect(first).to.equal(MAX_ATTEMPTS + 1);
    expect((await detailOf(stage, cast, claimed.run.id)).status).to.equal('running');
  });

  it('gives the run up after the last attempt, and says so', async () => {
    await stage.expireLeases();
    expect(await interrupted(MAX_ATTEMPTS - 1)).to.deep.equal([2, 3]);
    const { status, statusReason } = await detailOf(stage, cast, claimed.run.id);
    expect([status, statusReason?.code]).to.deep.equal(['failed', 'internal']);
  });
});
