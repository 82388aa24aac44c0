import { hash } from 'node:crypto';
import { v7 } from 'uuid';
import type { Database } from '../../src/adapters/postgres/connection/database.ts';
import type { FinishedDocument } from '../../src/application/ports/queue.ts';
import type { NewRun } from '../../src/application/ports/storage.ts';
import type { ApiKey, User } from '../../src/domain/access.ts';
import type { Agent } from '../../src/domain/agent.ts';
import type { Evidence } from '../../src/domain/document.ts';
import { notHeld } from '../../src/domain/hold.ts';
import { neverPosted } from '../../src/domain/posting.ts';
import { noReview, usualPolicy } from '../../src/domain/review.ts';
import { unitsOf } from '../../src/domain/run.ts';
import type { Sharer } from '../../src/domain/sharer.ts';
import { readTool, toolJson } from '../../src/domain/tool-json.ts';

const created = new Date('2026-01-01T00:00:00.000Z');

export const anId = () => v7();

const sha256 = (text: string) => hash('sha256', text);

/** A user of the one workspace, or of one that is named. */
export const aSharer = (userId: string, workspaceId = 'w'): Sharer => ({ userId, workspaceId });

export const aUser = (over: Partial<User> = {}): User => {
  const id = over.id ?? anId();
  return {
    id,
    workspaceId: anId(),
    email: `${id}@example.com`,
    name: 'Ada',
    role: 'admin',
    createdAt: created,
    ...over,
  };
};

/** A key that the operator made. */
export const aKey = (over: Partial<ApiKey> = {}): ApiKey => ({
  id: anId(),
  userId: anId(),
  name: 'Laptop',
  prefix: 'svc-abcd',
  hash: sha256(anId()),
  scopes: null,
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  madeWith: null,
  replaces: null,
  windowId: null,
  selfIssued: false,
  createdAt: created,
  ...over,
});

/** What a document has beside its data where nothing was found of it and no person reviews it. */
export const unreviewed = {
  einvoice: null,
  contradictions: [],
  revision: 1,
  attemptedRevision: null,
  approvedRevision: null,
  approvedAs: null,
  reopened: false,
  checks: [],
  duplicateKey: null,
  laterKey: null,
  ...noReview,
  ...neverPosted,
  ...notHeld,
};

/** What a unit makes of its document. */
export const finished = (over: Partial<FinishedDocument> = {}): FinishedDocument => ({
  data: { total: 12 },
  evidence: {},
  coverage: null,
  einvoice: null,
  contradictions: [],
  checks: [],
  duplicateKey: null,
  fileHashes: [],
  pagesOcr: 0,
  reviewStatus: 'not_required',
  reviewReasons: [],
  ...over,
});

/** Evidence in full, or with less of it. */
export const someEvidence = (over: Partial<Evidence> = {}): Evidence => ({
  quote: 'Total 12',
  fileName: 'a.txt',
  page: 1,
  support: 'exact',
  source: 'text',
  confidence: null,
  approximate: false,
  xpath: null,
  boxes: [{ page: 1, x: 0.1, y: 0.2, width: 0.3, height: 0.01 }],
  ...over,
});

export type AgentFields = Omit<Partial<Agent>, 'tools'> & { readonly tools?: readonly unknown[] };

/** An agent; tools are given as a workspace file declares them. */
export const anAgent = ({ tools = [], ...over }: AgentFields = {}): Agent => ({
  id: anId(),
  workspaceId: anId(),
  name: `Agent ${anId()}`,
  description: 'Reads supplier invoices',
  version: 1,
  workflowType: 'document_extraction',
  model: 'offline',
  instructions: 'Read it.',
  documentSchema: { type: 'object' },
  systemOfRecord: null,
  process: 'manual',
  tools: tools.map(readTool),
  review: usualPolicy,
  checks: [],
  duplicateKey: [],
  requiredValues: null,
  einvoice: null,
  listColumns: [],
  split: null,
  parts: [],
  visibleTo: null,
  createdAt: created,
  updatedAt: created,
  ...over,
});

/** A run as it is asked for; `files` may be a number of files. */
export const aNewRun = (
  agent: Agent,
  user: User,
  over: Partial<Omit<NewRun, 'files'>> & { files?: number | NewRun['files'] } = {},
): NewRun => {
  const files =
    typeof over.files === 'object'
      ? over.files
      : Array.from({ length: over.files ?? 1 }, (_, index) => ({
          fileKey: `k/${index}`,
          fileName: `${index}.txt`,
          contentType: 'text/plain',
        }));
  const processTogether = over.processTogether ?? false;
  return {
    id: anId(),
    agentId: agent.id,
    agentVersion: null,
    workspaceId: agent.workspaceId,
    userId: user.id,
    origin: 'api',
    userMessage: null,
    traceId: '0123456789abcdef0123456789abcdef',
    deadlineSeconds: 3_600,
    ...over,
    processTogether,
    files,
    units: over.units ?? unitsOf(files.length, processTogether),
  };
};

export interface Cast {
  readonly user: User;
  readonly agent: Agent;
}

/** Stores a workspace with a user and an agent, straight into the tables. */
export const aWorkspace = async (
  { pool }: Database,
  over: { user?: Partial<User>; agent?: AgentFields } = {},
): Promise<Cast> => {
  const workspaceId = anId();
  await pool.query('insert into workspaces (id, name) values ($1, $2)', [workspaceId, `Workspace ${workspaceId}`]);
  const user = aUser({ ...over.user, workspaceId });
  await storeUser({ pool }, user);
  const agent = anAgent({ ...over.agent, workspaceId });
  await storeAgent({ pool }, agent);
  return { user, agent };
};

export const storeUser = async ({ pool }: Pick<Database, 'pool'>, user: User) => {
  await pool.query(
    'insert into users (id, workspace_id, email, name, role, created_at) values ($1, $2, $3, $4, $5, $6)',
    [user.id, user.workspaceId, user.email, user.name, user.role, user.createdAt],
  );
};

export const storeAgent = async ({ pool }: Pick<Database, 'pool'>, agent: Agent) => {
  await pool.query(
    `insert into agents (id, workspace_id, name, description, workflow_type, model, instructions, document_schema, system_of_record, tools, visible_to,
       created_at, updated_at, review, checks, duplicate_key, required_values, einvoice, process) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
    [
      agent.id,
      agent.workspaceId,
      agent.name,
      agent.description,
      agent.workflowType,
      agent.model,
      agent.instructions,
      JSON.stringify(agent.documentSchema),
      JSON.stringify(agent.systemOfRecord),
      JSON.stringify(agent.tools.map(toolJson)),
      agent.visibleTo,
      agent.createdAt,
      agent.updatedAt,
      agent.review,
      JSON.stringify(agent.checks),
      JSON.stringify(agent.duplicateKey),
      agent.requiredValues && JSON.stringify(agent.requiredValues),
      agent.einvoice && JSON.stringify(agent.einvoice),
      agent.process,
    ],
  );
};

/** Stores an idle conversation of an agent, straight into the tables. */
export const aConversation = async (database: Database, cast?: Cast): Promise<Cast & { readonly id: string }> => {
  const { user, agent } =
    cast ?? (await aWorkspace(database, { agent: { workflowType: 'assistant', documentSchema: null } }));
  const id = anId();
  const columns = 'insert into conversations (id, workspace_id, agent_id, user_id, status)';
  await database.pool.query(`${columns} values ($1, $2, $3, $4, 'idle')`, [id, agent.workspaceId, agent.id, user.id]);
  return { user, agent, id };
};
