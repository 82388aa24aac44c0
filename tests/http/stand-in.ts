import { randomUUID } from 'node:crypto';
import { type HttpSettings, httpApp } from '../../src/adapters/http/app.ts';
import { etagOf } from '../../src/adapters/http/conditional.ts';
import { represent } from '../../src/adapters/http/operation.ts';
import { exampleDocumentFile } from '../../src/adapters/http/operations/document-files.ts';
import { exampleRunFile } from '../../src/adapters/http/operations/run-files.ts';
import { getRun } from '../../src/adapters/http/operations/runs.ts';
import { exampleDownload, exampleUpload } from '../../src/adapters/http/operations/snapshots.ts';
import { inProcessLimiter } from '../../src/adapters/rate-limiter/in-process.ts';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import { aesSealer } from '../../src/adapters/system/sealer.ts';
import type { RowStream } from '../../src/application/ports/connectors.ts';
import type { ShownSource } from '../../src/application/ports/sources.ts';
import type { AgentSummary, RunDetail, RunSummary, ShownDocument } from '../../src/application/ports/storage.ts';
import { idempotencyService } from '../../src/application/shared/idempotency.ts';
import type { Role, Scope } from '../../src/domain/access.ts';
import { shownEntry } from '../../src/domain/audit-chain.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { DomainError, invalid, notFound } from '../../src/domain/errors.ts';
import { runMachine } from '../../src/domain/run.ts';
import { exampleGrant, exampleKey, examplePerson } from '../../src/wire/account.ts';
import { exampleVersion } from '../../src/wire/agent-version.ts';
import { exampleApproval } from '../../src/wire/approval.ts';
import { exampleAuditEntry } from '../../src/wire/audit.ts';
import { exampleBudgets } from '../../src/wire/budget.ts';
import { exampleConnection, exampleEntity } from '../../src/wire/connection.ts';
import { exampleColumns, exampleDatabase, exampleTable } from '../../src/wire/database.ts';
import { exampleAttempt, exampleDelivery, exampleWebhook } from '../../src/wire/delivery.ts';
import { document, exampleDocument, exampleRevision, listedDocument } from '../../src/wire/document.ts';
import { exampleErasure } from '../../src/wire/erasure.ts';
import { exampleEvent } from '../../src/wire/event.ts';
import { exampleIdentity } from '../../src/wire/identity.ts';
import { exampleRun } from '../../src/wire/run.ts';
import { exampleIntake, exampleSource } from '../../src/wire/source.ts';
import { exampleReply, exampleThread } from '../../src/wire/thread.ts';
import { exampleUsage } from '../../src/wire/usage.ts';
import { exampleAnswer } from '../../src/wire/web-search.ts';
import { anAgent } from '../support/builders.ts';
import { generous, type Harness, type HarnessLimits, type Sample, type StartHarness } from '../support/http.ts';
import { keyedRequestsHere } from '../support/keyed-requests.ts';
import { listen } from '../support/listen.ts';
import { quiet } from '../support/log.ts';

const agent: AgentSummary = {
  id: exampleRun.agentId,
  name: 'Invoice reader',
  description: 'Reads invoices.',
  workflowType: 'document_extraction',
  posts: true,
};

const shownSource: ShownSource = { ...exampleSource, id: exampleRun.agentId, address: '/srv/inbox' };

const connected = {
  connection: exampleConnection,
  workspaceId: exampleConnection.workspaceId,
  connectionId: exampleConnection.id,
  schemas: null,
  visibleTo: null,
  createdAt: exampleConnection.createdAt,
  updatedAt: exampleConnection.updatedAt,
};

const aRowStream = (): RowStream => ({
  columns: [{ name: 'id', dataType: 'bigint' }],
  chunks: (async function* () {
    yield Buffer.from('{"id":12345678901234567890},');
    yield Buffer.from('{"id":2}');
  })(),
  end: () => ({ rowCount: 2, more: false }),
});

