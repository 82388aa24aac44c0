import { etagOf } from '../../src/adapters/http/conditional.ts';
import { represent } from '../../src/adapters/http/operation.ts';
import { getRun } from '../../src/adapters/http/operations/runs.ts';
import { documentTag } from '../../src/adapters/http/tags.ts';
import type { Work } from '../../src/application/ports/queue.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import type { Composition } from '../../src/composition/container.ts';
import { AuthenticationService, KeyService } from '../../src/composition/modules/access.ts';
import { BlobStore } from '../../src/composition/modules/blobs.ts';
import { KeptPages } from '../../src/composition/modules/documents.ts';
import { TextExtractor } from '../../src/composition/modules/outside.ts';
import {
  DocumentRepository,
  OAuthStore,
  RunQueue,
  UserRepository,
  WebhookQueue,
  WebhookRepository,
} from '../../src/composition/modules/postgres.ts';
import { RunService, UploadService } from '../../src/composition/modules/runs.ts';
import type { Role } from '../../src/domain/access.ts';
import { trash } from '../../src/domain/document.ts';
import type { RunFile } from '../../src/domain/run.ts';
import { ublInvoice } from '../fixtures/e-invoice/ubl.ts';
import { email, invoicePdf } from '../fixtures/text/files.ts';
import { anId, finished } from './builders.ts';
import { aPlace, serveHere } from './here.ts';
import { generous, type Harness, type HarnessLimits, type Sample } from './http.ts';
import { quiet } from './log.ts';

const workspace = `
workspace: conformance
users:
  - { email: admin@example.com, name: Admin, role: admin }
  - { email: member@example.com, name: Member, role: member }
  - { email: viewer@example.com, name: Viewer, role: viewer }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
databases:
  - { id: books, name: Books, connection: ledger, schemas: [public] }
webhooks:
  - { url: 'http://127.0.0.1:9/hook', events: [run.queued], secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }
sources:
  - { name: inbox, agent: Reader, type: folder, path: "\${INBOX}" }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read it.
    document_schema: { type: object, properties: { total: { type: number } } }
    system_of_record: { connection: ledger, entity: public.entries, columns: { total: /total }, document_id_column: document_id }
  - name: Router
    workflow_type: document_routing
    model: offline
    instructions: Divide it.
    parts: [{ name: entry, agent: Reader }]
`;

interface Made {
  readonly agentId: string;
  readonly routerId: string;
  readonly connectionId: string;
}

