import { ContainerModule } from 'inversify';
import { type Database, openDatabase } from '../../adapters/postgres/connection/database.ts';
import { openListener } from '../../adapters/postgres/connection/listener.ts';
import { pending } from '../../adapters/postgres/connection/migrator.ts';
import { openReplica, type Replica } from '../../adapters/postgres/connection/replica.ts';
import { examineServer, ping } from '../../adapters/postgres/connection/server.ts';
import { accountRepository } from '../../adapters/postgres/repositories/account-repository.ts';
import { agentRepository, cachedAgents } from '../../adapters/postgres/repositories/agent-repository.ts';
import { agentVersionRepository } from '../../adapters/postgres/repositories/agent-version-repository.ts';
import { approvalRepository } from '../../adapters/postgres/repositories/approval-repository.ts';
import { auditLog } from '../../adapters/postgres/repositories/audit-log.ts';
import { budgetRepository } from '../../adapters/postgres/repositories/budget-repository.ts';
import { callerCache } from '../../adapters/postgres/repositories/caller-cache.ts';
import { documentChanges, runChanges } from '../../adapters/postgres/repositories/changes.ts';
import { cachedConnections, connectionRepository } from '../../adapters/postgres/repositories/connection-repository.ts';
import { conversationRepository } from '../../adapters/postgres/repositories/conversation-repository.ts';
import { conversationTurns, decisions } from '../../adapters/postgres/repositories/conversation-turns.ts';
import { databaseRepository } from '../../adapters/postgres/repositories/database-repository.ts';
import { documentRepository } from '../../adapters/postgres/repositories/document-repository.ts';
import { erasureRepository } from '../../adapters/postgres/repositories/erasure-repository.ts';
import { eventLog, eventSignals } from '../../adapters/postgres/repositories/event-log.ts';
import { holdRepository } from '../../adapters/postgres/repositories/hold-repository.ts';
import { keyBackfills, keyBackfillWakeups } from '../../adapters/postgres/repositories/key-backfills.ts';
import { keyRepository } from '../../adapters/postgres/repositories/key-repository.ts';
import { keyedRequests } from '../../adapters/postgres/repositories/keyed-requests.ts';
import { oauthStore } from '../../adapters/postgres/repositories/oauth-store.ts';
import { accessTokens } from '../../adapters/postgres/repositories/oauth-tokens.ts';
import { peopleRepository } from '../../adapters/postgres/repositories/people-repository.ts';
import { postingQueue } from '../../adapters/postgres/repositories/posting-queue.ts';
import { programCalls } from '../../adapters/postgres/repositories/program-calls.ts';
import { retentionStore } from '../../adapters/postgres/repositories/retention-repository.ts';
import { runQueue } from '../../adapters/postgres/repositories/run-queue.ts';
import { runRepository } from '../../adapters/postgres/repositories/run-repository.ts';
import { signInRepository } from '../../adapters/postgres/repositories/sign-in-repository.ts';
import { snapshotRepository } from '../../adapters/postgres/repositories/snapshot-repository.ts';
import { sourceFileRepository } from '../../adapters/postgres/repositories/source-file-repository.ts';
import { sourceQueue } from '../../adapters/postgres/repositories/source-queue.ts';
import { sourceRepository, sourceWakeups } from '../../adapters/postgres/repositories/source-repository.ts';
import { storedObjects } from '../../adapters/postgres/repositories/stored-objects.ts';
import { uploadRepository } from '../../adapters/postgres/repositories/upload-repository.ts';
import { usageRepository } from '../../adapters/postgres/repositories/usage-repository.ts';
import { userRepository } from '../../adapters/postgres/repositories/user-repository.ts';
import { webhookQueue } from '../../adapters/postgres/repositories/webhook-queue.ts';
import { webhookRepository, webhookWakeups } from '../../adapters/postgres/repositories/webhook-repository.ts';
import { workRepository } from '../../adapters/postgres/repositories/work-repository.ts';
import { workspaceRepository } from '../../adapters/postgres/repositories/workspace-repository.ts';
import { systemClock as clock } from '../../adapters/system/runtime.ts';
import type { Log, Probe } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import { type Opened, token } from '../module.ts';