export interface World {
  readonly runs: Map<string, RunDetail>;
  readonly documents: Map<string, ShownDocument>;
  readonly keys: Map<string, Caller>;
  /** Called when the status of a run changes. */
  readonly watchers: Set<() => void>;
  readonly use: HttpSettings['use'];
  newKey(terms?: {
    workspaceId?: string;
    role?: Role;
    scopes?: readonly Scope[];
    kind?: Caller['credential']['kind'];
    boundToAgent?: string | null;
  }): string;
  newRun(): RunDetail;
  newDocument(): ShownDocument;
  cancelRun(id: string): void;
}

const mustFind = <T>(things: ReadonlyMap<string, T>, id: string, what: string): T => {
  const found = things.get(id);
  if (!found) throw notFound(what);
  return found;
};

/** What of an approval no client sees. */
const kept = {
  workspaceId: exampleRun.workspaceId,
  agentVersion: 1,
  toolCallId: 'call_1',
  approver: 'person',
} as const;

/** By the codec: so an answer of text is the one that the description has. */
const printed = (shown: ShownDocument) => {
  const { document_data, evidence } = document.encode(shown) as Record<string, unknown>;
  return { documentData: JSON.stringify(document_data), evidence: JSON.stringify(evidence) };
};

const anApproval = async (id: string) => {
  if (id !== exampleApproval.id) throw notFound('approval');
  return { ...exampleApproval, ...kept };
};

const eventPage = {
  events: [exampleEvent],
  position: exampleEvent.sequence,
  hasMore: false,
  isUnsettled: false,
} as const;

const aThread = () => ({
  conversation: exampleThread,
  messages: (async function* () {
    yield exampleThread.messages;
  })(),
});

