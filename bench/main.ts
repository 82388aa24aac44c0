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
import { type Seeded, seed } from './seed.ts';
import { openStreamsBench } from './streams.ts';
import { tableMemory, tableRows } from './tables.ts';

interface Setting {
  readonly admin: pg.Client;
  readonly url: string;
  readonly seeded: Seeded;
  readonly env: Record<string, string>;
  /** The process of PostgreSQL. */
  readonly postmaster: number;
}

const requests = async ({ url, seeded, env }: Setting) => {
  const { workspaceId, userId, agentId, runId, apiKey } = seeded;
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
};

const latency = async ({ admin, url, seeded, env }: Setting) => {
  const headers = { 'x-api-key': seeded.apiKey };
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'bench'`);
  const port = await freePort();
  const model = await slowModel();
  const models = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'bench' };
  const server = await start('src/composition/main.ts', ['serve'], port, { ...env, ...models, PORT: String(port) });
  await refusals(server, url, seeded, headers, model);
  model.close();
  await startLatency(server, url, seeded.agentId, headers);
  await runsDrain(server, url, seeded.agentId, headers);
  await server.stop();
};

/** These run one after the other if the command line names none. */
const ordinary = {
  requests,
  events: ({ admin, url, seeded, env, postmaster }: Setting) => eventLogCost(admin, url, seeded, env, postmaster),
  queries: ({ url, seeded, env }: Setting) => smallQueries(url, env, seeded),
  mcp: ({ url, seeded, env }: Setting) => toolEndpoint(url, env, seeded),
  latency,
};

/** `npm run bench -- NAME` runs one part; those that are not ordinary take long, or ask another question than what a request costs. */
const parts: Readonly<Record<string, (setting: Setting) => Promise<void>>> = {
  ...ordinary,
  scale: ({ url, seeded, env }) => scale(url, seeded, env),
  documents: ({ url, seeded, env }) => manyDocuments(url, seeded, env),
  streams: ({ url, seeded, env }) => openStreamsBench(url, seeded, env),
};

const seededSetting = async (folder: string, postgres: EmbeddedPostgres, admin: pg.Client): Promise<Setting> => {
  await admin.query('create database bench');
  const url = postgres.url.replace(/\/postgres$/, '/bench');
  const seeded = await seed(url);
  await seedBare(url, seeded);
  const { rows: settings } = await admin.query<{ dir: string }>(`select setting as dir from pg_settings where name = 'data_directory'`);
  const pidFile = await readFile(path.join(settings[0]?.dir ?? '', 'postmaster.pid'), 'utf8');
  const postmaster = Number(pidFile.split('\n')[0]);
  watchPostgres(postmaster);
  const env = {
    ...{ DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'error', DEMO: 'false' },
    ...{ RATE_LIMIT_REQUESTS: '1000000000', RATE_LIMIT_RUNS: '1000000000', RATE_LIMIT_TABLE_READS: '1000000000' },
    ENCRYPTION_KEY: seeded.encryptionKey,
  };
  return { admin, url, seeded, env, postmaster };
};

const withPostgres = async (chosen: readonly ((setting: Setting) => Promise<void>)[]) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'portico-bench-'));
  const postgres = await startEmbeddedPostgres({ dir: path.join(folder, 'postgres'), log: pinoLog({ level: 'error' }) });
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  try {
    const setting = await seededSetting(folder, postgres, admin);
    for (const part of chosen) await part(setting);
  } finally {
    await admin.end();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

const [name] = process.argv.slice(2);
const part = name === undefined || !Object.hasOwn(parts, name) ? null : parts[name];
if (name === 'reading') await readingBench();
else if (name === undefined) await withPostgres(Object.values(ordinary));
else if (part) await withPostgres([part]);
else {
  console.error(`There is no part "${name}". The parts are: ${[...Object.keys(parts), 'reading'].join(', ')}.`);
  process.exitCode = 1;
}
