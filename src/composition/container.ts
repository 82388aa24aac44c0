import 'reflect-metadata';
import path from 'node:path';
import { Container } from 'inversify';
import type { Database } from '../adapters/postgres/database.ts';
import { startEmbeddedPostgres } from '../adapters/postgres/embedded.ts';
import type { SignedUrls } from '../application/ports/blobs.ts';
import type { Log } from '../application/ports/runtime.ts';
import type { Config } from './config.ts';
import { application } from './modules/application.ts';
import { conversationModule } from './modules/conversations.ts';
import { oauthModule } from './modules/oauth.ts';
import { connectedSystems, embeddedFiles, limiter, models, outbound, text } from './modules/outside.ts';
import { postgres } from './modules/postgres.ts';
import { search } from './modules/search.ts';
import { encryptionKeyOf, system } from './modules/system.ts';
import { webhookModule } from './modules/webhooks.ts';
import type { Resource } from './resource.ts';
import { service } from './tokens.ts';

export interface Composition {
  readonly container: Container;
  readonly database: Database;
  /** The address in use: that of the embedded server where none was given. */
  readonly databaseUrl: string;
  /** null where the blob store answers its own URLs. */
  readonly signedUrls: SignedUrls | null;
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

/** Opens every resource of this configuration and binds it: unset means embedded. */
export const compose = async (config: Config, log: Log): Promise<Composition> => {
  const resources = pile();
  try {
    const encryptionKey = await encryptionKeyOf(config);
    const server = resources.add(await openPostgres(config, log));
    const storage = resources.add(await postgres(server.url, config.databasePoolSize, log));
    const files = resources.add(embeddedFiles(config, encryptionKey));
    const others: Resource[] = [
      limiter(),
      text(config),
      outbound(config),
      models(config, log),
      search(config, log),
      connectedSystems(config, log, encryptionKey),
    ].map(resources.add);
    const container = new Container({ defaultScope: 'Singleton' });
    await container.load(
      application,
      conversationModule,
      webhookModule,
      oauthModule(config, encryptionKey),
      system(config, log, encryptionKey),
      ...[storage, files, ...others].map(({ module }) => module),
    );
    // A SEARCH_MODEL that cannot be used stops the start, not the first search.
    container.get(service.webSearch);
    return { container, database: storage.database, databaseUrl: server.url, signedUrls: files.signedUrls, close: resources.close };
  } catch (error) {
    await resources.close().catch(() => {});
    throw error;
  }
};
