import 'reflect-metadata';
import path from 'node:path';
import { Container, type ServiceIdentifier } from 'inversify';
import type { Database } from '../adapters/postgres/database.ts';
import { startEmbeddedPostgres } from '../adapters/postgres/embedded.ts';
import type { Metrics } from '../adapters/telemetry/metrics.ts';
import type { SignedUrls } from '../application/ports/blobs.ts';
import type { Log } from '../application/ports/runtime.ts';
import type { Telemetry } from '../application/ports/telemetry.ts';
import { type HealthService, healthService } from '../application/upkeep/health.ts';
import type { Resource } from './binding.ts';
import type { Config } from './config.ts';
import { blobs } from './modules/blobs.ts';
import { checks, connectedSystems, limiter, models, outbound, text } from './modules/outside.ts';
import { postgres } from './modules/postgres.ts';
import { search } from './modules/search.ts';
import { services } from './modules/services.ts';
import { configuration, encryptionKeyOf, system } from './modules/system.ts';
import type { Watching } from './modules/telemetry.ts';
import { type Configured, configured, type Ports, port, type Tokens } from './tokens.ts';

export interface Composition {
  readonly container: Container;
  readonly database: Database;
  /** The address in use: that of the embedded server if none was given. */
  readonly databaseUrl: string;
  /** null if the blob store itself answers the URLs that it signs. */
  readonly signedUrls: SignedUrls | null;
  /** Throws if the blob store cannot be used, with the variable to look at. */
  checkFiles(): Promise<void>;
  readonly health: HealthService;
  close(): Promise<void>;
}

/** What serves is watched. */
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

const bindAll = <T extends object>(container: Container, tokens: Tokens<T>, values: T) => {
  for (const [name, value] of Object.entries(values))
    container.bind(tokens[name as keyof T] as ServiceIdentifier).toConstantValue(value);
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
  const encryptionKey = await encryptionKeyOf(config);
  const { url: databaseUrl } = add(await openPostgres(config, log));
  const storage = add(await postgres(databaseUrl, config, log));
  const files = add(blobs(config, encryptionKey, log));
  if (serving) await files.check();
  const limits = add(await limiter(serving ? config : { ...config, redisUrl: null }, log));
  const inProcess = { ...system(log, encryptionKey), ...outbound(config), models: models(config, log, serving) };
  const extractor = add(text(config));
  const rules = add(checks());
  const web = add(await search(config, inProcess));
  const systems = add(connectedSystems(config, log, inProcess.sealer));
  const ports: Ports = {
    ...storage.ports,
    ...files.ports,
    ...limits.ports,
    ...inProcess,
    ...extractor.ports,
    ...rules.ports,
    ...web.ports,
    ...systems.ports,
  };
  const container = new Container({ defaultScope: 'Singleton' });
  await container.load(...(watching ? [watching.module] : []), services);
  bindAll<Ports>(container, port, ports);
  bindAll<Configured>(container, configured, configuration(config, encryptionKey));
  watching?.showState(storage.database, container.get(port.limiter));
  const resources: readonly Resource[] = [storage, files, limits];
  const health = healthService({ probes: resources.flatMap(({ probes = [] }) => probes), log });
  return {
    container,
    database: storage.database,
    databaseUrl,
    signedUrls: files.signedUrls,
    checkFiles: files.check,
    health,
    close,
  };
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
