import type pg from 'pg';
import { v4 } from 'uuid';
import { openDatabase, statements } from '../src/adapters/postgres/connection/database.ts';
import { queueDepth, runQueue } from '../src/adapters/postgres/repositories/run-queue.ts';
import { pinoLog } from '../src/adapters/system/log.ts';
import { freePort } from '../tests/support/listen.ts';
import { percentile } from './compare.ts';
import { manyRuns, runColumns } from './many-runs.ts';
import { connected, type Program, start } from './processes.ts';
import type { Seeded } from './seed.ts';
import { sized } from './size.ts';

const RUNS = sized(3_000_000, 20_000);
const QUEUED = sized(1_000_000, 2000);
const LEASES = sized(500, 30);
const TENANTS = 21;

/** Workspaces with five queued runs each, and one in the middle of them with very many. */
const tenants = `
insert into workspaces (id, name) select gen_random_uuid(), 'tenant ' || n from generate_series(1, ${TENANTS}) n;
insert into users (id, workspace_id, email, name, role) select gen_random_uuid(), id, name || '@example.com', name, 'admin' from workspaces where name like 'tenant %';
insert into agents (id, workspace_id, name, description, workflow_type, model, instructions)
select gen_random_uuid(), id, name, '', 'assistant', 'offline', '' from workspaces where name like 'tenant %'`;

const queued = `
insert into runs (${runColumns})
select gen_random_uuid(), w.id, a.id, a.version, u.id, 'api', 'assistant', 'queued', false, 'hello', '[]', md5(n::text), 0,
  now() + interval '1 day', now() - n * interval '10 milliseconds', null, null
from workspaces w join agents a on a.workspace_id = w.id join users u on u.workspace_id = w.id,
  generate_series(1, case when w.name = 'tenant 11' then ${QUEUED} else 5 end) n where w.name like 'tenant %';
insert into run_units (run_id, index, file_indexes, status) select id, 0, '{}', 'queued' from runs where status = 'queued'`;

const print = (name: string, times: number[], more = '') => {
  const at = (part: number) => percentile(times, part).toFixed(1);
  console.log(`${name.padEnd(44)} p50 ${at(0.5).padStart(8)} ms  p99 ${at(0.99).padStart(8)} ms  ${more}`);
};

const pages = async ({ baseUrl }: Program, { agentId, apiKey }: Seeded) => {
  const agent = `agent_id=${agentId}&`;
  for (const [name, query, times] of [
    ['first page', '', 200],
    ['first page of an agent', agent, 200],
    ['first page of failed runs', 'status=failed&', 200],
    ['first page of an agent’s completed runs', `${agent}status=completed&`, 200],
    ['offset 100,000', 'offset=100000&', 20],
    ['offset 1,000,000 (goal: < 500 ms)', 'offset=1000000&', 10],
    ['offset 2,999,980', 'offset=2999980&', 10],
    ['offset 3,000,000', 'offset=3000000&', 10],
    ['failed runs, offset 200,000', 'status=failed&offset=200000&', 10],
  ] as const) {
    const took: number[] = [];
    for (let n = 0; n < sized(times, 2); n += 1) {
      const began = performance.now();
      const answer = await fetch(`${baseUrl}/api/v1/runs?${query}limit=20`, { headers: { 'x-api-key': apiKey } });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`);
      took.push(performance.now() - began);
    }
    print(name, took);
  }
};

const rowsRead = `select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables where relname = 'runs'`;

/** What a lease costs, and how many rows of runs it reads, in a transaction that is undone. */
const leases = async (url: string, client: pg.Client) => {
  const database = await openDatabase({ url, poolSize: 2, log: pinoLog({ level: 'error' }) });
  const queue = runQueue(database);
  const worker = v4();
  for (const most of [1, 8]) {
    let after: string | null = null;
    const took: number[] = [];
    const served: string[] = [];
    for (let n = 0; n < LEASES; n += 1) {
      const began = performance.now();
      const works = await queue.lease(worker, most, 3600, { after, except: [] });
      took.push(performance.now() - began);
      served.push(...works.map(({ run }) => run.workspaceId));
      after = served.at(-1) ?? null;
    }
    print(
      `lease of ${most}, ${QUEUED} queued`,
      took,
      `${new Set(served.slice(0, TENANTS)).size} workspaces among the first ${TENANTS} runs`,
    );
  }
  const values = [worker, 1, 60, '00000000-0000-0000-0000-000000000000', [], '-infinity'];
  await client.query('begin');
  const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, costs off, timing off, summary off) ${statements.get('queue_lease')?.text}`,
    values,
  );
  const { rows } = await client.query<{ rows: string }>(rowsRead);
  await client.query('rollback');
  console.log(`\n${plan.map((line) => line['QUERY PLAN']).join('\n')}\n\na lease read ${rows[0]?.rows} rows of runs`);
  const began = performance.now();
  const depth = await queueDepth(database)();
  print(`queue depth (${depth.queued} queued)`, [performance.now() - began]);
  await database.close();
};

/** Three million runs: the first page, filtered and deep pages, and a lease with a million queued runs of one workspace. */
export const scale = (url: string, seeded: Seeded, env: Record<string, string>) =>
  connected(url, async (client) => {
    await client.query(tenants);
    await manyRuns(client, seeded, { agents: 2000, users: 50, runs: RUNS }, () => client.query(queued));
    const port = await freePort();
    const server = await start('src/composition/main.ts', ['serve', '--role', 'api'], port, {
      ...env,
      PORT: String(port),
    });
    await pages(server, seeded).finally(() => server.stop());
    await leases(url, client);
  });
