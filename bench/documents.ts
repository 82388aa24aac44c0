import type pg from 'pg';
import { freePort } from '../tests/support/listen.ts';
import { compare, type Load, printRows } from './compare.ts';
import { filledFast } from './many-runs.ts';
import { connected, start } from './processes.ts';
import type { Seeded } from './seed.ts';
import { sized } from './size.ts';

/** So many connections ask for what takes the bare program seconds. */
const FEW = 4;
const DOCUMENTS = Number(process.env.BENCH_DOCUMENTS ?? sized(1_000_000, 2000));

const conversation = `
insert into conversations (id, workspace_id, agent_id, run_id, user_id, status)
select $1, workspace_id, agent_id, id, user_id, 'idle' from runs where id = $1`;

const documents = `
insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, coverage, checks, revision, created_at)
select gen_random_uuid(), r.workspace_id, r.id, r.agent_id, r.id, 'invoice ' || n || '.pdf', 'ready',
  json_build_object('number', 'RE' || n, 'supplier', 'Supplier ' || n % 997, 'total', n % 5000 + 0.5, 'currency', 'EUR',
    'place', format('hall%s gate%s dock%s', 10 + abs(hashint4(n) % 25), 100 + abs(hashint4(-n) % 100), 100 + abs(hashint4(n + $2::int) % 500))),
  '{"pagesRead":2,"pagesTotal":2,"charactersRead":3120,"charactersTotal":3120,"complete":true}', '[{"name":"sum","status":"passed","message":null}]', 1, now() - n * interval '1 second'
from runs r, generate_series(1, $2::int) n where r.id = $1`;

const fill = async (client: pg.Client, runId: string) => {
  await client.query(conversation, [runId]);
  await filledFast(client, 'documents', () => client.query(documents, [runId, DOCUMENTS]));
  await client.query('vacuum analyze documents');
};

/** A page and searches among many documents, beside a program that has the same indexes and shows the same of them. */
export const manyDocuments = async (url: string, { agentId, runId, apiKey }: Seeded, env: Record<string, string>) => {
  const began = performance.now();
  await connected(url, (client) => fill(client, runId));
  console.log(`\n${DOCUMENTS} documents, filled in ${Math.round((performance.now() - began) / 1000)} s\n`);
  const port = await freePort();
  const barePort = await freePort();
  const portico = await start('src/composition/main.ts', ['serve', '--role', 'api'], port, {
    ...env,
    PORT: String(port),
  });
  const bare = await start('bench/documents-bare.ts', [url, String(barePort), agentId], barePort);
  const old = Math.floor(DOCUMENTS / 2);
  const at = (name: string, query: Record<string, string>): Load => ({
    name,
    path: `/api/v1/documents?${new URLSearchParams({ agent_id: agentId, ...query })}`,
    goal: 0.7,
  });
  const headers = { 'x-api-key': apiKey };
  const rows = [];
  for (const load of [
    { ...at('documents (20)', {}), goal: 1 },
    at('documents with a rare word', { q: `re${old}` }),
    at('documents with a value', { where: JSON.stringify({ '/number': `RE${old}` }) }),
    at('documents with a word of 1 in 500', { q: 'dock301' }),
    { ...at('documents with a word of 1 in 100', { q: 'gate142' }), connections: [FEW] },
    { ...at('documents with a word of 1 in 25', { q: 'hall17' }), connections: [FEW] },
    { ...at('documents with a common word', { q: 'invoice' }), goal: 1, connections: [FEW] },
  ]) {
    rows.push(...(await compare(portico, bare, load, headers)));
  }
  printRows(rows);
  await Promise.all([portico.stop(), bare.stop()]);
};