/** How long the caller of an access token is cached if a notification of a change is lost. */
const CALLER_CACHE_MS = 1000;

/** The embedded server is reached over the machine itself, without TLS. */
const connectionOf = (config: Config) => ({
  sslMode: config.databaseUrl === null ? ('disable' as const) : config.databaseSslMode,
  sslCa: config.databaseUrl === null ? null : config.databaseSslCa,
  listenUrl: config.databaseListenUrl,
  poolSize: config.databasePoolSize,
  searchPoolSize: config.databaseSearchPoolSize,
  connectTimeoutSeconds: config.databaseConnectTimeoutSeconds,
  statementTimeoutSeconds: config.databaseStatementTimeoutSeconds,
  idleSeconds: config.databaseIdleSeconds,
});

/** A replica of the database is reached like the database, but for its address. */
const replicaOf = async (config: Config, primary: Database, log: Log): Promise<Replica | null> => {
  const { databaseReadUrl: url, databaseSslMode: sslMode, databaseSslCa: sslCa } = config;
  if (url === null) return null;
  const replica = await openDatabase({ ...connectionOf(config), listenUrl: null, sslMode, sslCa, url, log });
  return openReplica({ primary, replica, log });
};

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

export const AgentRepository = token(agentRepository);
export const AgentVersionRepository = token(agentVersionRepository);
export const RunRepository = token(runRepository);
export const DocumentRepository = token(documentRepository);
export const ConversationRepository = token(conversationRepository);
export const ConversationTurns = token(conversationTurns);
export const Decisions = token(decisions);
export const ApprovalRepository = token(approvalRepository);
export const AuditLog = token(auditLog);
export const ProgramCalls = token(programCalls);
export const SnapshotRepository = token(snapshotRepository);
export const UploadRepository = token(uploadRepository);
export const SourceQueue = token(sourceQueue);
export const SourceRepository = token(sourceRepository);
export const SourceWakeups = token(sourceWakeups);
export const StoredObjects = token(storedObjects);
export const SourceFileRepository = token(sourceFileRepository);
export const ConnectionRepository = token(connectionRepository);
export const DatabaseRepository = token(databaseRepository);
export const KeyRepository = token(keyRepository);
export const UserRepository = token(userRepository);
export const AccountRepository = token(accountRepository);
export const PeopleRepository = token(peopleRepository);
export const SignInRepository = token(signInRepository);
export const OAuthStore = token(oauthStore);
export const AccessTokens = token(accessTokens);
export const UsageRepository = token(usageRepository);
export const BudgetRepository = token(budgetRepository);
export const WorkRepository = token(workRepository);
export const WorkspaceRepository = token(workspaceRepository);
export const KeyedRequests = token(keyedRequests);
export const RunQueue = token(runQueue);
export const RunChanges = token(runChanges);
export const DocumentChanges = token(documentChanges);
export const EventLog = token(eventLog);
export const EventSignals = token(eventSignals);
export const WebhookRepository = token(webhookRepository);
export const WebhookQueue = token(webhookQueue);
export const PostingQueue = token(postingQueue);
export const KeyBackfills = token(keyBackfills);
export const KeyBackfillWakeups = token(keyBackfillWakeups);
export const RetentionStore = token(retentionStore);
export const HoldRepository = token(holdRepository);
export const ErasureRepository = token(erasureRepository);
export const WebhookWakeups = token(webhookWakeups);

