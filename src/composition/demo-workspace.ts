import type { Demo } from '../adapters/demo/welcome.ts';
import { DemoWorkspace } from '../adapters/demo/workspace.ts';
import { signInLinks } from '../adapters/oauth/sign-in-links.ts';
import { databaseIdentity, ensureDatabase, exclusively } from '../adapters/postgres/connection/server.ts';
import { Config } from './config.ts';
import type { Composition } from './container.ts';
import { KeyService } from './modules/access.ts';
import { ConnectionRepository, OAuthStore, UserRepository, WorkspaceRepository } from './modules/postgres.ts';
import { Clock, OAuthSecrets, Sealer } from './modules/system.ts';
import { WorkspaceService } from './modules/workspace.ts';

export const demoWorkspace = ({ container, database, databaseUrl }: Composition): DemoWorkspace => {
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

export const prepareDemo = (composition: Composition): Promise<Demo> => demoWorkspace(composition).prepare();
