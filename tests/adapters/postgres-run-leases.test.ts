import { expect } from 'chai';
import { statements } from '../../src/adapters/postgres/connection/database.ts';
import type { Cast } from '../support/builders.ts';
import { usePostgres } from '../support/postgres.ts';
import { aLeasedRun, only, postgresStage, type RunStage } from '../support/runs.ts';

describe('the leases of runs, apart from the runs', () => {
  const postgres = usePostgres();
  let stage: RunStage;
  let cast: Cast;
  beforeEach(async () => {
    stage = postgresStage(postgres);
    await stage.clear();
    cast = await stage.cast();
  });
  afterEach(() => stage.close());

  const sql = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await postgres.database.pool.query<Row>(text, [...values])).rows;
  const leaseOf = async (runId: string) => sql('select attempt from run_leases where run_id = $1', [runId]);

  it('are renewed without a write to the run', async () => {
    const { lease } = await aLeasedRun(stage, cast);
    const version = () =>
      sql<{ ctid: string; xmax: string }>('select ctid, xmax from runs where id = $1', [lease.runId]);
    const before = await version();
    expect(await stage.queue.renew([lease], 60)).to.deep.equal(new Set([lease.runId]));
    expect(await version()).to.deep.equal(before);
  });

  it('are gone with the end of the run, whichever statement ends it', async () => {
    const { lease } = await aLeasedRun(stage, cast);
    expect(await leaseOf(lease.runId)).to.deep.equal([{ attempt: 1 }]);
    await sql(`update runs set status = 'cancelled', completed_at = now() where id = $1`, [lease.runId]);
    expect(await leaseOf(lease.runId)).to.deep.equal([]);
    expect(await stage.queue.renew([lease], 60)).to.deep.equal(new Set());
  });

  it('are handed back where workers of the version before find them', async () => {
    const { lease } = await aLeasedRun(stage, cast);
    const free = () =>
      sql<{ free: boolean | null }>('select lease_expires_at <= now() as free from runs where id = $1', [lease.runId]);
    expect(await free(), 'to them, a leased run has no end').to.deep.equal([{ free: null }]);
    await stage.queue.release(lease);
    expect(await free()).to.deep.equal([{ free: true }]);
    expect(await leaseOf(lease.runId)).to.deep.equal([]);
  });

  it('of workers of the version before are left to them until they are over', async () => {
    const { lease } = await aLeasedRun(stage, cast);
    await sql('delete from run_leases');
    const until = (seconds: number) =>
      sql(`update runs set lease_expires_at = now() + make_interval(secs => $1)`, [seconds]);
    await until(60);
    expect(await stage.queue.lease('new', 1, 60)).to.deep.equal([]);
    await until(-1);
    expect(only(await stage.queue.lease('new', 1, 60)).lease).to.deep.equal({ ...lease, attempt: 2 });
  });

  it('are found past what was renewed while a snapshot keeps every version of them', async () => {
    const { lease } = await aLeasedRun(stage, cast);
    const { text = '' } = statements.get('queue_lease') ?? {};
    const snapshot = await postgres.database.pool.connect();
    const session = await postgres.database.pool.connect();
    try {
      await snapshot.query('begin isolation level repeatable read');
      await snapshot.query('select from run_leases');
      for (let times = 0; times < 3000; times += 1) await stage.queue.renew([lease], 0.5 + times / 10_000);
      await stage.expireLeases();
      /** Pages that are read to find what is over from this time on. */
      const pagesFrom = async (from: string) => {
        const values = ['worker', 1, 60, '00000000-0000-0000-0000-000000000000', [], from, '[]', '-infinity'];
        await session.query('begin');
        const { rows } = await session.query(`explain (analyze, buffers, format json) ${text}`, values);
        await session.query('rollback');
        const found = /"Relation Name":"run_leases".*?"Shared Hit Blocks":(\d+)/.exec(JSON.stringify(rows));
        return Number(found?.[1]);
      };
      const [{ end }] = (await sql<{ end: string }>(statements.get('queue_earliest_end')?.text ?? '', [
        '-infinity',
      ])) as [{ end: string }];
      const all = await pagesFrom('-infinity');
      expect(await pagesFrom(end)).to.be.below(all / 2);
      expect(only(await stage.queue.lease('other', 1, 60)).lease).to.deep.equal({ ...lease, attempt: 2 });
    } finally {
      session.release();
      await snapshot.query('rollback');
      snapshot.release();
    }
  });
});
