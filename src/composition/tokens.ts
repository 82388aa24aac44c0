import type { ServiceIdentifier } from 'inversify';
import type { toolEndpoint } from '../adapters/mcp/endpoint.ts';
import type { AccountService } from '../application/access/accounts.ts';
import type { AuthenticationService } from '../application/access/authentication.ts';
import type { KeyService } from '../application/access/keys.ts';
import type { AgentService } from '../application/agents/agents.ts';
import type { ConnectionService } from '../application/connections/connections.ts';
import type { ConversationService } from '../application/conversations/conversations.ts';
import type { DatabaseService } from '../application/databases/databases.ts';
import type { DocumentService } from '../application/documents/documents.ts';
import type { maintenance } from '../application/maintenance.ts';
import type { AccountRepository, CommonPasswords, OneTimeTokens, Passwords } from '../application/ports/accounts.ts';
import type { BlobStore } from '../application/ports/blobs.ts';
import type { Connectors, QueryCaps } from '../application/ports/connectors.ts';
import type { ConversationTurns } from '../application/ports/conversations.ts';
import type { RateLimiter } from '../application/ports/limiter.ts';
import type { Models } from '../application/ports/models.ts';
import type { AccessTokens, OAuthStore } from '../application/ports/oauth.ts';
import type { Outbound } from '../application/ports/outbound.ts';
import type { DocumentChanges, RunChanges, RunQueue } from '../application/ports/queue.ts';
import type { Clock, Ids, Log } from '../application/ports/runtime.ts';
import type { SchemaValidator } from '../application/ports/schemas.ts';
import type { PageReader, SearchProvider } from '../application/ports/search.ts';
import type { ApiKeys, Sealer } from '../application/ports/secrets.ts';
import type { SnapshotRepository } from '../application/ports/snapshots.ts';
import type * as storage from '../application/ports/storage.ts';
import type { SystemsOfRecord } from '../application/ports/system-of-record.ts';
import type { TextExtractor } from '../application/ports/text.ts';
import type { RemoteTools } from '../application/ports/tools.ts';
import type { UploadRepository } from '../application/ports/uploads.ts';
import type * as webhooks from '../application/ports/webhooks.ts';
import type { RunLimitSettings } from '../application/runs/run-limit.ts';
import type { runWork } from '../application/runs/run-work.ts';
import type { RunWorker, WorkerSettings } from '../application/runs/run-worker.ts';
import type { RunService } from '../application/runs/runs.ts';
import type { UploadCleanup } from '../application/runs/upload-cleanup.ts';
import type { UploadLimits, UploadService } from '../application/runs/uploads.ts';
import type { WebSearchService } from '../application/search/web-search.ts';
import type { SnapshotTidying } from '../application/snapshots/snapshot-cleanup.ts';
import type { SnapshotService } from '../application/snapshots/snapshots.ts';
import type { ToolService } from '../application/tools/tools.ts';
import type { FileReader } from '../application/turns/file-reader.ts';
import type { Readers } from '../application/turns/readers.ts';
import type { Turn } from '../application/turns/turn.ts';
import type { DeliverySettings, webhookDelivery } from '../application/webhooks/webhook-delivery.ts';
import type { WebhookWorker, WebhookWorkerSettings } from '../application/webhooks/webhook-worker.ts';
import type { WebhookService } from '../application/webhooks/webhooks.ts';
import type { WorkspaceService } from '../application/workspace/workspace.ts';

const token = <T>(name: string) => Symbol(name) as ServiceIdentifier<T>;