/** Requests that succeed on this server now. Nothing works on its queue, so that runs stay as they are made. */
const samplesOn = (
  { container, database }: Composition,
  { agentId, routerId, connectionId }: Made,
  keyOf: () => Promise<string>,
) => {
  const runs = container.get(RunService);
  const queue = container.get(RunQueue);
  const caller = async () => container.get(AuthenticationService).authenticate({ apiKey: await keyOf(), bearer: null });

  const newRun = async (files: readonly RunFile[] = [], by = agentId) => {
    const asked = {
      agentId: by,
      files,
      processTogether: files.length > 1,
      userMessage: 'Total: 12',
      traceId: null,
      idempotency: null,
      counted: true,
    };
    return (await runs.start(await caller(), asked)).run.id;
  };

  const leased = async (runId: string): Promise<Work> => {
    for (;;) {
      const [work] = await queue.lease('conformance', 1, 60);
      if (!work) throw new Error(`run ${runId} cannot be leased`);
      if (work.run.id === runId) return work;
    }
  };

  const newConversation = async () => {
    const { lease } = await leased(await newRun());
    const conversationId = anId();
    await queue.beginUnit(lease, { index: 0, conversationId, documentId: anId(), documentName: 'a.txt' });
    await queue.finishUnit(lease, 0, { status: 'completed', document: finished() });
    await queue.finish(lease, { event: 'complete' });
    return conversationId;
  };

  /** A call of a tool that waits for a person. */
  const onApproval = async (): Promise<Sample> => {
    const { lease } = await leased(await newRun());
    const conversationId = anId();
    await queue.beginUnit(lease, { index: 0, conversationId, documentId: anId(), documentName: 'a.txt' });
    const call = { id: anId(), toolCallId: 'call_1', tool: 'pay', arguments: {}, argumentsDigest: '0'.repeat(64) };
    const asked = { ...call, approver: 'person', rehearsal: null } as const;
    const { id } = await queue.requestApproval(lease, conversationId, asked, 24);
    return { params: { id } };
  };

  const newDocument = async (files: readonly RunFile[] = []) => {
    const { lease } = await leased(await newRun(files));
    const documentId = anId();
    await queue.beginUnit(lease, { index: 0, conversationId: anId(), documentId, documentName: 'a.txt' });
    await queue.finishUnit(lease, 0, { status: 'completed', document: finished() });
    await queue.finish(lease, { event: 'complete' });
    return documentId;
  };

  const stored = async (fields: { readonly fileName: string; readonly contentType: string }, data: Uint8Array) => {
    const [file] = await container.get(UploadService).createUrls(await caller(), agentId, [fields]);
    const fileKey = file?.fileKey ?? '';
    await container.get(BlobStore).write(fileKey, data, fields.contentType);
    return { fileKey, ...fields };
  };
  // Drawn once: a PDF holds the time it was made at, by which its size may differ.
  const invoiceFile = invoicePdf();
  const newEInvoice = async () =>
    stored({ fileName: 'invoice.xml', contentType: 'application/xml' }, new TextEncoder().encode(ublInvoice()));
  const newFile = async () => stored({ fileName: 'invoice.pdf', contentType: 'application/pdf' }, await invoiceFile);
  /** With what is kept of it when a worker reads it. */
  const newEmail = async () => {
    const invoice = { name: 'attached.pdf', type: 'application/pdf', data: await invoiceFile };
    const note = { name: 'note.txt', type: 'text/plain', data: new TextEncoder().encode('Total: 12') };
    const data = email('See the invoice.', [note, invoice]);
    const file = await stored({ fileName: 'mail.eml', contentType: 'message/rfc822' }, data);
    const [own, ...attached] = await container.get(TextExtractor).extract({ ...file, data });
    if (own) await container.get(KeptPages).remember(file.fileKey, own, attached);
    return file;
  };

  const newDelivery = async () => {
    const runId = await newRun();
    for (;;) {
      await container.get(WebhookQueue).collect();
      const found = await container.get(WebhookRepository).deliveries({ webhookId: null, status: null, limit: 5 });
      const made = found.find((each) => each.runId === runId);
      if (made) return made.id;
    }
  };

  /** Every request comes with a key of its own, and a user has so many that work: those of earlier requests end. */
  const endOldKeys = (role: Role) =>
    database.pool.query(
      `update api_keys set revoked_at = now() where id in (
         select k.id from api_keys k join users u on u.id = k.user_id
         where u.email = $1 and k.revoked_at is null order by k.created_at desc, k.id desc offset 20
       )`,
      [`${role}@example.com`],
    );

  const aNewKey = async (role: Role): Promise<Sample> => {
    await endOldKeys(role);
    return { body: { name: 'Laptop', expires_in_days: 90 } };
  };

  const newOwnKey = async (role: Role) => {
    await endOldKeys(role);
    const made = await container
      .get(KeyService)
      .create({ email: `${role}@example.com`, name: 'x', lifetimeDays: null, scopes: null });
    return { params: { id: made.id } };
  };

  const onGrant = async (role: Role): Promise<Sample> => {
    const id = anId();
    const { id: userId } = (await container.get(UserRepository).findByEmail(`${role}@example.com`)) ?? { id: '' };
    const client = {
      clientId: 'app',
      clientName: 'App',
      clientHost: 'app.example.com',
      resource: 'https://portico.example.com',
    };
    const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 86_400_000)];
    await container
      .get(OAuthStore)
      .saveGrant(
        { id, userId, ...client, agentId: null, scopes: ['runs:read'], createdAt, usedAt: null, expiresAt },
        'hash',
        null,
      );
    return { params: { id } };
  };

  const onFailedRun = async (): Promise<Sample> => {
    const { lease } = await leased(await newRun());
    await queue.finish(lease, { event: 'fail', reason: { code: 'model_error', message: 'No.' }, error: 'No.' });
    return { params: { id: lease.runId } };
  };
  const onDividedRun = async (): Promise<Sample> => {
    const { lease } = await leased(await newRun([], routerId));
    await queue.beginUnit(lease, { index: 0, conversationId: anId(), documentId: anId(), documentName: null });
    const file = { fileName: 'invoice.pdf', fileIndex: 0, pages: 2, blank: [] };
    await queue.divide(lease, 0, { files: [file], parts: [] });
    await queue.finish(lease, { event: 'complete' });
    const found = await runs.get(await caller(), lease.runId);
    return { params: { id: lease.runId }, headers: { 'if-match': etagOf(represent(getRun, found)) } };
  };
  const onRun = async (): Promise<Sample> => ({ params: { id: await newRun() } });
  const onReadDocument = async (): Promise<Sample> => {
    const id = await newDocument();
    const found = await container.get(DocumentRepository).find(id);
    if (!found) throw new Error(`document ${id} is not there`);
    return { params: { id }, headers: { 'if-match': documentTag(found) } };
  };

  const onDocument = async (): Promise<Sample> => ({ params: { id: await newDocument() } });
  const samples: Readonly<Record<string, (role: Role) => Promise<Sample>>> = {
    getIndex: async () => ({}),
    whoAmI: async () => ({}),
    listKeys: async () => ({ query: { limit: '2' } }),
    createKey: aNewKey,
    revokeKey: newOwnKey,
    rotateKey: newOwnKey,
    listGrants: async () => ({}),
    revokeGrant: onGrant,
    listUsers: async () => ({}),
    addUser: async () => ({ body: { email: `${anId()}@example.com`, name: 'Grace', role: 'member' } }),
    changeUser: async () => ({ params: { id: (await caller()).userId }, body: { name: 'Ada' } }),
    inviteUser: async () => ({ params: { id: (await caller()).userId } }),
    listAudit: async () => ({ query: { limit: '2', action: 'document.*' } }),
    exportAudit: async () => ({}),
    erase: async () => ({ body: { document_id: await newDocument(), reason: 'So.' } }),
    listErasures: async () => ({ query: { limit: '2' } }),
    listAgents: async () => ({}),
    listAgentTools: async () => ({ params: { agent_id: agentId } }),
    listAgentVersions: async () => ({ params: { agent_id: agentId }, query: { limit: '1' } }),
    getAgentVersion: async () => ({ params: { agent_id: agentId, version: '1' } }),
    publishAgentVersion: async () => ({ params: { agent_id: agentId, version: '1' } }),
    createUploadUrls: async () => ({
      params: { agent_id: agentId },
      body: { files: [{ file_name: 'a.pdf', content_type: 'application/pdf' }] },
    }),
    createRun: async () => ({ params: { agent_id: agentId }, body: { user_message: 'Hello' } }),
    listRuns: async () => ({ query: { limit: '2', offset: '0', status: 'queued', agent_id: agentId } }),
    getRun: onRun,
    listRunFiles: async () => ({ params: { id: await newRun([await newFile(), await newEmail()]) } }),
    getRunPage: async () => ({
      params: { id: await newRun([await newFile()]), index: '0', page: '2' },
      query: { width: '64' },
    }),
    changeParts: async () => ({
      ...(await onDividedRun()),
      body: { parts: [{ name: 'entry', file_name: 'invoice.pdf', pages: [2, 1] }] },
    }),
    cancelRun: onRun,
    dismissRun: onFailedRun,
    countWork: async () => ({}),
    listFailedRuns: async () => ({ query: { limit: '2' } }),
    listBudgets: async () => ({}),
    getUsage: async () => ({ query: { group_by: 'agent' } }),
    listEvents: async () => ({ query: { limit: '2', types: 'run.*' } }),
    listRunEvents: onRun,
    listWebhooks: async () => ({}),
    listDeliveries: async () => ({ query: { limit: '2', status: 'pending' } }),
    listDeliveryAttempts: async () => ({ params: { id: await newDelivery() } }),
    redeliver: async () => ({ params: { id: await newDelivery() } }),
    listSources: async () => ({}),
    listIntake: async () => ({ params: { name: 'inbox' }, query: { limit: '2' } }),
    checkSource: async () => ({ params: { name: 'inbox' } }),
    listDocuments: async () => ({ query: { limit: '2', q: 'a', where: '{"/total":12}' } }),
    exportDocuments: async () => ({ query: { format: 'ndjson', rows: '/lines' } }),
    getDocument: onDocument,
    listDocumentFiles: async () => ({ params: { id: await newDocument([await newFile(), await newEmail()]) } }),
    getDocumentPage: async () => ({
      params: { id: await newDocument([await newFile()]), index: '0', page: '2' },
      query: { width: '64' },
    }),
    getDocumentPageWords: async () => ({ params: { id: await newDocument([await newFile()]), index: '0', page: '2' } }),
    getDocumentFileText: async () => ({
      params: { id: await newDocument([await newEmail()]), index: '0' },
      query: { from: '0' },
    }),
    getDocumentEInvoice: async () => ({ params: { id: await newDocument([await newEInvoice()]), index: '0' } }),
    processDocument: onDocument,
    rehearseDocument: onDocument,
    deleteDocument: onDocument,
    holdDocument: async () => ({ ...(await onDocument()), body: { reason: 'So.' } }),
    releaseDocument: onDocument,
    restoreDocument: async () => {
      const id = await newDocument();
      await container.get(DocumentRepository).update(id, trash);
      return { params: { id } };
    },
    rereadDocument: async () => ({
      params: { id: await newDocument([await newFile()]) },
      body: { agent_id: agentId },
    }),
    batchDocuments: async () => ({ body: { action: 'approve', items: [{ id: await newDocument(), revision: 0 }] } }),
    correctDocument: async () => ({
      ...(await onReadDocument()),
      body: { patch: [{ op: 'replace', path: '/total', value: 13 }] },
    }),
    reviewDocument: async () => ({ ...(await onReadDocument()), body: { decision: 'approve' } }),
    listRevisions: async () => ({ ...(await onDocument()), query: { limit: '2' } }),
    listApprovals: async () => ({ query: { limit: '2', status: 'pending' } }),
    getApproval: onApproval,
    decideApproval: async () => ({
      ...(await onApproval()),
      body: { decision: 'approve', arguments_digest: '0'.repeat(64) },
    }),
    getThread: async () => ({ params: { id: await newConversation() } }),
    continueThread: async () => ({ params: { id: await newConversation() }, body: { message: 'Hello' } }),
    createSnapshot: async () => ({ body: { conversationId: await newConversation(), sizeBytes: 7 } }),
    getSnapshot: async () => ({ query: { conversation_id: await newConversation() } }),
    listConnections: async () => ({ query: { limit: '2' } }),
    listEntities: async () => ({ params: { connection_id: connectionId } }),
    listRecords: async () => ({ params: { connection_id: connectionId }, query: { entity_id: 'public.entries' } }),
    updateRecord: async () => ({
      params: { connection_id: connectionId },
      body: { entity: 'public.entries', key_column: 'total', key_value: 1, values: { total: 2 } },
    }),
    insertRecord: async () => ({
      params: { connection_id: connectionId },
      body: { entity: 'public.entries', values: { total: 2 } },
    }),
    rehearseRecord: async () => ({
      params: { connection_id: connectionId },
      body: { operation: 'insert', entity: 'public.entries', values: { total: 2 } },
    }),
    listDatabases: async () => ({}),
    listTables: async () => ({ params: { id: 'books' } }),
    getSchema: async () => ({ params: { id: 'books' } }),
    readTable: async () => ({ params: { id: 'books.public.entries' }, query: { limit: '2', order_by: 'total' } }),
    searchWeb: async () => ({ body: { query: 'coffee' } }),
    runQuery: async () => ({ body: { database_id: 'books', query: 'select total, document_id from entries' } }),
  };
  return samples;
};

