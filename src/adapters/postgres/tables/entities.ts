import { BigIntType, EntitySchema } from '@mikro-orm/core';
import type { Viewer } from '../../../application/ports/storage.ts';
import type { ApiKey, User, Workspace } from '../../../domain/access.ts';
import type { Agent, AgentDefinition, AgentVersion } from '../../../domain/agent.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { Budget } from '../../../domain/budget.ts';
import type { Connection } from '../../../domain/connection.ts';
import type { Conversation } from '../../../domain/conversation.ts';
import type { Database } from '../../../domain/database.ts';
import type { Document } from '../../../domain/document.ts';
import type { Run, RunUnit, Usage } from '../../../domain/run.ts';
import type { Source } from '../../../domain/source.ts';
import type { Webhook } from '../../../domain/webhook.ts';

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

/** A row that is removed stays, for what refers to it. */
interface Removable {
  readonly removedAt: Date | null;
}
const removable = { removedAt: { ...optional(time), lazy: true } } as const;

type Properties<T extends object> = NonNullable<ConstructorParameters<typeof EntitySchema<T>>[0]['properties']>;

/** By `isSeenBy` of the statements. */
const seenBy = ({ workspaceId, userId }: Viewer) => ({
  workspaceId,
  $or: [{ visibleTo: null }, { visibleTo: { $contains: [userId] } }],
});

/**
 * The domain's own types are the entities: the naming strategy turns their names into snake_case, so there is nothing to map. What was
 * removed is found only by those who ask for it, and what has viewers is found for one of them.
 */
const table = <T extends object>(tableName: string, properties: Properties<T>) =>
  new EntitySchema<T>({
    name: tableName,
    tableName,
    properties,
    filters: {
      ...('removedAt' in properties && { present: { name: 'present', cond: { removedAt: null }, default: true } }),
      ...('visibleTo' in properties && { seenBy: { name: 'seenBy', cond: seenBy } }),
    },
  });

export const WorkspaceTable = table<Workspace>('workspaces', {
  id,
  name: text,
  prices: optional(json),
  retention: optional(json),
  createdAt: time,
});

/** What is found of a user when it is asked for, in `populate`. */
export interface UserColumns extends Removable {
  /** The name of the workspace. */
  readonly workspace: string;
  readonly passwordHash: string | null;
  readonly passwordVersion: number;
  readonly disabledAt: Date | null;
  readonly fromFile: boolean;
}

export const UserTable = table<User & UserColumns>('users', {
  id,
  workspaceId: uuid,
  workspace: {
    type: 'text',
    formula: ({ workspaceId }) => `(select w.name from workspaces w where w.id = ${workspaceId})`,
    persist: false,
    lazy: true,
  },
  email: text,
  name: text,
  role: text,
  passwordHash: { ...optional(text), lazy: true },
  passwordVersion: { ...integer, lazy: true },
  disabledAt: { ...optional(time), lazy: true },
  fromFile: { type: 'boolean', lazy: true },
  createdAt: time,
  ...removable,
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
  replaces: optional(uuid),
  windowId: optional(uuid),
  selfIssued: { type: 'boolean' },
  createdAt: time,
});

export const ConnectionTable = table<Connection & Removable>('connections', {
  id,
  workspaceId: uuid,
  name: text,
  type: text,
  sealedUrl: text,
  visibleTo: uuids,
  createdAt: time,
  updatedAt: time,
  ...removable,
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
  process: text,
  tools: json,
  review: json,
  checks: json,
  duplicateKey: json,
  requiredValues: optional(json),
  einvoice: optional(json),
  listColumns: json,
  split: optional(json),
  parts: json,
};
/** What every version of an agent has a column of its own for. */
export const definitionNames = Object.keys(definition) as readonly (keyof typeof definition)[];

/** Tools are stored as the workspace file declares them, with sealed targets. */
type Stored<T extends AgentDefinition> = Omit<T, 'tools'> & { readonly tools: readonly unknown[] };
export type AgentRow = Stored<Agent>;
export type AgentVersionRow = Stored<AgentVersion>;

export const AgentTable = table<AgentRow & Removable>('agents', {
  id,
  workspaceId: uuid,
  name: text,
  description: text,
  version: integer,
  ...definition,
  visibleTo: uuids,
  createdAt: time,
  updatedAt: time,
  ...removable,
});

export const AgentVersionTable = table<AgentVersionRow>('agent_versions', {
  agentId: id,
  version: { type: 'integer', primary: true },
  ...definition,
  createdBy: optional(uuid),
  createdAt: time,
});

export const WebhookTable = table<Webhook & Removable>('webhooks', {
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
  ...removable,
});

export const BudgetTable = table<Budget>('budgets', {
  id,
  workspaceId: uuid,
  name: text,
  agentId: optional(uuid),
  period: text,
  limit: { type: 'string', columnType: 'numeric' },
  action: text,
  createdAt: time,
  updatedAt: time,
});

export const SourceTable = table<Source & Removable>('sources', {
  id,
  workspaceId: uuid,
  name: text,
  agentId: uuid,
  type: text,
  address: text,
  sealedPlace: text,
  after: json,
  from: texts,
  everySeconds: integer,
  paused: { type: 'boolean' },
  createdAt: time,
  updatedAt: time,
  ...removable,
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
  source: optional(json),
  workflowType: text,
  status: text,
  statusReason: optional(json),
  error: optional(text),
  processTogether: { type: 'boolean' },
  userMessage: optional(text),
  files: json,
  traceId: text,
  waitingFor: uuids,
  attempt: integer,
  usage: { kind: 'embedded', entity: () => UsageColumns, prefix: false },
  cost: optional(text),
  createdAt: time,
  startedAt: optional(time),
  completedAt: optional(time),
});

export const ApprovalTable = table<Omit<Approval, 'agentName'>>('approvals', {
  id,
  workspaceId: uuid,
  agentId: uuid,
  agentVersion: integer,
  runId: optional(uuid),
  conversationId: optional(uuid),
  toolCallId: optional(text),
  tool: text,
  approver: text,
  arguments: json,
  argumentsDigest: text,
  rehearsal: optional(json),
  status: text,
  requestedBy: json,
  requestedAt: time,
  expiresAt: time,
  decidedAt: optional(time),
  decidedBy: optional(json),
  note: optional(text),
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
  agentId: optional(uuid),
  agentVersion: optional(integer),
  part: optional(json),
});

export const ConversationTable = table<Omit<Conversation, 'waitingFor'>>('conversations', {
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
  einvoice: optional(json),
  contradictions: json,
  duplicateKey: optional(text),
  laterKey: optional(text),
  revision: integer,
  attemptedRevision: optional(integer),
  approvedRevision: optional(integer),
  approvedAs: optional(text),
  reopened: { type: 'boolean' },
  reviewStatus: text,
  reviewReasons: json,
  reviewer: optional(json),
  reviewNote: optional(text),
  decidedAt: optional(time),
  decidedVia: optional(text),
  checks: json,
  error: optional(text),
  externalReference: optional(text),
  automatic: { type: 'boolean' },
  postedBy: optional(text),
  postAt: optional(time),
  postFailures: integer,
  postFailingSince: optional(time),
  postError: optional(text),
  holdReason: optional(text),
  heldBy: optional(json),
  heldAt: optional(time),
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
  BudgetTable,
  SourceTable,
  UsageColumns,
  RunTable,
  RunUnitTable,
  ConversationTable,
  DocumentTable,
  ApprovalTable,
];
