import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/adapters/postgres/embedded.ts';
import { pinoLog } from '../src/adapters/system/log.ts';
import { freePort } from '../tests/support/listen.ts';
import { seedBare } from './bare-tables.ts';
import { compare, printRows, type Row, watchPostgres } from './compare.ts';
import { refusals, slowModel } from './conversations.ts';
import { manyDocuments } from './documents.ts';
import { eventLogCost } from './event-log.ts';
import { toolEndpoint } from './mcp.ts';
import { start } from './processes.ts';
import { smallQueries } from './queries.ts';
import { readingBench } from './reading.ts';
import { runsDrain, startLatency } from './runs.ts';
import { scale } from './scale.ts';
import { seed } from './seed.ts';
import { openStreamsBench } from './streams.ts';
import { tableMemory, tableRows } from './tables.ts';

/** Everything, or the part that the command line names. */
const bench = async (part: string | undefined, folder: string, postgres: EmbeddedPostgres, admin: pg.Client) => {
  await admin.query('create database bench');
  const url = postgres.url.replace(/\/postgres$/, '/bench');
  const seeded = await seed(url);
  await seedBare(url, seeded);
  const { rows: settings } = await admin.query<{ dir: string }>(`select setting as dir from pg_settings where name = 'data_directory'`);
  const pidFile = await readFile(path.join(settings[0]?.dir ?? '', 'postmaster.pid'), 'utf8');
  const postmaster = Number(pidFile.split('\n')[0]);
  watchPostgres(postmaster);
  const { workspaceId, userId, agentId, runId, apiKey, encryptionKey } = seeded;
  const env = {
    ...{ DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'error', DEMO: 'false' },
    ...{ RATE_LIMIT_REQUESTS: '1000000000', RATE_LIMIT_RUNS: '1000000000', RATE_LIMIT_TABLE_READS: '1000000000' },
    ENCRYPTION_KEY: encryptionKey,
  };
  if (part === 'scale') return scale(url, seeded, env);
  if (part === 'documents') return manyDocuments(url, seeded, env);
  if (part === 'streams') return openStreamsBench(url, seeded, env);
  if (part === 'events') return eventLogCost(admin, url, seeded, env, postmaster);
  if (part === 'queries') return smallQueries(url, env, seeded);
  const headers = { 'x-api-key': apiKey };
  const [apiPort, barePort] = [await freePort(), await freePort()];
  const portico = await start('src/composition/main.ts', ['serve', '--role', 'api'], apiPort, { ...env, PORT: String(apiPort) });
  const bare = await start('bench/bare.ts', [url, String(barePort), workspaceId, userId, agentId], barePort);

  console.log('Side by side with bare Koa + pg (rows as objects, no contract), 32 connections, in turn:\n');
  const rows: Row[] = [];
  for (const load of [
    { name: 'agents (20)', path: '/api/v1/agents', goal: 1 },
    { name: 'one run', path: `/api/v1/runs/${runId}`, goal: 1 },
    { name: 'runs (20 of 10,000 and the total)', path: '/api/v1/runs', goal: 2 },
    { name: 'create a run', path: `/api/v1/agents/${agentId}/run`, method: 'POST' as const, body: '{"user_message":"hello"}', goal: 1 },
  ]) {
    rows.push(await compare(portico, bare, load, headers));
  }
  rows.push(...(await tableRows(portico, bare, runId, headers)));
  printRows(rows);
  await tableMemory(portico, headers);
  await Promise.all([portico.stop(), bare.stop()]);
  await eventLogCost(admin, url, seeded, env, postmaster);
  await smallQueries(url, env, seeded);
  await toolEndpoint(url, env, seeded);

  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'bench'`);
  const all = await freePort();
  const model = await slowModel();
  const models = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'bench' };
  const server = await start('src/composition/main.ts', ['serve'], all, { ...env, ...models, PORT: String(all) });
  await refusals(server, url, seeded, headers, model);
  model.close();
  await startLatency(server, url, agentId, headers);
  await runsDrain(server, url, agentId, headers);
  await server.stop();
};

const withPostgres = async (part: string | undefined) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'portico-bench-'));
  const postgres = await startEmbeddedPostgres({ dir: path.join(folder, 'postgres'), log: pinoLog({ level: 'error' }) });
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  try {
    await bench(part, folder, postgres, admin);
  } finally {
    await admin.end();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

const [part] = process.argv.slice(2);
await (part === 'reading' ? readingBench() : withPostgres(part));
