import type pg from 'pg';
import type { Seeded } from './seed.ts';
import { newAgents } from './seed.ts';

/** What a workspace has. */
export interface Amounts {
  readonly agents: number;
  readonly users: number;
  readonly runs: number;
}

export const runColumns = `id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, user_message, files, trace_id,
  attempt, deadline_at, created_at, started_at, completed_at`;

const users = `
insert into users (id, workspace_id, email, name, role)
select gen_random_uuid(), $1, 'user' || n || '@example.com', 'User ' || n, 'member' from generate_series(1, $2::int) n`;

/** Ended runs, ten seconds apart: of every agent and of every user. */
const ended = `
insert into runs (${runColumns})
select gen_random_uuid(), $1, agents.ids[1 + n % agents.count], agents.versions[1 + n % agents.count], users.ids[1 + n % users.count], 'api', 'assistant',
  case when n % 97 < 87 then 'completed' when n % 97 < 94 then 'failed' else 'cancelled' end,
  false, 'hello', '[]', md5(n::text), 1, now(), now() - n * interval '10 seconds', now(), now()
from generate_series(1, $2::int) n,
  (select array_agg(id) as ids, array_agg(version) as versions, count(*)::int as count from agents where workspace_id = $1) agents,
  (select array_agg(id) as ids, count(*)::int as count from users where workspace_id = $1) users`;

const indexes = `select indexname as name, indexdef as definition from pg_indexes where schemaname = 'public' and tablename = $1 and indexname <> $1 || '_pkey'`;

/** Fills a table without its triggers and its indexes, which takes a third of the time, and makes the indexes anew. */
export const filledFast = async (client: pg.Client, table: string, fill: () => Promise<unknown>) => {
  const { rows } = await client.query<{ name: string; definition: string }>(indexes, [table]);
  await client.query(`set session_replication_role = replica; set maintenance_work_mem = '1GB'`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await fill();
  for (const { definition } of rows) await client.query(definition);
  await client.query('reset session_replication_role');
};

/** What the triggers would have counted and a worker would have added up. */
export const counts = `
truncate run_counts, run_totals;
insert into run_counts (workspace_id, agent_id, status, slot, runs)
select workspace_id, agent_id, status, -1, count(*) from runs where origin = 'api' group by 1, 2, 3;
insert into run_totals (workspace_id, status, runs) select workspace_id, status, sum(runs) from run_counts group by 1, 2`;

/** Gives the workspace so many agents, users and runs altogether; `more` adds runs of others. */
export const manyRuns = async (
  client: pg.Client,
  { workspaceId }: Pick<Seeded, 'workspaceId'>,
  amounts: Amounts,
  more: () => Promise<unknown> = async () => {},
) => {
  const began = performance.now();
  const there = async (table: string): Promise<number> =>
    (
      await client.query<{ n: number }>(`select count(*)::int as n from ${table} where workspace_id = $1`, [
        workspaceId,
      ])
    ).rows[0]?.n ?? 0;
  await newAgents(client, workspaceId, amounts.agents - (await there('agents')));
  await client.query(users, [workspaceId, amounts.users - (await there('users'))]);
  const missing = amounts.runs - (await there('runs'));
  await filledFast(client, 'runs', async () => {
    await client.query(ended, [workspaceId, missing]);
    await more();
  });
  await client.query(counts);
  await client.query('vacuum analyze');
  const filled = `${amounts.agents} agents, ${amounts.users} users and ${amounts.runs} runs`;
  console.log(`\n${filled}, filled in ${Math.round((performance.now() - began) / 1000)} s\n`);
};

/** Conversations and documents of so many of the runs, and the units of all of them, without their triggers; what is there already stays. */
export const work = async (client: pg.Client, count: number) => {
  const parts = {
    run_units: `insert into run_units (run_id, index, file_indexes, status) select id, 0, '{}', 'completed' from runs`,
    conversations: `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status)
      select id, workspace_id, agent_id, id, user_id, 'idle' from runs limit ${count}`,
    messages: `insert into messages (conversation_id, seq, id, role, content) select id, 1, id, 'user', 'hello' from conversations`,
    documents: `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, checks, revision, created_at)
      select id, workspace_id, id, agent_id, id, 'document ' || trace_id, 'ready',
        json_build_object('number', trace_id), '[]', 1, created_at from runs limit ${count}`,
  };
  for (const [table, text] of Object.entries(parts))
    await filledFast(client, table, () => client.query(`${text} on conflict do nothing`));
  await client.query('vacuum analyze');
};
