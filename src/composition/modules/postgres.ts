import { ContainerModule } from 'inversify';
import { accountRepository } from '../../adapters/postgres/accounts.ts';
import { rememberAgents } from '../../adapters/postgres/agent-memory.ts';
import { agentRepository } from '../../adapters/postgres/agents.ts';
import { callerMemory } from '../../adapters/postgres/caller-memory.ts';
import { documentChanges, runChanges } from '../../adapters/postgres/changes.ts';
import { rememberConnections } from '../../adapters/postgres/connection-memory.ts';
import { connectionRepository } from '../../adapters/postgres/connections.ts';
import { conversationTurns } from '../../adapters/postgres/conversation-turns.ts';
import { conversationRepository } from '../../adapters/postgres/conversations.ts';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { databaseRepository } from '../../adapters/postgres/databases.ts';
import { documentRepository } from '../../adapters/postgres/documents.ts';
import { keyRepository } from '../../adapters/postgres/keys.ts';
import { openListener } from '../../adapters/postgres/listener.ts';
import { oauthStore } from '../../adapters/postgres/oauth-store.ts';
import { accessTokens } from '../../adapters/postgres/oauth-tokens.ts';
import { runQueue } from '../../adapters/postgres/queue.ts';
import { runRepository } from '../../adapters/postgres/runs.ts';
import { snapshotRepository } from '../../adapters/postgres/snapshots.ts';
import { examineServer } from '../../adapters/postgres/start.ts';
import { uploadRepository } from '../../adapters/postgres/uploads.ts';
import { userRepository } from '../../adapters/postgres/users.ts';
import { webhookQueue } from '../../adapters/postgres/webhook-queue.ts';
import { webhookRepository, webhookWakeups } from '../../adapters/postgres/webhooks.ts';
import { workspaceRepository } from '../../adapters/postgres/workspaces.ts';
import { systemClock as clock } from '../../adapters/system/clock.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import type { Resource } from '../resource.ts';
import { port } from '../tokens.ts';

/** How long the holder of an access token is remembered where no word of a change can be heard. */
const REMEMBER_MS = 1000;

/** The embedded server is reached over the machine itself: nothing is said of TLS. */
const termsOf = (config: Config) => ({
  sslMode: config.databaseUrl === null ? ('disable' as const) : config.databaseSslMode,
  sslCa: config.databaseUrl === null ? null : config.databaseSslCa,
  poolSize: config.databasePoolSize,
  connectTimeoutSeconds: config.databaseConnectTimeoutSeconds,
  statementTimeoutSeconds: config.databaseStatementTimeoutSeconds,
  idleSeconds: config.databaseIdleSeconds,
});

/** Everything that is kept in PostgreSQL, over one pool, one pair of shared connections for short reads, and one that listens. */
export const postgres = async (url: string, config: Config, log: Log): Promise<Resource & { readonly database: Database }> => {
  const database = await openDatabase({ ...termsOf(config), url, log });
  await examineServer(database).catch(async (error) => {
    await database.close();
    throw error;
  });
  const listener = openListener(database.connection, log);
  const tokenHolders = callerMemory(listener, REMEMBER_MS);
  const stored = { connections: connectionRepository(database), databases: databaseRepository(database) };
  const { connections, databases } = rememberConnections(stored, listener);
  const module = new ContainerModule(({ bind }) => {
    bind(port.agents).toConstantValue(rememberAgents(agentRepository(database), listener));
    bind(port.runs).toConstantValue(runRepository(database));
    bind(port.documents).toConstantValue(documentRepository(database));
    bind(port.conversations).toConstantValue(conversationRepository(database));
    bind(port.turns).toConstantValue(conversationTurns(database));
    bind(port.snapshots).toConstantValue(snapshotRepository(database));
    bind(port.uploads).toConstantValue(uploadRepository(database));
    bind(port.connections).toConstantValue(connections);
    bind(port.databases).toConstantValue(databases);
    bind(port.keys).toConstantValue(keyRepository({ database, listener, clock, log }));
    bind(port.users).toConstantValue(userRepository(database));
    bind(port.accounts).toConstantValue(accountRepository({ database, onRevoked: tokenHolders.drop }));
    bind(port.oauth).toConstantValue(oauthStore({ database, onRevoked: tokenHolders.drop }));
    bind(port.accessTokens).toConstantValue(accessTokens({ database, memory: tokenHolders, clock }));
    bind(port.workspaces).toConstantValue(workspaceRepository(database));
    bind(port.queue).toConstantValue(runQueue(database));
    bind(port.runChanges).toConstantValue(runChanges(listener));
    bind(port.documentChanges).toConstantValue(documentChanges(listener, database, log));
    bind(port.webhookQueue).toConstantValue(webhookQueue(database));
    bind(port.webhookWakeups).toConstantValue(webhookWakeups(listener));
    bind(port.webhooks).toConstantValue(webhookRepository(database));
  });
  const close = async () => {
    await listener.close();
    await database.close();
  };
  return { module, database, close };
};