/** Use cases that keep everything in memory: just enough to see what the pipeline makes of them. */
export const world = (): World => {
  const runs = new Map<string, RunDetail>();
  const documents = new Map<string, ShownDocument>();
  const keys = new Map<string, Caller>();
  const watchers = new Set<() => void>();
  const idempotent = new Map<string, { hash: string; run: RunSummary }>();

  const newRun = (): RunDetail => {
    const run: RunDetail = { ...exampleRun, id: randomUUID(), status: 'queued', completedAt: null };
    runs.set(run.id, run);
    return run;
  };
  const newDocument = (): ShownDocument => {
    const document = { ...exampleDocument, id: randomUUID() };
    documents.set(document.id, document);
    return document;
  };
  const cancelRun = (id: string) => {
    runs.set(id, { ...mustFind(runs, id, 'run'), status: 'cancelled', completedAt: new Date() });
    for (const wake of watchers) wake();
  };
  const visibleAgent = (id: string) => {
    if (id !== agent.id) throw notFound('agent');
    return agent;
  };

  const use: HttpSettings['use'] = {
    authentication: {
      async authenticate({ apiKey, bearer }) {
        const caller = keys.get(apiKey ?? bearer ?? '');
        if (!caller || (apiKey !== null && bearer !== null && apiKey !== bearer)) {
          throw new DomainError('unauthenticated', 'The credential is not valid.');
        }
        return caller;
      },
    },
    profiles: {
      of: async ({ credential, scopes }) => ({
        ...exampleIdentity,
        credential: { id: credential.id, kind: 'api_key' },
        scopes: scopes && [...scopes],
      }),
    },
    ownKeys: {
      list: async (_, user) => (user === null ? { keys: [exampleKey], next: null } : Promise.reject(notFound('user'))),
      create: async () => exampleKey,
      revoke: async (_, id) => (id === exampleKey.id ? undefined : Promise.reject(notFound('key'))),
      rotate: async (_, id) => (id === exampleKey.id ? exampleKey : Promise.reject(notFound('key'))),
    },
    erasures: {
      erase: async (_, { id }) => {
        mustFind(documents, id, 'document');
        return exampleErasure;
      },
      list: async () => ({ erasures: [exampleErasure], next: null }),
    },
    grants: {
      list: async () => [exampleGrant],
      revoke: async (_, id) => (id === exampleGrant.id ? undefined : Promise.reject(notFound('grant'))),
    },
    people: {
      list: async () => [examplePerson],
      add: async () => examplePerson,
      change: async (_, id) => (id === examplePerson.id ? examplePerson : Promise.reject(notFound('user'))),
      invite: async (_, id) =>
        id === examplePerson.id
          ? { url: 'https://portico.example.com/x', expiresAt: new Date() }
          : Promise.reject(notFound('user')),
    },
    audit: {
      list: async () => ({ entries: [exampleAuditEntry], names: {}, next: null }),
      async export() {
        const lines = async function* () {
          yield shownEntry(exampleAuditEntry);
        };
        return lines();
      },
    },
    agents: { list: async () => [agent], get: async (_, id) => anAgent(visibleAgent(id)) },
    tools: { toolsOf: async () => ({ tools: [], reports: [] }) },
    agentVersions: {
      list: async (_, id) => ({ versions: visibleAgent(id) && [exampleVersion], next: null }),
      get: async (_, id, version) =>
        visibleAgent(id) && version === exampleVersion.version ? exampleVersion : Promise.reject(notFound('version')),
      publish: async (_, id) => visibleAgent(id) && exampleVersion,
    },
    uploads: {
      async createUrls(_, agentId, files) {
        visibleAgent(agentId);
        const expiresAt = new Date('2026-11-20T10:30:00.000Z');
        return files.map(({ fileName, contentType }) => ({
          fileKey: `uploads/${randomUUID()}`,
          fileName,
          contentType,
          uploadUrl: 'https://files.example.com/x',
          method: 'PUT',
          headers: { 'Content-Type': contentType },
          expiresAt,
        }));
      },
    },
    runs: {
      async start(caller, { agentId, files, userMessage, processTogether, traceId, idempotency }) {
        if (files.length === 0 && (userMessage ?? '').trim() === '')
          throw invalid({ path: 'body', message: 'must have a file or a message' });
        visibleAgent(agentId);
        const known = idempotency && idempotent.get(`${caller.credential.id} ${idempotency.key}`);
        if (known && known.hash !== idempotency.requestHash) {
          throw new DomainError('invalid', 'This Idempotency-Key was used with another request.', {
            code: 'idempotency_key_reused',
          });
        }
        if (known) return { run: known.run, replayed: true };
        const run = {
          ...newRun(),
          files,
          userMessage,
          processTogether,
          traceId: traceId ?? '0'.repeat(31).concat('1'),
        };
        runs.set(run.id, run);
        if (idempotency)
          idempotent.set(`${caller.credential.id} ${idempotency.key}`, { hash: idempotency.requestHash, run });
        return { run, replayed: false };
      },
      stop() {},
      get: async (_, id) => mustFind(runs, id, 'run'),
      async watch(_, id, waitSeconds, isNews, signal) {
        const run = mustFind(runs, id, 'run');
        if (isNews(run) || runMachine.isTerminal(run.status)) return run;
        const { promise, resolve } = Promise.withResolvers<void>();
        watchers.add(resolve);
        const timer = setTimeout(resolve, waitSeconds * 1000);
        signal.addEventListener('abort', () => resolve());
        await promise;
        watchers.delete(resolve);
        clearTimeout(timer);
        return mustFind(runs, id, 'run');
      },
      async list(_, { status }, { limit, offset }) {
        const matching = [...runs.values()].filter((run) => status === undefined || run.status === status);
        return { items: matching.slice(offset, offset + limit), total: matching.length, next: null };
      },
      async cancel(_, id) {
        const run = mustFind(runs, id, 'run');
        if (run.status === 'completed' || run.status === 'failed') {
          throw new DomainError('conflict', `The run is ${run.status}.`, { code: `run_${run.status}` });
        }
        cancelRun(id);
        return mustFind(runs, id, 'run');
      },
    },
    work: {
      counts: async () => ({ needsReview: 1, failedDocuments: 0, failedRuns: 0, readyToPost: 100, approvals: 0 }),
      failedRuns: async () => [],
      dismiss: async (_, id) => mustFind(runs, id, 'run'),
    },
    usage: { report: async () => exampleUsage, budgets: async () => exampleBudgets },
    runFiles: {
      list: async (_, id) => [mustFind(runs, id, 'run') && exampleRunFile],
      page: async (_, id, { index, page }) =>
        mustFind(runs, id, 'run') && index + page === 1
          ? Buffer.from('89504e470d0a1a0a', 'hex')
          : Promise.reject(notFound('page')),
    },
    runParts: async (_, id, __, isCurrent) => {
      const run = mustFind(runs, id, 'run');
      if (isCurrent === null) throw new DomainError('precondition_required', 'Send If-Match.');
      if (!isCurrent(run)) throw new DomainError('precondition_failed', 'The run has changed.');
      return run;
    },
    rereads: async (_, id) => {
      mustFind(documents, id, 'document');
      return newRun();
    },
    approvals: {
      list: async () => ({ approvals: [], next: null }),
      get: async (_, id) => anApproval(id),
      decide: async (_, id) => anApproval(id),
    },
    events: {
      list: async () => eventPage,
      listBack: async () => eventPage,
      async *follow() {
        yield exampleEvent;
      },
    },
    deliveries: {
      webhooks: async () => [exampleWebhook],
      list: async () => ({ deliveries: [exampleDelivery], next: null }),
      attempts: async (_, id) => (id === exampleDelivery.id ? [exampleAttempt] : Promise.reject(notFound('delivery'))),
      redeliver: async (_, id) => (id === exampleDelivery.id ? undefined : Promise.reject(notFound('delivery'))),
    },
    sources: {
      list: async () => [shownSource],
      intake: async (_, name) =>
        name === shownSource.name
          ? { items: [{ ...exampleIntake, place: 1 }], next: null }
          : Promise.reject(notFound('source')),
      check: async (_, name) => (name === shownSource.name ? shownSource : Promise.reject(notFound('source'))),
    },
    connections: {
      list: async () => [exampleConnection],
      entities: async (_, id) =>
        id === exampleConnection.id ? [exampleEntity] : Promise.reject(notFound('connection')),
      records: async (_, id) => (id === exampleConnection.id ? aRowStream() : Promise.reject(notFound('connection'))),
      insert: async (_, id) => (id === exampleConnection.id ? 1 : Promise.reject(notFound('connection'))),
      update: async (_, id) => (id === exampleConnection.id ? 1 : Promise.reject(notFound('connection'))),
      rehearse: async (_, id) =>
        id === exampleConnection.id ? { rowsAffected: 1, rejected: null } : Promise.reject(notFound('connection')),
    },
    databases: {
      list: async () => [{ ...exampleDatabase, ...connected }],
      tables: async (_, id) => (id === exampleDatabase.id ? [exampleTable] : Promise.reject(notFound('database'))),
      schema: async (_, id) =>
        id === exampleDatabase.id
          ? [{ ...exampleTable, columns: exampleColumns }]
          : Promise.reject(notFound('database')),
      rows: async (_, id) => (id === exampleTable.id ? aRowStream() : Promise.reject(notFound('table'))),
      query: async (_, id) => (id === exampleDatabase.id ? aRowStream() : Promise.reject(notFound('database'))),
    },
    conversations: {
      get: async (_, id) => (id === exampleThread.id ? aThread() : Promise.reject(notFound('conversation'))),
      send: async (_, id) => (id === exampleThread.id ? exampleReply : Promise.reject(notFound('conversation'))),
    },
    webSearch: { search: async () => exampleAnswer },
    snapshots: {
      create: async (_, id, sizeBytes) =>
        id === exampleThread.id ? { ...exampleUpload, sizeBytes } : Promise.reject(notFound('conversation')),
      newest: async () => exampleDownload,
      removeUnused: async () => 0,
    },
    documentFiles: {
      list: async (_, id) => ({ files: [mustFind(documents, id, 'document') && exampleDocumentFile], part: null }),
      page: async (_, id, { index, page }) =>
        mustFind(documents, id, 'document') && index + page === 1
          ? Buffer.from('89504e470d0a1a0a', 'hex')
          : Promise.reject(notFound('page')),
      words: async (_, id, { index, page }) =>
        mustFind(documents, id, 'document') && index + page === 1
          ? { page, source: 'text', words: [] }
          : Promise.reject(notFound('page')),
      text: async (_, id, { index }) =>
        mustFind(documents, id, 'document') && index === 0
          ? { text: 'Total: 12', next: null }
          : Promise.reject(notFound('file')),
      eInvoice: async (_, id, index) =>
        mustFind(documents, id, 'document') && index === 0
          ? Buffer.from('<Invoice/>')
          : Promise.reject(notFound('e-invoice')),
    },
    documentBatches: async (_, { items }) =>
      items.map(({ id }) => ({
        id,
        document: documents.get(id) ?? null,
        error: documents.has(id) ? null : notFound('document'),
      })),
    documents: {
      export: async () => ({
        columns: { document: ['/total'], row: null },
        lines: (async function* () {
          yield { document: exampleDocument, row: null };
        })(),
      }),
      list: async () => ({ documents: [], next: null }),
      print: async (_, __, { limit }) => ({
        documents: [...documents.values()]
          .slice(0, limit)
          .map((each) => JSON.stringify(listedDocument.encode({ ...each, values: {} }))),
        next: null,
      }),
      get: async (_, id) => mustFind(documents, id, 'document'),
      getHead: async (_, id) => mustFind(documents, id, 'document'),
      printOne: async (_, head) => ({ head, contents: printed(mustFind(documents, head.id, 'document')) }),
      process: async (_, id) => ({
        ...mustFind(documents, id, 'document'),
        status: 'processed',
        processedAt: new Date(),
      }),
      rehearse: async (_, id) => {
        const { documentData } = mustFind(documents, id, 'document');
        return { would: 'insert', row: { document_id: id, ...documentData }, reason: null };
      },
      correct: async (_, id) => mustFind(documents, id, 'document'),
      decide: async (_, id) => mustFind(documents, id, 'document'),
      reopen: async (_, id) => mustFind(documents, id, 'document'),
      revisions: async (_, id) => ({ revisions: mustFind(documents, id, 'document') && [exampleRevision], next: null }),
      remove: async (_, id) => ({ ...mustFind(documents, id, 'document'), status: 'trashed' }),
      hold: async (_, id) => mustFind(documents, id, 'document'),
      release: async (_, id) => mustFind(documents, id, 'document'),
      restore: async (_, id) => mustFind(documents, id, 'document'),
      restoreAny: async () => Promise.reject(notFound('document')),
    },
  };

  const newKey: World['newKey'] = ({
    role = 'admin',
    scopes,
    kind = 'api_key',
    boundToAgent = null,
    workspaceId = exampleRun.workspaceId,
  } = {}) => {
    const key = `svc-${randomUUID()}`;
    const who = { userId: randomUUID(), workspaceId, email: 'ada@example.com' };
    const door = kind === 'api_key' ? 'api_key' : 'oauth';
    const credential = { id: randomUUID(), kind };
    keys.set(key, {
      ...who,
      role,
      credential,
      door,
      signedInAt: null,
      scopes: scopes ? new Set(scopes) : null,
      boundToAgent,
    });
    return key;
  };

  return { runs, documents, keys, watchers, use, newKey, newRun, newDocument, cancelRun };
};

