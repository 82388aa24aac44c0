import type { ServiceIdentifier } from 'inversify';
import type { AgentService } from '../application/agents.ts';
import type { AuthenticationService } from '../application/authentication.ts';
import type { ConnectionService } from '../application/connections.ts';
import type { DatabaseService } from '../application/databases.ts';
import type { DocumentService } from '../application/documents.ts';
import type { FileReader } from '../application/file-reader.ts';
import type { KeyService } from '../application/keys.ts';
import type { maintenance } from '../application/maintenance.ts';
import type { BlobStore } from '../application/ports/blobs.ts';
import type { Connectors, QueryCaps } from '../application/ports/connectors.ts';
import type { RateLimiter } from '../application/ports/limiter.ts';
import type { Models } from '../application/ports/models.ts';
import type { DocumentChanges, RunChanges, RunQueue } from '../application/ports/queue.ts';
import type { Clock, Ids, Log } from '../application/ports/runtime.ts';
import type { SchemaValidator } from '../application/ports/schemas.ts';
import type { ApiKeys, Sealer } from '../application/ports/secrets.ts';
import type * as storage from '../application/ports/storage.ts';
import type { SystemsOfRecord } from '../application/ports/system-of-record.ts';
import type { TextExtractor } from '../application/ports/text.ts';
import type { runWork } from '../application/run-work.ts';
import type { RunWorker, WorkerSettings } from '../application/run-worker.ts';
import type { RunService } from '../application/runs.ts';
import type { Turn } from '../application/turn.ts';
import type { UploadService } from '../application/uploads.ts';
import type { WorkspaceService } from '../application/workspace.ts';

const token = <T>(name: string) => Symbol(name) as ServiceIdentifier<T>;

/** What the core needs, each answered by one adapter. */
export const port = {
  agents: token<storage.AgentRepository>('AgentRepository'),
  runs: token<storage.RunRepository>('RunRepository'),
  documents: token<storage.DocumentRepository>('DocumentRepository'),
  conversations: token<storage.ConversationRepository>('ConversationRepository'),
  connections: token<storage.ConnectionRepository>('ConnectionRepository'),
  databases: token<storage.DatabaseRepository>('DatabaseRepository'),
  keys: token<storage.KeyRepository>('KeyRepository'),
  users: token<storage.UserRepository>('UserRepository'),
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
  ids: token<Ids>('Ids'),
  clock: token<Clock>('Clock'),
  log: token<Log>('Log'),
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
  workspaces: token<WorkspaceService>('WorkspaceService'),
  files: token<FileReader>('FileReader'),
  turn: token<Turn>('Turn'),
  runWork: token<ReturnType<typeof runWork>>('runWork'),
  runWorker: token<RunWorker>('RunWorker'),
  maintenance: token<ReturnType<typeof maintenance>>('maintenance'),
};

/** Bounds that use cases are given. */
export const bounds = {
  limits: token<{ readonly maxUploadBytes: number; readonly runDeadlineSeconds: number }>('limits'),
  worker: token<WorkerSettings>('WorkerSettings'),
  caps: token<QueryCaps>('QueryCaps'),
};
