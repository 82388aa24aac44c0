import { rm } from 'node:fs/promises';
import { startServer } from '../../src/adapters/http/server.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import { api } from '../../src/composition/api.ts';
import { type Config, readConfig } from '../../src/composition/config.ts';
import { compose, type ServingComposition } from '../../src/composition/container.ts';
import { KeyService } from '../../src/composition/modules/access.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { embeddedPostgres } from './backends.ts';
import { freePort } from './listen.ts';
import { quiet } from './log.ts';
import { freshDatabase } from './postgres.ts';
import { aFolder } from './server.ts';

/** A migrated database and a folder for the servers of a test, and the settings that name them. */
export const aPlace = async () => {
  const url = await embeddedPostgres.url();
  if (url === null) throw new Error('no PostgreSQL can be started');
  const [database, dataDir] = [await freshDatabase(url), await aFolder()];
  return {
    settings: { DATABASE_URL: database.url, DATA_DIR: dataDir },
    async remove() {
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

interface Options {
  readonly log?: Log;
  /** Replaces what the container has, before anything uses it. */
  readonly prepare?: (composition: ServingComposition, config: Config) => Promise<void> | void;
}

/** A server with these settings in this process, without a worker, on a port of its own unless they name one. */
export const serveHere = async (env: Readonly<Record<string, string>>, { log = quiet, prepare }: Options = {}) => {
  const config = readConfig({ PORT: String(await freePort()), RATE_LIMIT_REQUESTS: '1000000', ...env });
  const composition = await compose(config, log);
  await prepare?.(composition, config);
  const server = await startServer(api(config, composition), config);
  const { container } = composition;
  return {
    config,
    composition,
    container,
    server,
    url: `http://127.0.0.1:${server.port}`,
    /** Applies a workspace file; the answered function finds the ids of what is in it. */
    async apply(file: string, variables: Readonly<Record<string, string>> = {}) {
      const spec = readWorkspaceFile(file, variables);
      const changes = await container.get(WorkspaceService).apply(spec, { dryRun: false, prune: false });
      return (wanted: (typeof changes)[number]['kind'], called?: string) =>
        changes.find(({ kind, name }) => kind === wanted && (called === undefined || name === called))?.id ?? '';
    },
    key: async (email: string, scopes: readonly string[] | null = null) =>
      (await container.get(KeyService).create({ email, name: 'test', lifetimeDays: null, scopes })).key,
    async stop(graceMs = 0) {
      await server.stop(graceMs);
      await composition.close();
    },
  };
};
