import { randomUUID } from 'node:crypto';
import type { Check } from '../adapters/cli/operator.ts';
import { pending } from '../adapters/postgres/migrator.ts';
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

const database = async ({ databaseUrl }: Config, composition: Composition): Promise<Omit<Check, 'name'>> => {
  const { rows } = await composition.database.pool.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  const version = rows[0]?.version ?? 0;
  const about = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}${databaseUrl === null ? ', embedded' : ''}`;
  return version < 150_000 ? { status: 'fail', detail: `${about}: version 15 or later is needed` } : { status: 'ok', detail: about };
};

const migrations = async (composition: Composition): Promise<Omit<Check, 'name'>> => {
  const todo = await pending(composition.database);
  return todo.length === 0 ? { status: 'ok', detail: 'up to date' } : { status: 'fail', detail: `not applied: ${todo.join(', ')}` };
};

/** Writes an object, reads it back and removes it. */
const files = async ({ container }: Composition): Promise<Omit<Check, 'name'>> => {
  const blobs = container.get(port.blobs);
  const key = `doctor/${randomUUID()}`;
  await blobs.write(key, new TextEncoder().encode('portico'), 'text/plain');
  const back = await blobs.read(key);
  await blobs.remove(key);
  return back?.length === 7
    ? { status: 'ok', detail: 'an object was written, read and removed' }
    : { status: 'fail', detail: 'an object did not come back' };
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
  await check('file store', () => files(composition)),
  ...models(config),
  ...(await examineConnections(config, composition)),
  ...(await examineTools(composition)),
];
