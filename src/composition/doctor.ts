import { randomUUID } from 'node:crypto';
import type { Check } from '../adapters/cli/operator.ts';
import { pending } from '../adapters/postgres/migrator.ts';
import { examineServer, ping, versionOf } from '../adapters/postgres/server.ts';
import { examineRedis } from '../adapters/rate-limiter/redis-connection.ts';
import { DomainError } from '../domain/errors.ts';
import type { Config } from './config.ts';
import type { Composition } from './container.ts';
import { examineConnections } from './doctor-connections.ts';
import { examineTools } from './doctor-tools.ts';
import { port } from './tokens.ts';

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const check = async (name: string, examine: () => Promise<Omit<Check, 'name'>>): Promise<Check> => {
  try {
    return { name, ...(await examine()) };
  } catch (error) {
    return { name, status: 'fail', detail: error instanceof DomainError ? error.message : reasonOf(error) };
  }
};

const timed = async <T>(work: () => Promise<T>): Promise<readonly [T, took: string]> => {
  const since = performance.now();
  const done = await work();
  return [done, `${Math.round((performance.now() - since) * 10) / 10} ms`];
};

const database = async ({ databaseUrl }: Config, { database: at }: Composition): Promise<Omit<Check, 'name'>> => {
  const { version, tls } = await examineServer(at);
  await ping(at);
  const [, took] = await timed(() => ping(at));
  const line = databaseUrl === null ? 'embedded' : tls === null ? 'not encrypted' : `encrypted with ${tls}`;
  return { status: 'ok', detail: `PostgreSQL ${versionOf(version)}, ${line}, answers in ${took}` };
};

const migrations = async (composition: Composition): Promise<Omit<Check, 'name'>> => {
  const todo = await pending(composition.database);
  return todo.length === 0 ? { status: 'ok', detail: 'up to date' } : { status: 'fail', detail: `not applied: ${todo.join(', ')}` };
};

/** Writes an object, reads it back and removes it. */
const files = async ({ s3Bucket }: Config, { container, checkFiles }: Composition): Promise<Omit<Check, 'name'>> => {
  await checkFiles();
  const blobs = container.get(port.blobs);
  const key = `doctor/${randomUUID()}`;
  const [back, took] = await timed(async () => {
    await blobs.write(key, new TextEncoder().encode('portico'), 'text/plain');
    return blobs.read(key).finally(() => blobs.remove(key));
  });
  const where = s3Bucket === null ? 'files under DATA_DIR' : `bucket "${s3Bucket}"`;
  return back?.length === 7
    ? { status: 'ok', detail: `${where}: an object was written, read and removed in ${took}` }
    : { status: 'fail', detail: `${where}: an object did not come back` };
};

const limits = async ({ redisUrl, redisPrefix }: Config): Promise<Omit<Check, 'name'>> => {
  if (redisUrl === null) return { status: 'ok', detail: 'counted in each process: for several processes set REDIS_URL' };
  const milliseconds = await examineRedis(redisUrl, redisPrefix);
  return { status: 'ok', detail: `counted in Redis, which answers in ${Math.round(milliseconds * 10) / 10} ms` };
};

const models = ({ openaiApiKey, openaiBaseUrl, anthropicApiKey }: Config) =>
  [
    { name: 'model offline', ready: true, key: '' },
    { name: 'models openai/…', ready: openaiApiKey !== null || openaiBaseUrl !== null, key: 'OPENAI_API_KEY or OPENAI_BASE_URL' },
    { name: 'models anthropic/…', ready: anthropicApiKey !== null, key: 'ANTHROPIC_API_KEY' },
  ].map(
    ({ name, ready, key }): Check => ({ name, status: ready ? 'ok' : 'warn', detail: ready ? 'configured' : `not configured: set ${key}` }),
  );

/** Every part that this configuration needs, tried for real. */
export const examine = async (config: Config, composition: Composition): Promise<readonly Check[]> => [
  await check('database', () => database(config, composition)),
  await check('migrations', () => migrations(composition)),
  await check('file store', () => files(config, composition)),
  await check('limits', () => limits(config)),
  ...models(config),
  ...(await examineConnections(config, composition)),
  ...(await examineTools(composition)),
];
