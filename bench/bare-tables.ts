import { connected } from './processes.ts';
import type { Seeded } from './seed.ts';

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
    const { rows } = await client.query<{ runs: number }>('select count(*)::int as runs from runs where workspace_id = $1', [workspaceId]);
    if (rows[0]?.runs !== 10_000) throw new Error('the bare program would not do the same work');
  });
