import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { freePort } from '../tests/support/listen.ts';
import { percentile } from './compare.ts';
import { counts, filledFast } from './many-runs.ts';
import { connected, start } from './processes.ts';
import type { Seeded } from './seed.ts';
import { sized } from './size.ts';

const OLD = Number(process.env.BENCH_DOCUMENTS ?? sized(100_000, 500));
/** What is young enough stays, and is what clients ask for. */
const YOUNG = sized(20_000, 100);
const EVERY_MS = 20;
const ALONE_MS = sized(120_000, 1000);
const LOOKS_MS = 500;
/** The first requests of a process compile what they run. */
const WARM_UP = sized(100, 5);

/** Each document with its file, run, unit, conversation and two messages, the old ones nine years ago. */
const filled: Readonly<Record<string, string>> = {
  uploads: `insert into uploads (key, workspace_id, user_id, kind, created_at, url_ends_at, due_at, taken_at)
    select 'uploads/' || $1::uuid || '/bench-' || n, $1, $2, 'file', made, made, null, made from bench_items where $3::uuid is not null`,
  runs: `insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, files, trace_id, attempt,
      deadline_at, created_at, started_at, completed_at)
    select id, $1, $3, 1, $2, 'api', 'document_extraction', 'completed', false,
      json_build_array(json_build_object('fileKey', 'uploads/' || $1::uuid || '/bench-' || n, 'fileName', n || '.pdf', 'contentType', 'application/pdf')),
      md5(n::text), 1, made, made, made, made from bench_items`,
  run_files: `insert into run_files (key, run_id) select 'uploads/' || $1::uuid || '/bench-' || n, id from bench_items where $2::uuid <> $3`,
  run_units: `insert into run_units (run_id, index, file_indexes, status, conversation_id, document_id)
    select id, 0, '{0}', 'completed', id, id from bench_items where $1::uuid is not null and $2::uuid <> $3`,
  conversations: `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status, created_at, updated_at)
    select id, $1, $3, id, $2, 'idle', made, made from bench_items`,
  messages: `insert into messages (conversation_id, seq, id, role, content)
    select id, seq, gen_random_uuid(), case seq when 0 then 'user' else 'assistant' end, repeat('Invoice ' || n || ' ', 60)
    from bench_items, generate_series(0, 1) seq where $1::uuid is not null and $2::uuid <> $3`,
  documents: `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, coverage, checks, revision, created_at, updated_at)
    select id, $1, id, $3, id, n || '.pdf', 'ready', json_build_object('number', 'RE' || n, 'supplier', 'Supplier ' || n % 997, 'total', n % 5000 + 0.5),
      '{"pagesRead":2,"pagesTotal":2,"charactersRead":3120,"charactersTotal":3120,"complete":true,"doubts":[]}', '[]', 1, made, made
    from bench_items where $2::uuid is not null`,
};

const items = `
create table bench_items as select gen_random_uuid() as id, n,
  now() - n * interval '1 second' - case when n <= ${OLD} then interval '9 years' else interval '0' end as made
from generate_series(1, ${OLD + YOUNG}) n`;

const fill = async (client: pg.Client, { workspaceId, userId, agentId }: Seeded) => {
  await client.query(items);
  for (const [table, text] of Object.entries(filled))
    await filledFast(client, table, () => client.query(text, [workspaceId, userId, agentId]));
  await client.query(counts);
  await client.query('vacuum analyze');
};

/** A request every few milliseconds, however long those before take, until `isOver`: how long each took. */
const loaded = async (asks: readonly (() => Promise<number>)[], isOver: () => Promise<boolean>) => {
  const under: Promise<number>[] = [];
  const timer = setInterval(() => {
    const ask = asks[under.length % asks.length];
    if (ask) under.push(ask());
  }, EVERY_MS);
  do await sleep(LOOKS_MS);
  while (!(await isOver()));
  clearInterval(timer);
  return Promise.all(under);
};

const clientOf = (baseUrl: string, apiKey: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  return (path: string, body?: string) => () =>
    new Promise<number>((resolve, reject) => {
      const began = performance.now();
      const method = body === undefined ? 'GET' : 'POST';
      request(`${baseUrl}/api/v1${path}`, { agent, headers, method }, (answer) => {
        answer.resume().once('end', () => {
          if (answer.statusCode === 200) resolve(performance.now() - began);
          else reject(new Error(`${path} was answered with ${answer.statusCode}`));
        });
      })
        .once('error', reject)
        .end(body);
    });
};

const shown = (times: readonly number[]) => {
  const at = (part: number) => percentile(times, part).toFixed(0);
  return `${times.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, p99.9 ${at(0.999)} ms, max ${at(1)} ms`;
};

/** What requests take while the same process removes very many documents, with their files, conversations and runs, beside what they take alone. */
export const retention = async (url: string, seeded: Seeded, env: Record<string, string>) => {
  const { workspaceId, agentId, apiKey } = seeded;
  await connected(url, async (client) => {
    const began = performance.now();
    await fill(client, seeded);
    console.log(`\n${OLD} documents to remove, filled in ${Math.round((performance.now() - began) / 1000)} s`);
    const { rows } = await client.query<{ id: string }>(
      `select id from bench_items where n in (1, ${OLD + 1}) order by n`,
    );
    const [last, young] = rows.map(({ id }) => id);
    /** Runs go after all that they have, the oldest first. */
    const isGone = async () => (await client.query('select from runs where id = $1', [last])).rowCount === 0;
    const keep = async (retention: object | null) => {
      await client.query('update workspaces set retention = $2 where id = $1', [workspaceId, retention]);
      await client.query('delete from upkeep_turns');
    };
    const serve = async () => {
      const port = await freePort();
      return start('src/composition/main.ts', ['serve'], port, { ...env, PORT: String(port) });
    };
    const measured = async (isOver: () => Promise<boolean>) => {
      const server = await serve();
      const ask = clientOf(server.baseUrl, apiKey);
      const asks = [
        ask('/documents?limit=20'),
        ask(`/documents/${young}`),
        ask('/runs?limit=20'),
        ask(`/agents/${agentId}/run`, '{"user_message":"hello"}'),
      ];
      for (let times = 0; times < WARM_UP; times += 1) for (const each of asks) await each();
      const began = performance.now();
      const times = await loaded(asks, isOver);
      const seconds = (performance.now() - began) / 1000;
      await server.stop();
      return { times, seconds };
    };
    let looks = 0;
    const { times: alone } = await measured(async () => looks++ * LOOKS_MS >= ALONE_MS);
    await keep({ files: '90d', conversations: '1y', documents: '7y', runs: '7y' });
    const { times: beside, seconds } = await measured(isGone);
    await keep(null);
    console.log(`a request every ${EVERY_MS} ms to the one process, which works on the runs as well:`);
    console.log(`  alone: ${shown(alone)}`);
    console.log(`  beside retention: ${shown(beside)}`);
    const more = Math.round(percentile(beside, 1) - percentile(alone, 1));
    console.log(`  the slowest takes ${more} ms more (goal: at most 100 ms)`);
    console.log(`all ${OLD} and their files, conversations and runs are gone after ${seconds.toFixed(0)} s`);
  });
};
