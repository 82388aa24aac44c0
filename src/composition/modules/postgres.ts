import { accountRepository } from '../../adapters/postgres/accounts.ts';
import { agentVersionRepository } from '../../adapters/postgres/agent-versions.ts';
import { agentRepository, cachedAgents } from '../../adapters/postgres/agents.ts';
import { callerCache } from '../../adapters/postgres/caller-cache.ts';
import { documentChanges, runChanges } from '../../adapters/postgres/changes.ts';
import { cachedConnections, connectionRepository } from '../../adapters/postgres/connections.ts';
import { conversationTurns } from '../../adapters/postgres/conversation-turns.ts';
import { conversationRepository } from '../../adapters/postgres/conversations.ts';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { databaseRepository } from '../../adapters/postgres/databases.ts';
import { documentRepository } from '../../adapters/postgres/documents.ts';
import { eventLog, eventSignals } from '../../adapters/postgres/events.ts';
import { keyedRequests } from '../../adapters/postgres/keyed-requests.ts';
import { keyRepository } from '../../adapters/postgres/keys.ts';
import { openListener } from '../../adapters/postgres/listener.ts';
import { pending } from '../../adapters/postgres/migrator.ts';
import { oauthStore } from '../../adapters/postgres/oauth-store.ts';
import { accessTokens } from '../../adapters/postgres/oauth-tokens.ts';
import { runQueue } from '../../adapters/postgres/queue.ts';
import { runRepository } from '../../adapters/postgres/runs.ts';
import { examineServer, ping } from '../../adapters/postgres/server.ts';
import { snapshotRepository } from '../../adapters/postgres/snapshots.ts';
import { sourceFileRepository } from '../../adapters/postgres/source-files.ts';
import { storedObjects } from '../../adapters/postgres/stored-objects.ts';
import { uploadRepository } from '../../adapters/postgres/uploads.ts';
import { userRepository } from '../../adapters/postgres/users.ts';
import { webhookQueue } from '../../adapters/postgres/webhook-queue.ts';
import { webhookRepository, webhookWakeups } from '../../adapters/postgres/webhooks.ts';
import { workspaceRepository } from '../../adapters/postgres/workspaces.ts';
import { systemClock as clock } from '../../adapters/system/runtime.ts';
import type { Log, Probe } from '../../application/ports/runtime.ts';
import type { Resource } from '../binding.ts';
import type { Config } from '../config.ts';

/** How long the caller of an access token is cached if a notification of a change is lost. */
const CALLER_CACHE_MS = 1000;

/** The embedded server is reached over the machine itself, without TLS. */
const connectionOf = (config: Config) => ({
  sslMode: config.databaseUrl === null ? ('disable' as const) : config.databaseSslMode,
  sslCa: config.databaseUrl === null ? null : config.databaseSslCa,
  poolSize: config.databasePoolSize,
  searchPoolSize: config.databaseSearchPoolSize,
  connectTimeoutSeconds: config.databaseConnectTimeoutSeconds,
  statementTimeoutSeconds: config.databaseStatementTimeoutSeconds,
  idleSeconds: config.databaseIdleSeconds,
});

const reachable = (database: Database): Probe => ({ name: 'database', required: true, check: () => ping(database) });

/** A migration stays applied, so the first success is the last check. */
const migrated = (database: Database): Probe => {
  let done = false;
  return {
    name: 'migrations',
    required: true,
    async check() {
      if (done) return;
      const missing = await pending(database);
      if (missing.length > 0) throw new Error(`not applied: ${missing.join(', ')}`);
      done = true;
    },
  };
};

/** Everything that is kept in PostgreSQL, over one pool, one pair of shared connections for short reads, and one that listens. */
export const postgres = async (url: string, config: Config, log: Log) => {
  const database = await openDatabase({ ...connectionOf(config), url, log });
  await examineServer(database).catch(async (error) => {
    await database.close();
    throw error;
  });
  const listener = openListener(database.connection, log);
  const callers = callerCache(listener, CALLER_CACHE_MS);
  const stored = { connections: connectionRepository(database), databases: databaseRepository(database) };
  const ports = {
    ...cachedConnections(stored, listener),
    agents: cachedAgents(agentRepository(database), listener),
    agentVersions: agentVersionRepository(database),
    runs: runRepository(database),
    documents: documentRepository(database),
    conversations: conversationRepository(database),
    turns: conversationTurns(database),
    snapshots: snapshotRepository(database),
    uploads: uploadRepository(database),
    storedObjects: storedObjects(database),
    sourceFiles: sourceFileRepository(database),
    keys: keyRepository({ database, listener, clock, log }),
    users: userRepository(database),
    accounts: accountRepository({ database, onRevoked: callers.invalidate }),
    oauth: oauthStore({ database, onRevoked: callers.invalidate }),
    accessTokens: accessTokens({ database, callers, clock }),
    workspaces: workspaceRepository(database),
    keyedRequests: keyedRequests(database),
    queue: runQueue(database),
    runChanges: runChanges(listener),
    documentChanges: documentChanges(listener, database, log),
    events: eventLog(database),
    eventSignals: eventSignals(listener),
    webhookQueue: webhookQueue(database),
    webhookWakeups: webhookWakeups(listener),
    webhooks: webhookRepository(database),
  };
  const close = async () => {
    await listener.close();
    await database.close();
  };
  return { ports, database, probes: [reachable(database), migrated(database)], close } satisfies Resource & {
    database: Database;
  };
};