/** Everything that is kept in PostgreSQL, over one pool, one pair of shared connections for short reads, and one that listens; lists over as many to a replica, if there is one. */
export const postgres = async (
  url: string,
  config: Config,
  log: Log,
): Promise<Opened & { database: Database; replica: Replica | null }> => {
  const database = await openDatabase({ ...connectionOf(config), url, log });
  const replica = await examineServer(database)
    .then(() => replicaOf(config, database, log))
    .catch(async (error) => {
      await database.close();
      throw error;
    });
  const lists = replica ?? database;
  const listener = openListener(database, log);
  const callers = callerCache(listener, CALLER_CACHE_MS);
  const onRevoked = callers.invalidate;
  const stored = { connections: connectionRepository(database), databases: databaseRepository(database) };
  const { connections, databases } = cachedConnections(stored, listener);
  const module = new ContainerModule(({ bind }) => {
    bind(AgentRepository).toConstantValue(cachedAgents(agentRepository(database), listener));
    bind(AgentVersionRepository).toConstantValue(agentVersionRepository(database));
    bind(RunRepository).toConstantValue(runRepository(database, lists));
    bind(DocumentRepository).toConstantValue(documentRepository(database, lists));
    bind(ConversationRepository).toConstantValue(conversationRepository(database));
    bind(ConversationTurns).toConstantValue(conversationTurns(database));
    bind(Decisions).toConstantValue(decisions(listener));
    bind(ApprovalRepository).toConstantValue(approvalRepository(database));
    bind(AuditLog).toConstantValue(auditLog(database, lists));
    bind(ProgramCalls).toConstantValue(programCalls(database));
    bind(UsageRepository).toConstantValue(usageRepository(lists));
    bind(BudgetRepository).toConstantValue(budgetRepository(database));
    bind(WorkRepository).toConstantValue(workRepository(database));
    bind(SnapshotRepository).toConstantValue(snapshotRepository(database));
    bind(UploadRepository).toConstantValue(uploadRepository(database));
    bind(SourceQueue).toConstantValue(sourceQueue(database));
    bind(SourceRepository).toConstantValue(sourceRepository(database));
    bind(SourceWakeups).toConstantValue(sourceWakeups(listener));
    bind(StoredObjects).toConstantValue(storedObjects(database));
    bind(SourceFileRepository).toConstantValue(sourceFileRepository(database));
    bind(ConnectionRepository).toConstantValue(connections);
    bind(DatabaseRepository).toConstantValue(databases);
    bind(KeyRepository).toConstantValue(keyRepository({ database, listener, clock, log }));
    bind(UserRepository).toConstantValue(userRepository(database));
    bind(AccountRepository).toConstantValue(accountRepository({ database, onRevoked }));
    bind(PeopleRepository).toConstantValue(peopleRepository({ database, onRevoked }));
    bind(SignInRepository).toConstantValue(signInRepository({ database, onRevoked }));
    bind(OAuthStore).toConstantValue(oauthStore({ database, onRevoked }));
    bind(AccessTokens).toConstantValue(accessTokens({ database, callers, clock, log }));
    bind(WorkspaceRepository).toConstantValue(workspaceRepository(database));
    bind(KeyedRequests).toConstantValue(keyedRequests(database));
    bind(RunQueue).toConstantValue(runQueue(database));
    bind(RunChanges).toConstantValue(runChanges(listener));
    bind(DocumentChanges).toConstantValue(documentChanges(listener, database, log));
    bind(EventLog).toConstantValue(eventLog(database));
    bind(EventSignals).toConstantValue(eventSignals(listener));
    bind(WebhookRepository).toConstantValue(webhookRepository(database));
    bind(WebhookQueue).toConstantValue(webhookQueue(database));
    bind(PostingQueue).toConstantValue(postingQueue(database));
    bind(KeyBackfills).toConstantValue(keyBackfills(database));
    bind(KeyBackfillWakeups).toConstantValue(keyBackfillWakeups(listener));
    bind(ErasureRepository).toConstantValue(erasureRepository(database));
    bind(RetentionStore).toConstantValue(retentionStore(database));
    bind(HoldRepository).toConstantValue(holdRepository(database));
    bind(WebhookWakeups).toConstantValue(webhookWakeups(listener));
  });
  const close = async () => {
    await listener.close();
    await Promise.all([database.close(), replica?.close()]);
  };
  return { module, database, replica, probes: [reachable(database), migrated(database)], close };
};