/** The composed server of this project on a real PostgreSQL, in this process. */
export const composed = async (limits: Partial<HarnessLimits> = {}, log: Log = quiet): Promise<Harness> => {
  const place = await aPlace();
  const { requests, windowSeconds, runs, tableReads, console } = { ...generous, ...limits };
  const env = {
    SOURCE_FOLDERS: place.settings.DATA_DIR,
    RATE_LIMIT_REQUESTS: String(requests),
    RATE_LIMIT_WINDOW_SECONDS: String(windowSeconds),
    RATE_LIMIT_RUNS: String(runs),
    RATE_LIMIT_TABLE_READS: String(tableReads),
    RATE_LIMIT_CONSOLE: String(console),
  };
  const {
    composition,
    url: baseUrl,
    apply,
    key: keyOf,
    stop,
  } = await serveHere({ ...place.settings, ...env }, { log });
  await composition.database.pool.query('create table public.entries (document_id uuid primary key, total numeric)');
  const idOf = await apply(workspace, {
    LEDGER_URL: place.settings.DATABASE_URL,
    INBOX: place.settings.DATA_DIR,
  });
  const key: Harness['key'] = ({ role = 'admin', scopes } = {}) => keyOf(`${role}@example.com`, scopes);
  const samples = samplesOn(
    composition,
    {
      agentId: idOf('agents', 'Reader'),
      routerId: idOf('agents', 'Router'),
      connectionId: idOf('connections'),
    },
    () => key(),
  );
  return {
    baseUrl,
    key,
    request: async (id, role = 'admin') => {
      const sample = samples[id];
      if (!sample) throw new Error(`the composed server has no request for ${id}`);
      return sample(role);
    },
    stop: async () => {
      await stop();
      await place.remove();
    },
  };
};
