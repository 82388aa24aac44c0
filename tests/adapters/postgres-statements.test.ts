import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { statements } from '../../src/adapters/postgres/connection/database.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import type { User } from '../../src/domain/access.ts';
import type { Agent } from '../../src/domain/agent.ts';
import { aNewRun, aWorkspace } from '../support/builders.ts';
import { usePostgres } from '../support/postgres.ts';

const folder = path.resolve('src/adapters/postgres/statements');

describe('the statements of the PostgreSQL adapter', () => {
  before(async () => {
    const modules = await readdir(folder);
    await Promise.all(modules.map((name) => import(path.join(folder, name))));
  });

  // PostgreSQL 18 may use memory that it has freed (docs/decisions/the-event-log.md).
  it('none reads the log of events, which is partitioned, and locks or changes rows', () => {
    const readsLog = /\b(?:from|join|using)\s+events\b/i;
    const locksRows = /\b(?:update|delete|merge)\s|\bfor\s+(?:no\s+key\s+)?update\b|\bfor\s+(?:key\s+)?share\b/i;
    const readers = [...statements.values()].filter(({ text }) => readsLog.test(text));
    expect(readers.map(({ name }) => name)).to.include.members([
      'events_of_workspace',
      'webhook_deliveries_collect',
      'webhooks_find_expired',
    ]);
    expect(readers.filter(({ text }) => locksRows.test(text)).map(({ name }) => name)).to.deep.equal([]);
  });

  it('each that writes the status of a run, or the status, revision or review of a document, logs it as well', () => {
    const told = { runs: ['status'], documents: ['status', 'revision', 'review_status'] };
    const writers = Object.entries(told).flatMap(([table, columns]) => {
      const named = `(?:${columns.join('|')})`;
      const update = String.raw`\bupdate ${table}\b(?:(?!\b(?:from|where|returning)\b).)*[\s,]${named} =`;
      // A document is told of once something is extracted.
      const writes = new RegExp(table === 'runs' ? String.raw`\binsert into runs\b|${update}` : update, 'is');
      return [...statements.values()].filter(({ text }) => writes.test(text));
    });
    expect(writers.map(({ name }) => name)).to.include.members([
      'runs_create',
      'queue_lease',
      'queue_sweep',
      'queue_finish_unit',
      'documents_recover_deliveries',
    ]);
    const silent = writers.filter(({ text }) => !/\binsert into events\b/i.test(text));
    expect(silent.map(({ name }) => name)).to.deep.equal([]);
  });

  describe('of the queue', () => {
    const postgres = usePostgres();

    /** A queue that has filled since the statistics were made. */
    before(async () => {
      const { pool } = postgres.database;
      const { user, agent } = await aWorkspace(postgres.database);
      await pool.query('alter table runs set (autovacuum_enabled = off)');
      await pool.query('vacuum analyze runs');
      await pool.query(
        `insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, files, trace_id, deadline_at)
         select gen_random_uuid(), $1, $2, 1, $3, 'api', 'assistant', 'queued', false, '[]', 't', now() from generate_series(1, 3000)`,
        [user.workspaceId, agent.id, user.id],
      );
    });

    const scansOf = async (name: string) => {
      const { rows } = await postgres.database.pool.query<{ 'QUERY PLAN': string }>(
        `explain (generic_plan) ${statements.get(name)?.text}`,
      );
      return rows.map((row) => row['QUERY PLAN']).filter((line) => / on run/.test(line));
    };

    const indexesOf = async (name: string) => {
      const lines = await scansOf(name);
      const scans = lines.flatMap(
        (line) => /using (\w+) on run|Bitmap Index Scan on (\w+)|Seq Scan on runs/.exec(line) ?? [],
      );
      return new Set(scans.filter((part) => /^runs_|^run_leases_by|^Seq/.test(part ?? '')));
    };

    it('reads the first entry of an index for a run that is created', async () => {
      expect(await indexesOf('runs_create')).to.deep.equal(new Set(['runs_queued', 'runs_queued_of_user']));
      expect(await indexesOf('runs_create_once')).to.deep.equal(new Set(['runs_queued', 'runs_queued_of_user']));
    });

    it('finds what came of late by its time, also where it is known how many wait', async () => {
      await postgres.database.pool.query('vacuum analyze runs');
      for (const name of ['queue_lease', 'queue_heads'])
        expect(await indexesOf(name), name).to.include.members(['runs_queued', 'runs_queued_since']);
    });

    // Statistics that are older than the queue say that all deadlines have passed.
    it('leases the first run of a workspace without a look at those behind it', async () => {
      const scans = (await scansOf('queue_lease')).filter((line) => / on runs q_1/.test(line));
      expect(scans).to.have.length(1);
      expect(scans[0]).to.match(/Index Scan using runs_queued on runs q_1/);
    });

    it('finds what is due by its deadline or its lease, and leases by the turn', async () => {
      expect(await indexesOf('queue_sweep')).to.include.members(['runs_unfinished', 'runs_leased']);
      expect(await indexesOf('queue_lease')).to.include.members([
        'runs_queued',
        'runs_queued_since',
        'runs_leased',
        'run_leases_by_end',
      ]);
      expect(await indexesOf('queue_heads')).to.deep.equal(new Set(['runs_queued', 'runs_queued_since']));
      expect(await indexesOf('queue_all_heads')).to.deep.equal(new Set(['runs_queued']));
      expect(await indexesOf('queue_lease')).not.to.include('runs_unfinished');
    });

    it('counts the runs of a source that have not ended in their own index', async () => {
      const counted = async () => indexesOf('sources_open_runs');
      expect(await counted()).to.deep.equal(new Set(['runs_of_sources']));
      const { pool } = postgres.database;
      await pool.query(`update runs set source = '{"name":"other"}' where status = 'queued'`);
      await pool.query('vacuum analyze runs');
      expect(await counted()).to.deep.equal(new Set(['runs_of_sources']));
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
        `explain (generic_plan) ${statements.get('sources_open_runs')?.text}`,
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).to.match(/Index Cond: .*workspace_id.*source ->> 'name'/);
    });
  });

  // A plan for the parameters of one execution may look cheaper than the plan for any parameters, and takes longer to make than it saves.
  describe('that run often are planned once and not again each time', () => {
    const postgres = usePostgres();
    const TIMES = 12;
    let user: User;
    let agent: Agent;

    /** As many runs and agents as make the planner prefer an index. */
    before(async () => {
      const { database } = postgres;
      ({ user, agent } = await aWorkspace(database));
      await database.pool.query(
        `with ids as (select gen_random_uuid() as id from generate_series(1, 10000)), run as (
           insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, files, trace_id, deadline_at)
           select id, $1, $2, 1, $3, 'api', 'assistant', 'completed', false, '[]', 't', now() from ids)
         insert into run_units (run_id, index, file_indexes, status) select id, 0, '{}', 'completed' from ids`,
        [user.workspaceId, agent.id, user.id],
      );
      await database.pool.query(
        `insert into agents (id, workspace_id, name, description, workflow_type, model, instructions)
         select gen_random_uuid(), $1, 'Agent ' || n, '', 'assistant', 'offline', '' from generate_series(1, 200) n`,
        [user.workspaceId],
      );
      await database.pool.query(
        `with talk as (
           insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) select id, $1, $2, id, $3, 'idle' from runs returning id)
         insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status) select id, $1, id, $2, id, 'invoice.pdf', 'ready' from talk`,
        [user.workspaceId, agent.id, user.id],
      );
      await database.pool.query('vacuum analyze');
    });

    const plansOf = async (name: string, values: unknown[]) => {
      const client = await postgres.database.pool.connect();
      try {
        const text = statements.get(name)?.text ?? '';
        for (let times = 0; times < TIMES; times += 1) await client.query({ name, text, values });
        const { rows } = await client.query<{ generic: number }>(
          'select generic_plans::int as generic from pg_prepared_statements where name = $1',
          [name],
        );
        return rows[0]?.generic;
      } finally {
        client.release();
      }
    };

    it('where runs are found', async () => {
      const run = aNewRun(agent, user);
      await runRepository(postgres.database).create(run, null);
      expect(await plansOf('runs_find_visible', [[user.workspaceId], [user.id], [run.id]])).to.be.above(0);
    });

    it('and where a list of runs goes on from a position', async () => {
      const page = [user.workspaceId, user.id, 21, 0];
      const position = [new Date(0), '00000000-0000-4000-8000-000000000000'];
      expect(await plansOf('runs_list_after', [...page, ...position])).to.be.above(0);
      expect(await plansOf('runs_list_by_status_after', [...page, 'completed', ...position])).to.be.above(0);
    });

    it('and where one is found by its id, no index of those that are in some state is read through', async () => {
      const findById = /^queue_(?!depth|lease|sweep)|^approvals_(?:decide|expire|request)/;
      const readers = new Map<string, string[]>();
      for (const { name, text } of statements.values()) {
        if (!findById.test(name)) continue;
        const { rows } = await postgres.database.pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`);
        for (const row of rows) {
          const index = /Scan (?:Backward )?using (\w+)|Bitmap Index Scan on (\w+)/.exec(row['QUERY PLAN']);
          const found = index?.[1] ?? index?.[2];
          if (found) readers.set(found, [...(readers.get(found) ?? []), name]);
        }
      }
      expect(readers.get('runs_pkey')).to.include.members(['queue_finish', 'queue_append', 'approvals_decide']);
      for (const index of ['runs_leased', 'documents_delivering', 'documents_of_workspace_by_status'])
        expect(readers.get(index) ?? [], index).to.deep.equal([]);
    });
  });
});
