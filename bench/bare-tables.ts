import { counts } from './many-runs.ts';
import { connected } from './processes.ts';
import { newAgents, type Seeded } from './seed.ts';

/** What a good engineer would store for the same answers: no triggers, no counters, and the indexes that the statements of bare.ts need. */
const tables = `
create table agents (
  id uuid primary key, workspace_id uuid not null, name text collate "C" not null, description text not null, workflow_type text not null,
  visible_to uuid[], removed_at timestamptz(3)
);
create unique index on agents (workspace_id, name) where removed_at is null;
create table runs (
  id uuid primary key, workspace_id uuid not null, agent_id uuid not null references agents, user_id uuid not null, origin text not null,
  workflow_type text not null, status text not null, status_reason json, error text, process_together boolean not null, user_message text,
  files json not null, trace_id text not null, attempt integer not null default 0, input_tokens bigint not null default 0,
  output_tokens bigint not null default 0, deadline_at timestamptz(3) not null, created_at timestamptz(3) not null default now(),
  started_at timestamptz(3), completed_at timestamptz(3)
);
create index on runs (created_at, id) where status = 'queued';
create index on runs (workspace_id, created_at desc, id desc) where origin = 'api';
create table run_units (
  run_id uuid not null references runs, index integer not null, file_indexes integer[] not null, status text not null, error text,
  conversation_id uuid, document_id uuid, primary key (run_id, index)
);
create table conversations (id uuid primary key, status text not null, created_at timestamptz(3) not null);
create table documents (
  id uuid primary key, name text not null, status text not null, error text, created_at timestamptz(3) not null, updated_at timestamptz(3) not null
)`;

const copied = {
  agents: 'id, workspace_id, name, description, workflow_type, visible_to, removed_at',
  runs: `id, workspace_id, agent_id, user_id, origin, workflow_type, status, process_together, user_message, files, trace_id, attempt, deadline_at,
    created_at, started_at, completed_at`,
  run_units: 'run_id, index, file_indexes, status',
};

/** The bare program's own schema in the same database, with the same rows. The tables that are read through a connection are shared. */
export const seedBare = (url: string, { workspaceId }: Pick<Seeded, 'workspaceId'>) =>
  connected(url, async (client) => {
    await client.query('create schema bare');
    await client.query('set search_path = bare');
    await client.query(tables);
    for (const [table, columns] of Object.entries(copied)) {
      await client.query(`insert into bare.${table} (${columns}) select ${columns} from public.${table}`);
    }
    await client.query('vacuum analyze');
    const { rows } = await client.query<{ runs: number }>(
      'select count(*)::int as runs from runs where workspace_id = $1',
      [workspaceId],
    );
    if (rows[0]?.runs !== 10_000) throw new Error('the bare program would not do the same work');
  });

/** Gives the workspace so many agents, in both schemas, and each of them its part of the runs. */
export const spreadRuns = (url: string, { workspaceId }: Pick<Seeded, 'workspaceId'>, agents: number) =>
  connected(url, async (client) => {
    const { rows } = await client.query<{ there: number }>(
      'select count(*)::int as there from agents where workspace_id = $1',
      [workspaceId],
    );
    await newAgents(client, workspaceId, agents - (rows[0]?.there ?? 0));
    await client.query(
      `insert into bare.agents (${copied.agents}) select ${copied.agents} from agents on conflict do nothing`,
    );
    await client.query('set session_replication_role = replica');
    await client.query(
      `update runs r set agent_id = a.id, agent_version = a.version
       from (select id, row_number() over (order by id) as n from runs) numbered
         join (select id, version, row_number() over (order by id) - 1 as n from agents where workspace_id = $1) a on a.n = numbered.n % $2
       where numbered.id = r.id`,
      [workspaceId, agents],
    );
    await client.query('update bare.runs b set agent_id = r.agent_id from runs r where r.id = b.id');
    await client.query(counts);
    await client.query('vacuum analyze');
  });
