import { ContainerModule } from 'inversify';
import { agentRepository } from '../../adapters/postgres/agents.ts';
import { documentChanges, runChanges } from '../../adapters/postgres/changes.ts';
import { connectionRepository } from '../../adapters/postgres/connections.ts';
import { conversationRepository } from '../../adapters/postgres/conversations.ts';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { databaseRepository } from '../../adapters/postgres/databases.ts';
import { documentRepository } from '../../adapters/postgres/documents.ts';
import { keyRepository } from '../../adapters/postgres/keys.ts';
import { openListener } from '../../adapters/postgres/listener.ts';
import { runQueue } from '../../adapters/postgres/queue.ts';
import { runRepository } from '../../adapters/postgres/runs.ts';
import { userRepository } from '../../adapters/postgres/users.ts';
import { workspaceRepository } from '../../adapters/postgres/workspaces.ts';
import { systemClock as clock } from '../../adapters/system/clock.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Resource } from '../resource.ts';
import { port } from '../tokens.ts';

/** Everything that is kept in PostgreSQL, over one pool, one pair of shared connections for short reads, and one that listens. */
export const postgres = async (url: string, poolSize: number, log: Log): Promise<Resource & { readonly database: Database }> => {
  const database = await openDatabase({ url, poolSize, log });
  const listener = openListener(database.connection, log);
  const module = new ContainerModule(({ bind }) => {
    bind(port.agents).toConstantValue(agentRepository(database));
    bind(port.runs).toConstantValue(runRepository(database));
    bind(port.documents).toConstantValue(documentRepository(database));
    bind(port.conversations).toConstantValue(conversationRepository(database));
    bind(port.connections).toConstantValue(connectionRepository(database));
    bind(port.databases).toConstantValue(databaseRepository(database));
    bind(port.keys).toConstantValue(keyRepository({ database, listener, clock, log }));
    bind(port.users).toConstantValue(userRepository(database));
    bind(port.workspaces).toConstantValue(workspaceRepository(database));
    bind(port.queue).toConstantValue(runQueue(database));
    bind(port.runChanges).toConstantValue(runChanges(listener));
    bind(port.documentChanges).toConstantValue(documentChanges(listener));
  });
  const close = async () => {
    await listener.close();
    await database.close();
  };
  return { module, database, close };
};