/** What the core needs, each answered by one adapter. */
export const port = {
  agents: token<storage.AgentRepository>('AgentRepository'),
  runs: token<storage.RunRepository>('RunRepository'),
  documents: token<storage.DocumentRepository>('DocumentRepository'),
  conversations: token<storage.ConversationRepository>('ConversationRepository'),
  turns: token<ConversationTurns>('ConversationTurns'),
  snapshots: token<SnapshotRepository>('SnapshotRepository'),
  uploads: token<UploadRepository>('UploadRepository'),
  connections: token<storage.ConnectionRepository>('ConnectionRepository'),
  databases: token<storage.DatabaseRepository>('DatabaseRepository'),
  keys: token<storage.KeyRepository>('KeyRepository'),
  users: token<storage.UserRepository>('UserRepository'),
  accounts: token<AccountRepository>('AccountRepository'),
  oauth: token<OAuthStore>('OAuthStore'),
  accessTokens: token<AccessTokens>('AccessTokens'),
  workspaces: token<storage.WorkspaceRepository>('WorkspaceRepository'),
  queue: token<RunQueue>('RunQueue'),
  runChanges: token<RunChanges>('RunChanges'),
  documentChanges: token<DocumentChanges>('DocumentChanges'),
  blobs: token<BlobStore>('BlobStore'),
  limiter: token<RateLimiter>('RateLimiter'),
  models: token<Models>('Models'),
  text: token<TextExtractor>('TextExtractor'),
  connectors: token<Connectors>('Connectors'),
  systems: token<SystemsOfRecord>('SystemsOfRecord'),
  schemas: token<SchemaValidator>('SchemaValidator'),
  sealer: token<Sealer>('Sealer'),
  apiKeys: token<ApiKeys>('ApiKeys'),
  passwords: token<Passwords>('Passwords'),
  commonPasswords: token<CommonPasswords>('CommonPasswords'),
  oneTimeTokens: token<OneTimeTokens>('OneTimeTokens'),
  ids: token<Ids>('Ids'),
  clock: token<Clock>('Clock'),
  log: token<Log>('Log'),
  outbound: token<Outbound>('Outbound'),
  /** What is searched, and what reads the pages that are found there. */
  web: token<{ readonly provider: SearchProvider; readonly pages: PageReader }>('Web'),
  remoteTools: token<RemoteTools | null>('RemoteTools'),
  webhooks: token<webhooks.WebhookRepository>('WebhookRepository'),
  webhookQueue: token<webhooks.WebhookQueue>('WebhookQueue'),
  webhookWakeups: token<webhooks.WebhookWakeups>('WebhookWakeups'),
  webhookData: token<(subject: webhooks.WebhookSubject) => unknown>('webhookData'),
  signatures: token<webhooks.WebhookSignatures>('WebhookSignatures'),
};

/** What the core offers. */
export const service = {
  agents: token<AgentService>('AgentService'),
  authentication: token<AuthenticationService>('AuthenticationService'),
  uploads: token<UploadService>('UploadService'),
  runs: token<RunService>('RunService'),
  documents: token<DocumentService>('DocumentService'),
  connections: token<ConnectionService>('ConnectionService'),
  databases: token<DatabaseService>('DatabaseService'),
  keys: token<KeyService>('KeyService'),
  accounts: token<AccountService>('AccountService'),
  workspaces: token<WorkspaceService>('WorkspaceService'),
  files: token<FileReader>('FileReader'),
  tools: token<ToolService>('ToolService'),
  readers: token<Readers>('Readers'),
  turn: token<Turn>('Turn'),
  conversations: token<ConversationService>('ConversationService'),
  snapshots: token<SnapshotService>('SnapshotService'),
  snapshotTidying: token<SnapshotTidying>('SnapshotTidying'),
  uploadCleanup: token<UploadCleanup>('UploadCleanup'),
  webSearch: token<WebSearchService>('WebSearchService'),
  runWork: token<ReturnType<typeof runWork>>('runWork'),
  runWorker: token<RunWorker>('RunWorker'),
  webhooks: token<WebhookService>('WebhookService'),
  webhookDelivery: token<ReturnType<typeof webhookDelivery>>('webhookDelivery'),
  webhookWorker: token<WebhookWorker>('WebhookWorker'),
  maintenance: token<ReturnType<typeof maintenance>>('maintenance'),
};

/** What the outside world speaks to, where it has to be stopped. */
export const endpoint = {
  tools: token<ReturnType<typeof toolEndpoint>>('toolEndpoint'),
};

/** Bounds that use cases are given. */
export const bounds = {
  limits: token<RunLimitSettings & UploadLimits & { readonly runDeadlineSeconds: number }>('limits'),
  worker: token<WorkerSettings>('WorkerSettings'),
  conversations: token<{ readonly turnMaxSteps: number; readonly toolTimeoutSeconds: number; readonly conversationLeaseSeconds: number }>(
    'conversations',
  ),
  webhooks: token<DeliverySettings & WebhookWorkerSettings>('WebhookSettings'),
  caps: token<QueryCaps>('QueryCaps'),
  links: token<{ invitation(token: string): string }>('links'),
  oauth: token<{ readonly key: Uint8Array; readonly sealer: Sealer }>('oauth'),
};
