import { expect } from 'chai';
import type pg from 'pg';
import { statements } from '../../src/adapters/postgres/connection/database.ts';
import { type Head, queuePosition } from '../../src/adapters/postgres/repositories/queue-position.ts';
import { columns } from '../../src/adapters/postgres/statements/run-creation-statements.ts';
import { aNewRun, type Cast } from '../support/builders.ts';
import { usePostgres } from '../support/postgres.ts';
import { postgresStage, type RunStage } from '../support/runs.ts';

describe('the position in the queue that a process remembers', () => {
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
  const create = async ({ agent, user }: Cast, count = 1) => {
    for (let n = 0; n < count; n += 1) await stage.runs.create(aNewRun(agent, user), null);
  };
  const aged = () => sql(`update runs set created_at = created_at - interval '1 hour' where status = 'queued'`);
  const always = { nextMs: 0, allMs: 0 };

  /** Of each workspace the run that is next. */
  const next = () =>
    sql<Head>(`
      select distinct on (workspace_id) workspace_id as "workspaceId", turn, to_json(created_at) #>> '{}' as "createdAt" from runs
      where status = 'queued' order by workspace_id, turn, created_at, id`);

  it('is that of the next run of each workspace, whatever was leased and has come since', async () => {
    const casts = [cast, await stage.cast(), await stage.cast()];
    for (const [index, each] of casts.entries()) await create(each, 1 + index);
    await aged();
    const position = queuePosition(postgres.database, always);
    for (let left = 6; left > 0; left -= 1) {
      expect((await position.look()).heads).to.deep.equal(await next());
      await stage.queue.lease('worker', 1, 60);
    }
    expect((await position.look()).heads).to.deep.equal([]);
    await create(cast, 2);
    expect((await position.look()).heads).to.deep.equal(await next());
  });

  it('comes to what was stored late, or by a clock that was behind', async () => {
    const position = queuePosition(postgres.database, always);
    await position.look();
    await create(cast);
    await aged();
    expect((await position.look()).heads).to.deep.equal([]);
    await position.lookAgain();
    expect((await position.look()).heads).to.deep.equal(await next());
  });

  /** How many pages a statement reads, in a transaction that is undone. */
  const pagesOf = async (session: pg.PoolClient, name: string, values: readonly unknown[]) => {
    await session.query('begin');
    const { rows } = await session.query(`explain (analyze, buffers, format json) ${statements.get(name)?.text}`, [
      ...values,
    ]);
    await session.query('rollback');
    const [{ 'QUERY PLAN': plan }] = rows;
    return plan[0].Plan['Shared Hit Blocks'] + plan[0].Plan['Shared Read Blocks'];
  };
  const queueTenThousand = async ({ agent, user }: Cast) => {
    await sql(
      `insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, files, trace_id, turn, created_at, deadline_at)
       select gen_random_uuid(), $1, $2, 1, $3, 'api', 'assistant', 'queued', false, '[]', 't', n, now() - interval '1 hour', now() + interval '1 hour'
       from generate_series(1, 10000) n`,
      [user.workspaceId, agent.id, user.id],
    );
  };
  const turns = () =>
    sql<{ turn: number }>(`select turn from runs where status = 'queued' order by created_at, id`).then((rows) =>
      rows.map(({ turn }) => turn),
    );

  it('leads past the dead rows of all that was leased, while a snapshot keeps them', async () => {
    const { pool } = postgres.database;
    const pages = (session: pg.PoolClient, heads: readonly Head[], since: string) => {
      const nobody = '00000000-0000-0000-0000-000000000000';
      return pagesOf(session, 'queue_lease', ['worker', 1, 60, nobody, [], '-infinity', JSON.stringify(heads), since]);
    };
    const other = await stage.cast();
    for (const each of [cast, other]) await queueTenThousand(each);
    const [snapshot, session] = [await pool.connect(), await pool.connect()];
    try {
      const position = queuePosition(postgres.database, always);
      const before = await position.look();
      await snapshot.query('begin isolation level repeatable read');
      await snapshot.query('select from runs');
      // All of one workspace are gone; of the other one, as many wait as before.
      await sql(
        `update runs set status = 'cancelled', completed_at = now() where turn <= 10000 and workspace_id = $1`,
        [other.user.workspaceId],
      );
      await sql(`update runs set status = 'cancelled', completed_at = now() where turn < 10000 and status = 'queued'`);
      const { heads, since } = await position.look();
      const past = await pages(session, before.heads, before.since);
      expect(await pages(session, heads, since)).to.be.below(past / 4);
      const [work] = await stage.queue.lease('worker', 1, 60);
      expect(work?.run.workspaceId).to.equal(cast.user.workspaceId);
    } finally {
      session.release();
      await snapshot.query('rollback');
      snapshot.release();
    }
  });

  it('is remembered where runs are created, so that none of what was leased is read again', async () => {
    const { pool } = postgres.database;
    await queueTenThousand(cast);
    const [snapshot, session] = [await pool.connect(), await pool.connect()];
    const { agent, user } = cast;
    const run: Record<string, unknown> = {
      id: agent.id,
      workspace_id: user.workspaceId,
      agent_id: agent.id,
      user_id: user.id,
      origin: 'api',
      process_together: false,
      user_message: 'hello',
      files: '[]',
      trace_id: 't',
      deadline_seconds: 60,
      units: '{"{}"}',
      agent_version: null,
      reread_of: null,
      trial: false,
      source: 'null',
    };
    const pages = (known_turn: number) =>
      pagesOf(
        session,
        'runs_create',
        columns.map(([name]) => [{ ...run, known_turn }[name]]),
      );
    try {
      await snapshot.query('begin isolation level repeatable read');
      await snapshot.query('select from runs');
      await sql(`update runs set status = 'cancelled', completed_at = now()`);
      await create(cast);
      const [present = 0] = await turns();
      expect(Math.abs(present - Date.now())).to.be.below(60_000);
      const past = await pages(0);
      expect(past).to.be.above(100);
      expect(await pages(present)).to.be.below(past / 2);
    } finally {
      session.release();
      await snapshot.query('rollback');
      snapshot.release();
    }
  });
});
