import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/adapters/postgres/connection/embedded.ts';
import { pinoLog } from '../src/adapters/system/log.ts';
import { freePort } from '../tests/support/listen.ts';
import { seedBare } from './bare-tables.ts';
import { watchPostgres } from './compare.ts';
import { refusals, slowModel } from './conversations.ts';
import { manyDocuments } from './documents.ts';
import { eventLogCost } from './event-log.ts';
import { toolEndpoint } from './mcp.ts';
import { plans } from './plans.ts';
import { start } from './processes.ts';
import { smallQueries } from './queries.ts';
import { readingBench } from './reading.ts';
import { requests } from './requests.ts';
import { retention } from './retention.ts';
import { runsDrain, startLatency } from './runs.ts';
import { scale } from './scale.ts';
import { type Seeded, seed } from './seed.ts';
import { isSmall } from './size.ts';
import { openStreamsBench } from './streams.ts';

export interface Setting {
  readonly admin: pg.Client;
  readonly url: string;
  readonly seeded: Seeded;
  readonly env: Record<string, string>;
  /** The process of PostgreSQL. */
  readonly postmaster: number;
}

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

/** `npm run bench` runs these one after the other. */
const ordinary = {
  requests: ({ url, seeded, env }: Setting) => requests(url, seeded, env),
  events: ({ admin, url, seeded, env, postmaster }: Setting) => eventLogCost(admin, url, seeded, env, postmaster),
  queries: ({ url, seeded, env }: Setting) => smallQueries(url, env, seeded),
  mcp: ({ url, seeded, env }: Setting) => toolEndpoint(url, env, seeded),
  latency,
};

/** `npm run bench -- NAME` runs one part. Those that are not ordinary take long, or ask another question than what a request costs. */
const parts: Readonly<Record<string, (setting: Setting) => Promise<void>>> = {
  ...ordinary,
  documents: ({ url, seeded, env }) => manyDocuments(url, seeded, env),
  streams: ({ url, seeded, env }) => openStreamsBench(url, seeded, env),
  scale: ({ url, seeded, env }) => scale(url, seeded, env),
  plans: ({ url, seeded }) => plans(url, seeded),
  retention: ({ url, seeded, env }) => retention(url, seeded, env),
  reading: readingBench,
};

const seededSetting = async (folder: string, postgres: EmbeddedPostgres, admin: pg.Client): Promise<Setting> => {
  await admin.query('create database bench');
  const url = postgres.url.replace(/\/postgres$/, '/bench');
  const seeded = await seed(url);
  await seedBare(url, seeded);
  const { rows: settings } = await admin.query<{ dir: string }>(
    `select setting as dir from pg_settings where name = 'data_directory'`,
  );
  const pidFile = await readFile(path.join(settings[0]?.dir ?? '', 'postmaster.pid'), 'utf8');
  const postmaster = Number(pidFile.split('\n')[0]);
  watchPostgres(postmaster);
  const env = {
    DATABASE_URL: url,
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    DEMO: 'false',
    RATE_LIMIT_REQUESTS: '1000000000',
    RATE_LIMIT_RUNS: '1000000000',
    RATE_LIMIT_TABLE_READS: '1000000000',
    ENCRYPTION_KEY: seeded.encryptionKey,
  };
  return { admin, url, seeded, env, postmaster };
};

const inSetting = async (chosen: Readonly<Record<string, (setting: Setting) => Promise<void>>>) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'portico-bench-'));
  const postgres = await startEmbeddedPostgres({
    dir: path.join(folder, 'postgres'),
    log: pinoLog({ level: 'error' }),
  });
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  try {
    const setting = await seededSetting(folder, postgres, admin);
    for (const [name, part] of Object.entries(chosen)) {
      console.log(`\n== ${name} ==`);
      await part(setting);
    }
  } finally {
    await admin.end();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

const [name] = process.argv.slice(2).filter((argument) => argument !== '--small');
const part = name === undefined || !Object.hasOwn(parts, name) ? null : parts[name];
if (name === undefined) await inSetting(isSmall ? parts : ordinary);
else if (part) await inSetting({ [name]: part });
else {
  console.error(`There is no part "${name}". The parts are: ${Object.keys(parts).join(', ')}.`);
  process.exitCode = 1;
}
