import 'reflect-metadata';
import path from 'node:path';
import { Container } from 'inversify';
import type { Database } from '../adapters/postgres/database.ts';
import { startEmbeddedPostgres } from '../adapters/postgres/embedded.ts';
import type { Metrics } from '../adapters/telemetry/metrics.ts';
import { type HealthService, healthService } from '../application/health.ts';
import type { SignedUrls } from '../application/ports/blobs.ts';
import type { Log } from '../application/ports/runtime.ts';
import type { Telemetry } from '../application/ports/telemetry.ts';
import type { Config } from './config.ts';
import { application } from './modules/application.ts';
import { blobs } from './modules/blobs.ts';
import { conversationModule } from './modules/conversations.ts';
import { limiter } from './modules/limiter.ts';
import { mcpModule } from './modules/mcp.ts';
import { oauthModule } from './modules/oauth.ts';
import { connectedSystems, models, outbound, text } from './modules/outside.ts';
import { postgres } from './modules/postgres.ts';
import { search } from './modules/search.ts';
import { encryptionKeyOf, system } from './modules/system.ts';
import { showState, telemetry } from './modules/telemetry.ts';
import { webhookModule } from './modules/webhooks.ts';
import { storageProbes } from './probes.ts';
import type { Resource } from './resource.ts';
import { port, service } from './tokens.ts';

export interface Composition {
  readonly container: Container;
  readonly database: Database;
  /** The address in use: that of the embedded server where none was given. */
  readonly databaseUrl: string;
  /** null where the blob store answers its own URLs. */
  readonly signedUrls: SignedUrls | null;
  /** Throws where the blob store cannot be used, with the variable to look at. */
  checkFiles(): Promise<void>;
  readonly health: HealthService;
  readonly telemetry: Telemetry;
  readonly metrics: Metrics;
  close(): Promise<void>;
}

/** Everything that is open, closed in the reverse order even when one of them fails. */
const pile = () => {
  const open: (() => Promise<void>)[] = [];
  const add = <T extends { close(): Promise<void> }>(resource: T): T => {
    open.push(() => resource.close());
    return resource;
  };
  const close = async () => {
    const failures: unknown[] = [];
    for (const end of open.splice(0).reverse()) await end().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  return { add, close };
};

const openPostgres = async ({ databaseUrl, dataDir }: Config, log: Log) => {
  if (databaseUrl !== null) return { url: databaseUrl, close: async () => {} };
  const embedded = await startEmbeddedPostgres({ dir: path.resolve(dataDir, 'postgres'), log });
  return { url: embedded.url, close: () => embedded.stop() };
};

/**
 * Opens every resource of this configuration and binds it: unset means embedded. What is named and cannot be used is an error at
 * once; whoever runs the server has commands that use neither bucket nor Redis, and those work without them.
 */
export const compose = async (config: Config, log: Log, purpose: 'serving' | 'operating' = 'serving'): Promise<Composition> => {
  const serving = purpose === 'serving';
  const resources = pile();
  try {
    const encryptionKey = await encryptionKeyOf(config);
    const told = resources.add(await telemetry(serving ? config : { ...config, otelDisabled: true }, log));
    const server = resources.add(await openPostgres(config, log));
    const storage = resources.add(await postgres(server.url, config, log));
    const files = resources.add(blobs(config, encryptionKey, log));
    if (serving) await files.check();
    const limits = resources.add(await limiter(serving ? config : { ...config, redisUrl: null }, log));
    const others: Resource[] = [
      resources.add(text(config)),
      resources.add(outbound(config)),
      resources.add(models(config, log, serving)),
      resources.add(search(config, log)),
      resources.add(connectedSystems(config, log, encryptionKey)),
    ];
    const container = new Container({ defaultScope: 'Singleton' });
    await container.load(
      application,
      conversationModule,
      webhookModule,
      oauthModule(config, encryptionKey),
      mcpModule(config),
      system(config, log, encryptionKey),
      ...[told, storage, files, limits, ...others].map(({ module }) => module),
    );
    // A SEARCH_MODEL that cannot be used stops the start, not the first search.
    container.get(service.webSearch);
    const { database } = storage;
    const { requests, metrics } = told;
    showState(metrics, database, container.get(port.limiter));
    const probes = [...storageProbes(database, container.get(port.blobs)), ...[limits, ...others].flatMap((other) => other.probes ?? [])];
    const health = healthService({ probes, log });
    const { signedUrls, check: checkFiles } = files;
    const watching = { telemetry: requests, metrics };
    return { container, database, databaseUrl: server.url, signedUrls, checkFiles, health, ...watching, close: resources.close };
  } catch (error) {
    await resources.close().catch(() => {});
    throw error;
  }
};
