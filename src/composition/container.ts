import 'reflect-metadata';
import path from 'node:path';
import { Container } from 'inversify';
import type { Database } from '../adapters/postgres/connection/database.ts';
import { startEmbeddedPostgres } from '../adapters/postgres/connection/embedded.ts';
import type { Metrics } from '../adapters/telemetry/metrics.ts';
import type { Log } from '../application/ports/runtime.ts';
import type { Telemetry } from '../application/ports/telemetry.ts';
import { type HealthService, healthService } from '../application/upkeep/health.ts';
import type { Config } from './config.ts';
import { makeDataDir } from './data-dir.ts';
import type { Opened } from './module.ts';
import { access } from './modules/access.ts';
import { blobs } from './modules/blobs.ts';
import { conversations } from './modules/conversations.ts';
import { findConverter } from './modules/converter.ts';
import { doctor } from './modules/doctor.ts';
import { documents } from './modules/documents.ts';
import {
  checks,
  connectedSystems,
  limiter,
  Models,
  models,
  Outbound,
  outbound,
  RateLimiter,
  sourcePlaces,
  text,
} from './modules/outside.ts';
import { postgres } from './modules/postgres.ts';
import { runs } from './modules/runs.ts';
import { search } from './modules/search.ts';
import { sources } from './modules/sources.ts';
import { encryptionKeysOf, Sealer, system } from './modules/system.ts';
import type { Watching } from './modules/telemetry.ts';
import { webhooks } from './modules/webhooks.ts';
import { worker } from './modules/worker.ts';
import { workspace } from './modules/workspace.ts';
import { mustNotBeHalfRestored } from './restored.ts';

export interface Composition {
  readonly container: Container;
  readonly database: Database;
  /** The address in use: that of the embedded server if none was given. */
  readonly databaseUrl: string;
  readonly health: HealthService;
  close(): Promise<void>;
}

/** A composition that serves has telemetry and metrics. */
export interface ServingComposition extends Composition {
  readonly telemetry: Telemetry;
  readonly metrics: Metrics;
}

/** Closes what was opened in the reverse order, even when one of them fails. */
const resourceStack = () => {
  const open: (() => Promise<void> | undefined)[] = [];
  const add = <T extends { close?(): Promise<void> }>(resource: T): T => {
    open.push(() => resource.close?.());
    return resource;
  };
  const close = async () => {
    const failures: unknown[] = [];
    for (const end of open.splice(0).reverse()) await end()?.catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  return { add, close };
};

const openPostgres = async ({ databaseUrl, dataDir }: Config, log: Log) => {
  if (databaseUrl !== null) return { url: databaseUrl, close: async () => {} };
  const embedded = await startEmbeddedPostgres({ dir: path.resolve(dataDir, 'postgres'), log });
  return { url: embedded.url, close: () => embedded.stop() };
};

type Resources = ReturnType<typeof resourceStack>;

/** `watching`: null for an operator's command, which serves nothing. */
const open = async (
  config: Config,
  log: Log,
  watching: Watching | null,
  { add, close }: Resources,
): Promise<Composition> => {
  const serving = watching !== null;
  const container = new Container({ defaultScope: 'Singleton' });
  if (watching) await container.load(watching.module);
  const load = async <T extends Opened>(opened: T): Promise<T> => {
    add(opened);
    await container.load(opened.module);
    return opened;
  };
  const isEmbedded = config.databaseUrl === null;
  if (isEmbedded || config.encryptionKey === null) await makeDataDir(config.dataDir, isEmbedded);
  if (isEmbedded) await mustNotBeHalfRestored(path.resolve(config.dataDir));
  const encryptionKeys = await encryptionKeysOf(config);
  const { url: databaseUrl } = add(await openPostgres(config, log));
  const storage = await load(await postgres(databaseUrl, config, log));
  const files = await load(blobs(config, encryptionKeys[0], log));
  if (serving) await files.check();
  const limits = await load(await limiter(serving ? config : { ...config, redisUrl: null }, log));
  for (const opened of [system(config, log, encryptionKeys), outbound(config)]) await load(opened);
  const sending = container.get(Outbound);
  const reading = text(config, findConverter(config, sending), log, serving);
  for (const opened of [models(config, log, serving), reading, checks()]) await load(opened);
  await load(await search(config, { outbound: sending, models: container.get(Models), log }));
  await load(sourcePlaces(config, sending, log));
  await load(connectedSystems(config, log, container.get(Sealer)));
  await container.load(
    access,
    workspace,
    documents,
    runs,
    conversations,
    webhooks,
    sources,
    worker,
    doctor(config, storage, { name: files.name, check: files.check }),
  );
  watching?.showState(storage, container.get(RateLimiter));
  const health = healthService({ probes: [storage, files, limits].flatMap(({ probes = [] }) => probes), log });
  return { container, database: storage.database, databaseUrl, health, close };
};

const orClosed = async <T>(work: (stack: Resources) => Promise<T>): Promise<T> => {
  const stack = resourceStack();
  try {
    return await work(stack);
  } catch (error) {
    await stack.close().catch(() => {});
    throw error;
  }
};

/** Opens every resource of this configuration and binds it: unset means embedded. What is named and cannot be used is an error at once. */
export const compose = (config: Config, log: Log): Promise<ServingComposition> =>
  orClosed(async (stack) => {
    const { telemetry } = await import('./modules/telemetry.ts');
    const watching = stack.add(await telemetry(config, log));
    return { ...(await open(config, log, watching, stack)), telemetry: watching.requests, metrics: watching.metrics };
  });

/** The same for an operator's command: it uses neither the bucket nor Redis, so that they may be away, and loads no telemetry. */
export const composeForOperator = (config: Config, log: Log): Promise<Composition> =>
  orClosed((stack) => open(config, log, null, stack));