const sealer = aesSealer(new Uint8Array(32).fill(7));

export type Overrides = Partial<Omit<HttpSettings, 'limits'>> & { readonly limits?: Partial<HarnessLimits> };

export const settingsOf = (of: World, { limits, ...overrides }: Overrides = {}): HttpSettings => ({
  use: of.use,
  idempotency: idempotencyService({ requests: keyedRequestsHere(), sealer, ids: uuidIds, log: quiet }),
  limiter: inProcessLimiter(performance),
  signedUrls: null,
  log: quiet,
  urls: { base: 'https://portico.example.com', auth: 'https://portico.example.com', egress: null },
  contactEmail: 'support@portico.example.com',
  corsOrigins: [],
  trustedProxies: 0,
  oauth: null,
  egress: { url: null, isGateway: false, sealer },
  ...overrides,
  limits: { ...generous, ...limits },
});

export interface StandIn extends Harness {
  readonly world: World;
}

export const startStandIn = async (overrides: Overrides = {}): Promise<StandIn> => {
  const its = world();
  const server = await listen(httpApp(settingsOf(its, overrides)).callback());
  const versionOfAgent = { agent_id: agent.id, version: String(exampleVersion.version) };
  const onConnection = { connection_id: exampleConnection.id };
  const samples: Readonly<Record<string, () => Sample>> = {
    getIndex: () => ({}),
    whoAmI: () => ({}),
    listKeys: () => ({}),
    createKey: () => ({ body: { name: 'Laptop' } }),
    revokeKey: () => ({ params: { id: exampleKey.id } }),
    rotateKey: () => ({ params: { id: exampleKey.id }, query: { overlap_seconds: '0' } }),
    listGrants: () => ({}),
    revokeGrant: () => ({ params: { id: exampleGrant.id } }),
    listUsers: () => ({}),
    addUser: () => ({ body: { email: 'grace@example.com', name: 'Grace', role: 'member' } }),
    changeUser: () => ({ params: { id: examplePerson.id }, body: { name: 'Ada' } }),
    inviteUser: () => ({ params: { id: examplePerson.id } }),
    listAudit: () => ({ query: { limit: '2', action: 'document.*' } }),
    exportAudit: () => ({}),
    erase: () => ({ body: { document_id: its.newDocument().id, reason: 'So.' } }),
    listErasures: () => ({ query: { limit: '2' } }),
    listAgents: () => ({}),
    listAgentTools: () => ({ params: { agent_id: agent.id } }),
    listAgentVersions: () => ({ params: { agent_id: agent.id }, query: { limit: '2' } }),
    getAgentVersion: () => ({ params: versionOfAgent }),
    publishAgentVersion: () => ({ params: versionOfAgent }),
    createUploadUrls: () => ({
      params: { agent_id: agent.id },
      body: { files: [{ file_name: 'a.pdf', content_type: 'application/pdf' }] },
    }),
    createRun: () => ({ params: { agent_id: agent.id }, body: { user_message: 'Hello' } }),
    listRuns: () => ({ query: { limit: '2', offset: '0', status: 'queued', agent_id: agent.id } }),
    getRun: () => ({ params: { id: its.newRun().id } }),
    changeParts: () => {
      const run = its.newRun();
      const headers = { 'if-match': etagOf(represent(getRun, run)) };
      return { params: { id: run.id }, headers, body: { parts: [] } };
    },
    cancelRun: () => ({ params: { id: its.newRun().id } }),
    dismissRun: () => ({ params: { id: its.newRun().id } }),
    countWork: () => ({}),
    listFailedRuns: () => ({ query: { limit: '2' } }),
    listBudgets: () => ({}),
    getUsage: () => ({ query: { from: '2026-11-01', to: '2026-11-30', group_by: 'day,agent' } }),
    listEvents: () => ({ query: { limit: '2' } }),
    listRunEvents: () => ({ params: { id: its.newRun().id } }),
    listWebhooks: () => ({}),
    listDeliveries: () => ({ query: { limit: '2', status: 'failed' } }),
    listDeliveryAttempts: () => ({ params: { id: exampleDelivery.id } }),
    redeliver: () => ({ params: { id: exampleDelivery.id } }),
    listSources: () => ({}),
    listIntake: () => ({ params: { name: exampleSource.name }, query: { limit: '2' } }),
    checkSource: () => ({ params: { name: exampleSource.name } }),
    listDocuments: () => ({ query: { limit: '2', q: 'invoice', where: '{"/total":12}' } }),
    exportDocuments: () => ({ query: { format: 'csv', agent_id: agent.id } }),
    getDocument: () => ({ params: { id: its.newDocument().id } }),
    listRunFiles: () => ({ params: { id: its.newRun().id } }),
    getRunPage: () => ({ params: { id: its.newRun().id, index: '0', page: '1' }, query: { width: '64' } }),
    listDocumentFiles: () => ({ params: { id: its.newDocument().id } }),
    getDocumentPage: () => ({ params: { id: its.newDocument().id, index: '0', page: '1' }, query: { width: '640' } }),
    getDocumentPageWords: () => ({ params: { id: its.newDocument().id, index: '0', page: '1' } }),
    getDocumentFileText: () => ({ params: { id: its.newDocument().id, index: '0' }, query: { from: '0' } }),
    getDocumentEInvoice: () => ({ params: { id: its.newDocument().id, index: '0' } }),
    processDocument: () => ({ params: { id: its.newDocument().id } }),
    rehearseDocument: () => ({ params: { id: its.newDocument().id } }),
    deleteDocument: () => ({ params: { id: its.newDocument().id } }),
    batchDocuments: () => ({ body: { action: 'approve', items: [{ id: its.newDocument().id, revision: 1 }] } }),
    holdDocument: () => ({ params: { id: its.newDocument().id }, body: { reason: 'So.' } }),
    releaseDocument: () => ({ params: { id: its.newDocument().id } }),
    restoreDocument: () => ({ params: { id: its.newDocument().id } }),
    rereadDocument: () => ({ params: { id: its.newDocument().id }, body: { agent_id: agent.id } }),
    correctDocument: () => ({
      params: { id: its.newDocument().id },
      headers: { 'if-match': '"a"' },
      body: { patch: [{ op: 'remove', path: '/total' }] },
    }),
    reviewDocument: () => ({
      params: { id: its.newDocument().id },
      headers: { 'if-match': '"a"' },
      body: { decision: 'approve' },
    }),
    listRevisions: () => ({ params: { id: its.newDocument().id }, query: { limit: '2' } }),
    listApprovals: () => ({ query: { limit: '2', status: 'pending' } }),
    getApproval: () => ({ params: { id: exampleApproval.id } }),
    decideApproval: () => ({
      params: { id: exampleApproval.id },
      body: { decision: 'approve', arguments_digest: exampleApproval.argumentsDigest },
    }),
    listConnections: () => ({ query: { limit: '2' } }),
    listEntities: () => ({ params: onConnection }),
    listRecords: () => ({ params: onConnection, query: { entity_id: 'public.entries' } }),
    updateRecord: () => ({
      params: onConnection,
      body: { entity: 'public.entries', key_column: 'id', key_value: 1, values: { a: null } },
    }),
    insertRecord: () => ({ params: onConnection, body: { entity: 'public.entries', values: { a: true } } }),
    rehearseRecord: () => ({
      params: onConnection,
      body: { operation: 'insert', entity: 'public.entries', values: { a: true } },
    }),
    listDatabases: () => ({}),
    listTables: () => ({ params: { id: exampleDatabase.id } }),
    getSchema: () => ({ params: { id: exampleDatabase.id } }),
    readTable: () => ({ params: { id: exampleTable.id }, query: { limit: '2' } }),
    searchWeb: () => ({ body: { query: 'When is an invoice due?' } }),
    getThread: () => ({ params: { id: exampleThread.id } }),
    continueThread: () => ({ params: { id: exampleThread.id }, body: { message: 'Hello' } }),
    createSnapshot: () => ({ body: { conversationId: exampleThread.id, sizeBytes: 7 } }),
    getSnapshot: () => ({ query: { conversation_id: exampleThread.id } }),
    runQuery: () => ({ body: { database_id: exampleDatabase.id, query: 'select 1' } }),
  };
  return {
    ...server,
    world: its,
    key: async (terms) => its.newKey(terms),
    request: async (id) => {
      const sample = samples[id];
      if (!sample) throw new Error(`the stand-in has no request for ${id}`);
      return sample();
    },
  };
};

export const standIn: StartHarness = (limits = {}) => startStandIn({ limits });
