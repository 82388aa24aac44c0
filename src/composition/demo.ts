import path from 'node:path';
import type { Demo } from '../adapters/demo/welcome.ts';
import { DemoWorkspace } from '../adapters/demo/workspace.ts';
import { signInLinks } from '../adapters/oauth/sign-in-links.ts';
import { migrate } from '../adapters/postgres/migrator.ts';
import { databaseIdentity, ensureDatabase, exclusively } from '../adapters/postgres/server.ts';
import { pinoLog } from '../adapters/system/log.ts';
import { deadline } from '../application/shared/async.ts';
import { Config } from './config.ts';
import { type Composition, compose } from './container.ts';
import { KeyService } from './modules/access.ts';
import { ConnectionRepository, OAuthStore, UserRepository, WorkspaceRepository } from './modules/postgres.ts';
import { Clock, OAuthSecrets, Sealer } from './modules/system.ts';
import { WorkspaceService } from './modules/workspace.ts';
import { serve } from './serve.ts';

const samplesFolder = path.resolve(import.meta.dirname, '../../demo/samples');

const workspaceOf = ({ container, database, databaseUrl }: Composition): DemoWorkspace => {
  const links = signInLinks({
    issuer: container.get(Config).authUrl,
    store: container.get(OAuthStore),
    sealer: container.get(OAuthSecrets).sealer,
    clock: container.get(Clock),
  });
  return new DemoWorkspace({
    databaseUrl,
    database: {
      exclusively: (work) => exclusively(database, work),
      ensure: (name) => ensureDatabase(database, name),
      identity: () => databaseIdentity(database),
    },
    workspaces: { apply: container.get(WorkspaceService).apply, any: container.get(WorkspaceRepository).any },
    connections: container.get(ConnectionRepository),
    users: container.get(UserRepository),
    keys: container.get(KeyService),
    sealer: container.get(Sealer),
    readWorkspace: async (text, variables) =>
      (await import('../adapters/workspace-file/read.ts')).readWorkspaceFile(text, variables),
    createSignInLink: links.create,
  });
};

export const prepareDemo = (composition: Composition): Promise<Demo> => workspaceOf(composition).prepare();

const isServing = (baseUrl: string) =>
  fetch(`${baseUrl}/api/v1`, { signal: deadline(3) }).then(
    (answer) => answer.ok,
    () => false,
  );

const sendSamples = async (composition: Composition, baseUrl: string, apply: boolean): Promise<number> => {
  // A start of the server that only prepares the demo does without the client.
  const [{ runDemo }, { ledger }] = await Promise.all([
    import('../adapters/demo/demo.ts'),
    import('../adapters/demo/ledger.ts'),
  ]);
  const workspace = workspaceOf(composition);
  if (apply) await workspace.renew();
  return workspace.withLedger(async (client) =>
    runDemo({
      baseUrl,
      apiKey: await workspace.createKey('npm run demo', 1),
      samplesFolder,
      ledger: ledger(client),
      out: (line) => process.stdout.write(`${line}\n`),
      tty: process.stdout.isTTY,
    }),
  );
};

/** Sends the samples through the server of this configuration: one that is running, or one that lasts as long as the demo. */
export const demo = async (config: Config, apply: boolean): Promise<number> => {
  const log = pinoLog({ level: 'error' });
  if (await isServing(config.baseUrl)) {
    const composition = await compose(config, log);
    try {
      await migrate(composition.database);
      await prepareDemo(composition);
      return await sendSamples(composition, config.baseUrl, apply);
    } finally {
      await composition.close();
    }
  }
  const serving = await serve({ ...config, demo: true }, 'all', log);
  try {
    return await sendSamples(serving.composition, config.baseUrl, apply);
  } finally {
    await serving.stop();
  }
};
