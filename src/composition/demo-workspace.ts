import type { Demo } from '../adapters/demo/welcome.ts';
import { DemoWorkspace } from '../adapters/demo/workspace.ts';
import { databaseIdentity, ensureDatabase, exclusively } from '../adapters/postgres/connection/server.ts';
import { Config, demoInbox } from './config.ts';
import type { Composition } from './container.ts';
import { KeyService, SignInLinks } from './modules/access.ts';
import { ConnectionRepository, UserRepository, WorkspaceRepository } from './modules/postgres.ts';
import { Sealer } from './modules/system.ts';
import { WorkspaceService } from './modules/workspace.ts';

export const demoWorkspace = ({ container, database, databaseUrl }: Composition): DemoWorkspace => {
  const links = container.get(SignInLinks);
  return new DemoWorkspace({
    inbox: demoInbox(container.get(Config)),
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
    createSignInLink: async (userId) => (await links.create(userId)).url,
  });
};

export const prepareDemo = (composition: Composition): Promise<Demo> => demoWorkspace(composition).prepare();
