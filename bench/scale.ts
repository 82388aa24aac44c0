import pg from 'pg';
import { positionCursor } from '../src/wire/kit/values.ts';
import { freePort } from '../tests/support/listen.ts';
import { compare, printRows } from './compare.ts';
import { filledFast, manyRuns, runColumns } from './many-runs.ts';
import { connected, start } from './processes.ts';
import { documentPages, runPages } from './scale-pages.ts';
import { queueOf } from './scale-queue.ts';
import type { Seeded } from './seed.ts';
import { sized } from './size.ts';

const RUNS = Number(process.env.BENCH_RUNS ?? sized(10_000_000, 20_000));
const DOCUMENTS = Number(process.env.BENCH_DOCUMENTS ?? sized(3_000_000, 2000));
const QUEUED = Math.floor(RUNS / 10);
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

/** Of the newest runs, whose agents and times they have; one conversation stands for those of all of them. */
const documents = `
with conversation as (
  insert into conversations (id, workspace_id, agent_id, run_id, user_id, status)
  select id, workspace_id, agent_id, id, user_id, 'idle' from runs where id = $1 on conflict do nothing
)
insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, coverage, checks, revision, created_at)
select gen_random_uuid(), r.workspace_id, r.id, r.agent_id, $1, 'invoice ' || n || '.pdf', 'ready',
  json_build_object('number', 'RE' || n, 'supplier', 'Supplier ' || n % 997, 'total', n % 5000 + 0.5, 'currency', 'EUR'),
  '{"pagesRead":2,"pagesTotal":2,"charactersRead":3120,"charactersTotal":3120,"complete":true}', '[{"name":"sum","status":"passed","message":null}]', 1, r.created_at
from (
  select row_number() over () as n, * from (
    select id, workspace_id, agent_id, created_at from runs where workspace_id = $2 order by created_at desc limit $3
  ) newest
) r`;

const fill = async (client: pg.Client, seeded: Seeded) => {
  await client.query(tenants);
  await manyRuns(client, seeded, { agents: 2000, users: 50, runs: RUNS }, () => client.query(queued));
  const began = performance.now();
  const values = [seeded.runId, seeded.workspaceId, DOCUMENTS];
  await filledFast(client, 'documents', () => client.query(documents, values));
  await client.query('vacuum analyze documents');
  await client.query('checkpoint');
  console.log(`${DOCUMENTS} documents, filled in ${Math.round((performance.now() - began) / 1000)} s\n`);
};

/** As docs/scale.md recommends for such tables: else there is a checkpoint for every gigabyte that is written, and commits wait for it. */
const configure = async (client: pg.Client) => {
  await client.query(`alter system set max_wal_size = '4GB'`);
  await client.query('select pg_reload_conf()');
};

const EMPTY = 'bench_empty';

/** A copy of the database as it is, for what the same costs there later. */
const copied = async (url: string): Promise<string> => {
  const address = new URL(url);
  const name = address.pathname.slice(1);
  address.pathname = '/postgres';
  await connected(address.href, async (client) => {
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await client.query(`create database ${EMPTY} template ${pg.escapeIdentifier(name)}`);
  });
  address.pathname = `/${EMPTY}`;
  return address.href;
};

const api = async (env: Record<string, string>) => {
  const port = await freePort();
  return start('src/composition/main.ts', ['serve', '--role', 'api'], port, { ...env, PORT: String(port) });
};

/** Creating a run in the full tables, beside the same in those that were copied when there was little in them. */
const creation = async (url: string, emptyUrl: string, { agentId, apiKey }: Seeded, env: Record<string, string>) => {
  const full = await api({ ...env, DATABASE_URL: url });
  const empty = await api({ ...env, DATABASE_URL: emptyUrl });
  const load = {
    name: 'create-run, beside few runs',
    path: `/api/v1/agents/${agentId}/run`,
    method: 'POST' as const,
    body: JSON.stringify({ user_message: 'hello' }),
    goal: 0.9,
  };
  printRows(await compare(full, empty, load, { 'x-api-key': apiKey }));
  await Promise.all([full.stop(), empty.stop()]);
  const acts = await connected(url, (client) =>
    client.query<{ n: number }>('select count(*)::int as n from audit_acts'),
  );
  console.log(`acts in the audit log: ${acts.rows[0]?.n}\n`);
};

/** Pages, creation and leases among ten million runs and three million documents. */
export const scale = async (url: string, seeded: Seeded, env: Record<string, string>) => {
  const emptyUrl = await copied(url);
  await connected(url, configure);
  await connected(url, (client) => fill(client, seeded));
  const server = await api(env);
  const cursorAt = (part: number) =>
    connected(url, async (client) => {
      const { rows } = await client.query<{ createdAt: Date; id: string }>(
        `select created_at as "createdAt", id from documents where workspace_id = $1 and status <> 'trashed' order by created_at desc, id desc offset $2 limit 1`,
        [seeded.workspaceId, Math.floor(DOCUMENTS * part)],
      );
      return positionCursor.encode(rows[0] as { createdAt: Date; id: string }) as string;
    });
  try {
    await runPages(server, seeded, RUNS);
    await documentPages(server, seeded, cursorAt);
  } finally {
    await server.stop();
  }
  await creation(url, emptyUrl, seeded, env);
  await queueOf(url, seeded, TENANTS);
};
