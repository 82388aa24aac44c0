import { BigIntType, EntitySchema } from '@mikro-orm/core';
import type { ApiKey, User, Workspace } from '../../domain/access.ts';
import type { Agent, AgentDefinition, AgentVersion } from '../../domain/agent.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Conversation } from '../../domain/conversation.ts';
import type { Database } from '../../domain/database.ts';
import type { Document } from '../../domain/document.ts';
import type { Run, RunUnit, Usage } from '../../domain/run.ts';
import type { Webhook } from '../../domain/webhook.ts';

const id = { type: 'uuid', primary: true } as const;
const uuid = { type: 'uuid' } as const;
const text = { type: 'text' } as const;
const integer = { type: 'integer' } as const;
const count = { type: new BigIntType('number') } as const;
const json = { type: 'json', columnType: 'json' } as const;
const time = { type: 'datetime', columnType: 'timestamptz(3)' } as const;
const uuids = { type: 'array', columnType: 'uuid[]', nullable: true } as const;
const texts = { type: 'array', columnType: 'text[]', nullable: true } as const;
const optional = <T extends object>(property: T) => ({ ...property, nullable: true }) as const;

type Properties<T extends object> = ConstructorParameters<typeof EntitySchema<T>>[0]['properties'];

/** The domain's own types are the entities: the naming strategy turns their names into snake_case, so there is nothing to map. */
const table = <T extends object>(tableName: string, properties: Properties<T>) =>
  new EntitySchema<T>({ name: tableName, tableName, properties });

export const WorkspaceTable = table<Workspace>('workspaces', { id, name: text, createdAt: time });

export const UserTable = table<User>('users', {
  id,
  workspaceId: uuid,
  email: text,
  name: text,
  role: text,
  createdAt: time,
});

export const ApiKeyTable = table<ApiKey>('api_keys', {
  id,
  userId: uuid,
  name: text,
  prefix: text,
  hash: text,
  scopes: texts,
  expiresAt: optional(time),
  lastUsedAt: optional(time),
  revokedAt: optional(time),
  madeWith: optional(uuid),
  windowId: optional(uuid),
  selfIssued: { type: 'boolean' },
  createdAt: time,
});

export const ConnectionTable = table<Connection>('connections', {
  id,
  workspaceId: uuid,
  name: text,
  type: text,
  sealedUrl: text,
  visibleTo: uuids,
  createdAt: time,
  updatedAt: time,
});

export const DatabaseTable = table<Database>('databases', {
  workspaceId: id,
  id: { type: 'text', primary: true },
  name: text,
  connectionId: uuid,
  schemas: texts,
  visibleTo: uuids,
  createdAt: time,
  updatedAt: time,
});

const definition = {
  workflowType: text,
  model: text,
  instructions: text,
  documentSchema: optional(json),
  systemOfRecord: optional(json),
  tools: json,
  review: json,
  checks: json,
  duplicateKey: json,
  requiredValues: optional(json),
};
/** What every version of an agent has a column of its own for. */
export const definitionNames = Object.keys(definition) as readonly (keyof typeof definition)[];

/** Tools are stored as the workspace file declares them, with sealed targets. */
type Stored<T extends AgentDefinition> = Omit<T, 'tools'> & { readonly tools: readonly unknown[] };
export type AgentRow = Stored<Agent>;
export type AgentVersionRow = Stored<AgentVersion>;

export const AgentTable = table<AgentRow>('agents', {
  id,
  workspaceId: uuid,
  name: text,
  description: text,
  version: integer,
  ...definition,
  visibleTo: uuids,
  createdAt: time,
  updatedAt: time,
});

export const AgentVersionTable = table<AgentVersionRow>('agent_versions', {
  agentId: id,
  version: { type: 'integer', primary: true },
  ...definition,
  createdBy: optional(uuid),
  createdAt: time,
});

export const WebhookTable = table<Webhook>('webhooks', {
  id,
  workspaceId: uuid,
  address: text,
  sealedUrl: text,
  sealedSecret: text,
  events: { type: 'array', columnType: 'text[]' },
  createdAt: time,
  updatedAt: time,
  disabledAt: optional(time),
  disabledReason: optional(text),
});

const UsageColumns = new EntitySchema<Usage>({
  name: 'Usage',
  embeddable: true,
  properties: { inputTokens: count, outputTokens: count },
});

export const RunTable = table<Run>('runs', {
  id,
  workspaceId: uuid,
  agentId: uuid,
  agentVersion: integer,
  userId: uuid,
  origin: text,
  workflowType: text,
  status: text,
  statusReason: optional(json),
  error: optional(text),
  processTogether: { type: 'boolean' },
  userMessage: optional(text),
  files: json,
  traceId: text,
  attempt: integer,
  usage: { kind: 'embedded', entity: () => UsageColumns, prefix: false },
  createdAt: time,
  startedAt: optional(time),
  completedAt: optional(time),
});

export const RunUnitTable = table<RunUnit & { readonly runId: string }>('run_units', {
  runId: id,
  index: { type: 'integer', primary: true },
  fileIndexes: { type: 'array', columnType: 'int[]' },
  status: text,
  error: optional(text),
  errorCode: optional(text),
  conversationId: optional(uuid),
  documentId: optional(uuid),
});

export const ConversationTable = table<Conversation>('conversations', {
  id,
  workspaceId: uuid,
  agentId: uuid,
  runId: optional(uuid),
  userId: uuid,
  status: text,
  createdAt: time,
  updatedAt: time,
});

export const DocumentTable = table<Document>('documents', {
  id,
  workspaceId: uuid,
  runId: uuid,
  agentId: uuid,
  conversationId: uuid,
  name: text,
  status: text,
  documentData: optional(json),
  evidence: json,
  coverage: optional(json),
  contradictions: json,
  duplicateKey: optional(text),
  laterKey: optional(text),
  revision: integer,
  attemptedRevision: optional(integer),
  approvedRevision: optional(integer),
  approvedAs: optional(text),
  reviewStatus: text,
  reviewReasons: json,
  reviewer: optional(json),
  reviewNote: optional(text),
  decidedAt: optional(time),
  decidedVia: optional(text),
  checks: json,
  error: optional(text),
  externalReference: optional(text),
  fence: integer,
  leaseExpiresAt: optional(time),
  trashedFrom: optional(text),
  createdAt: time,
  updatedAt: time,
  processedAt: optional(time),
});

export const entities = [
  WorkspaceTable,
  UserTable,
  ApiKeyTable,
  ConnectionTable,
  DatabaseTable,
  AgentTable,
  AgentVersionTable,
  WebhookTable,
  UsageColumns,
  RunTable,
  RunUnitTable,
  ConversationTable,
  DocumentTable,
];
