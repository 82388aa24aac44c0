import type { ServiceIdentifier } from 'inversify';
import type { UseCases } from '../adapters/http/operation.ts';
import type { toolEndpoint } from '../adapters/mcp/endpoint.ts';
import type { AccountService } from '../application/access/accounts.ts';
import type { AuthenticationService } from '../application/access/authentication.ts';
import type { KeyService } from '../application/access/keys.ts';
import type { ConversationService } from '../application/conversations/conversations.ts';
import type { Approvals } from '../application/documents/approvals.ts';
import type { DocumentFindings } from '../application/documents/findings.ts';
import type { PostingRules } from '../application/documents/posting-rules.ts';
import type { EventService } from '../application/events/events.ts';
import type { KeptPages } from '../application/files/kept-pages.ts';
import type { SourceFiles } from '../application/files/source-files.ts';
import type { AccountRepository, CommonPasswords, OneTimeTokens, Passwords } from '../application/ports/accounts.ts';
import type { BlobStore } from '../application/ports/blobs.ts';
import type { CheckEngine } from '../application/ports/checks.ts';
import type { Connectors, QueryCaps } from '../application/ports/connectors.ts';
import type { ConversationTurns } from '../application/ports/conversations.ts';
import type { EventLog, EventSignals } from '../application/ports/events.ts';
import type { KeyedRequests } from '../application/ports/idempotency.ts';
import type { JsonPatches } from '../application/ports/json-patch.ts';
import type { RateLimiter } from '../application/ports/limiter.ts';
import type { Models } from '../application/ports/models.ts';
import type { AccessTokens, OAuthStore } from '../application/ports/oauth.ts';
import type { Outbound } from '../application/ports/outbound.ts';
import type { PageImages } from '../application/ports/page-images.ts';
import type { DocumentChanges, RunChanges, RunQueue } from '../application/ports/queue.ts';
import type { Clock, Ids, Log, SchemaValidator } from '../application/ports/runtime.ts';
import type { PageReader, SearchProvider } from '../application/ports/search.ts';
import type { ApiKeys, Sealer } from '../application/ports/secrets.ts';
import type { SourceFileRepository } from '../application/ports/source-files.ts';
import type * as storage from '../application/ports/storage.ts';
import type { StoredObjects } from '../application/ports/stored-objects.ts';
import type { TextExtractor } from '../application/ports/text.ts';
import type { RemoteTools } from '../application/ports/tools.ts';
import type * as webhooks from '../application/ports/webhooks.ts';
import type { IdempotencyService } from '../application/shared/idempotency.ts';
import type { StorageService } from '../application/storage/storage.ts';
import type { ToolService } from '../application/tools/tools.ts';
import type { FileReader } from '../application/turns/file-reader.ts';
import type { Readers } from '../application/turns/readers.ts';
import type { Turn } from '../application/turns/turn.ts';
import type { maintenance } from '../application/upkeep/maintenance.ts';
import type { DeliverySettings, webhookDelivery } from '../application/webhooks/webhook-delivery.ts';
import type { WebhookWorker, WebhookWorkerSettings } from '../application/webhooks/webhook-worker.ts';
import type { WebhookService } from '../application/webhooks/webhooks.ts';
import type { runWork } from '../application/worker/run-work.ts';
import type { RunWorker, WorkerSettings } from '../application/worker/run-worker.ts';
import type { WorkspaceService } from '../application/workspace/workspace.ts';
import type { Config } from './config.ts';

/** What the core needs, each answered by one adapter. */
export interface Ports {
  readonly agents: storage.AgentRepository;
  readonly agentVersions: storage.AgentVersionRepository;
  readonly runs: storage.RunRepository;
  readonly documents: storage.DocumentRepository;
  readonly conversations: storage.ConversationRepository;
  readonly turns: ConversationTurns;
  readonly snapshots: storage.SnapshotRepository;
  readonly uploads: storage.UploadRepository;
  readonly sourceFiles: SourceFileRepository;
  readonly storedObjects: StoredObjects;
  readonly connections: storage.ConnectionRepository;
  readonly databases: storage.DatabaseRepository;
  readonly keys: storage.KeyRepository;
  readonly users: storage.UserRepository;
  readonly accounts: AccountRepository;
  readonly oauth: OAuthStore;
  readonly accessTokens: AccessTokens;
  readonly workspaces: storage.WorkspaceRepository;
  readonly queue: RunQueue;
  readonly runChanges: RunChanges;
  readonly documentChanges: DocumentChanges;
  readonly events: EventLog;
  readonly eventSignals: EventSignals;
  readonly blobs: BlobStore;
  readonly limiter: RateLimiter;
  readonly models: Models;
  readonly text: TextExtractor;
  readonly pageImages: PageImages;
  readonly connectors: Connectors;
  readonly schemas: SchemaValidator;
  readonly checks: CheckEngine;
  readonly patches: JsonPatches;
  readonly sealer: Sealer;
  readonly apiKeys: ApiKeys;
  readonly passwords: Passwords;
  readonly commonPasswords: CommonPasswords;
  readonly oneTimeTokens: OneTimeTokens;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Outbound;
  readonly searchProvider: SearchProvider;
  readonly pages: PageReader;
  readonly remoteTools: RemoteTools;
  readonly webhooks: webhooks.WebhookRepository;
  readonly keyedRequests: KeyedRequests;
  readonly webhookQueue: webhooks.WebhookQueue;
  readonly webhookWakeups: webhooks.WebhookWakeups;
  readonly signatures: webhooks.WebhookSignatures;
}

/** What the core offers: what the operations of the API use, and more. */
export interface Services extends UseCases {
  readonly authentication: AuthenticationService;
  readonly sources: SourceFiles;
  readonly storage: StorageService;
  readonly idempotency: IdempotencyService;
  readonly keptPages: KeptPages;
  readonly events: EventService;
  readonly findings: DocumentFindings;
  readonly approvals: Approvals;
  readonly postingRules: PostingRules;
  readonly keys: KeyService;
  readonly accounts: AccountService;
  readonly workspaces: WorkspaceService;
  readonly files: FileReader;
  readonly tools: ToolService;
  readonly readers: Readers;
  readonly turn: Turn;
  readonly conversations: ConversationService;
  readonly runWork: ReturnType<typeof runWork>;
  readonly runWorker: RunWorker;
  readonly webhooks: WebhookService;
  readonly webhookDelivery: ReturnType<typeof webhookDelivery>;
  readonly webhookWorker: WebhookWorker;
  readonly maintenance: ReturnType<typeof maintenance>;
  readonly toolEndpoint: ReturnType<typeof toolEndpoint>;
}

/** What services need to know of the configuration. */
export interface Configured {
  readonly config: Config;
  readonly worker: WorkerSettings;
  readonly webhooks: DeliverySettings & WebhookWorkerSettings;
  readonly caps: QueryCaps;
  /** How many pages are drawn at the same time. */
  readonly pages: { readonly drawings: number };
  readonly links: { invitation(token: string): string; document(id: string): string };
  readonly oauth: { readonly key: Uint8Array; readonly sealer: Sealer };
}

export type Tokens<T> = { readonly [Name in keyof T]: ServiceIdentifier<T[Name]> };

/** A token for each member of `T`. Members exist only as types, so a token is made from the name that is asked for. */
const tokens = <T extends object>(kind: string) =>
  new Proxy({}, { get: (_, name) => Symbol.for(`portico.${kind}.${String(name)}`) }) as Tokens<T>;

export const port = tokens<Ports>('port');
export const service = tokens<Services>('service');
export const configured = tokens<Configured>('configured');
