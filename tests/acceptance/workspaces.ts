import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { ciiInvoice } from '../fixtures/e-invoice/cii.ts';
import { hybrid } from '../fixtures/e-invoice/hybrid.ts';
import { type CallOptions, filled, operationsIn } from '../support/http.ts';
import { printed } from '../support/program.ts';
import type { Installation } from './installations.ts';
import { clientOf, dataOf, type Platform, type RunBody, type Uploaded } from './platform.ts';

const neighbour = `
workspace: neighbour
users:
  - { email: neighbour@example.com, name: Neighbour, role: admin }
agents:
  - name: Invoice reader
    description: The neighbour's own
    workflow_type: document_extraction
    model: offline
    instructions: Read the total.
    document_schema: { type: object, properties: { total: { type: [number, "null"] } }, required: [total], additionalProperties: false }
  - name: Hopeless
    description: Its model refuses the key
    workflow_type: assistant
    model: openai/stub
    instructions: Answer.
`;

/** A key made at the command line, as an operator does. */
export const keyFor = async (platform: Platform, email: string): Promise<{ id: string; key: string }> => {
  const { server, secrets } = platform;
  const made = await (server as Installation).command(['keys', 'create', '--user', email, '--json']);
  const created = printed<{ id: string; key: string }>(made);
  secrets.set(`the key ${created.id}`, created.key);
  return created;
};

/** What may be asked with the ids of the demo workspace, for every operation that takes one. */
const requestsWith = (
  ids: Readonly<Record<'agent' | 'run' | 'document' | 'connection' | 'conversation' | 'approval', string>>,
  files: readonly Uploaded[],
) => {
  const row = { entity: 'demo.invoices', values: { supplier: 'Nobody' } };
  const bodies: Readonly<Record<string, unknown>> = {
    correctDocument: { patch: [{ op: 'add', path: '/supplier', value: 'Nobody' }] },
    reviewDocument: { decision: 'approve' },
    decideApproval: { decision: 'approve', arguments_digest: '0'.repeat(64) },
    createUploadUrls: { files: [{ file_name: 'a.txt', content_type: 'text/plain' }] },
    createRun: { files },
    changeParts: { parts: [] },
    updateRecord: { ...row, key_column: 'id', key_value: 1 },
    insertRecord: row,
    rehearseRecord: { ...row, operation: 'insert' },
    runQuery: { database_id: 'ledger', query: 'select 1 as one' },
    rereadDocument: {},
    continueThread: { message: 'hello' },
    createSnapshot: { conversationId: ids.conversation, sizeBytes: 1 },
    searchWeb: { query: 'paying suppliers' },
    changeUser: { name: 'Nobody' },
    erase: { reason: 'So.' },
    holdDocument: { reason: 'So.' },
  };
  const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    listRecords: { entity_id: 'demo.invoices' },
    getSnapshot: { conversation_id: ids.conversation },
  };
  const idIn = (path: string) => {
    if (path.includes('/runs/')) return ids.run;
    if (path.includes('/threads/')) return ids.conversation;
    if (path.includes('/approvals/')) return ids.approval;
    if (path.includes('/databases/')) return 'ledger';
    return path.includes('/tables/') ? 'ledger.demo.invoices' : ids.document;
  };
  return ({
    id,
    path,
    method,
  }: {
    id: string;
    path: string;
    method: string;
  }): { path: string; options: CallOptions } => ({
    path: filled(path, {
      agent_id: ids.agent,
      version: '1',
      index: '0',
      page: '1',
      connection_id: ids.connection,
      name: 'inbox',
      id: idIn(path),
    }),
    options: {
      method,
      query: queries[id] ?? {},
      ...(bodies[id] === undefined ? {} : { body: bodies[id] }),
    },
  });
};

/** A call that waited for a person, as if the run had made one: no agent of the demo asks for approvals. */
const approvalIn = async (connectionString: string, runId: string): Promise<string> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const id = randomUUID();
  const made = await client
    .query(
      `insert into approvals (id, workspace_id, agent_id, agent_version, run_id, conversation_id, tool_call_id, tool, approver, arguments,
         arguments_digest, status, requested_by, expires_at)
       select $1, r.workspace_id, r.agent_id, r.agent_version, r.id, c.id, 'call_1', 'pay', 'person', '{}', repeat('0', 64), 'expired',
         json_build_object('id', r.user_id, 'name', 'Demo', 'email', 'demo@example.com'), now()
       from runs r join conversations c on c.run_id = r.id where r.id = $2 limit 1`,
      [id, runId],
    )
    .finally(() => client.end());
  expect(made.rowCount).to.equal(1);
  return id;
};

export const workspaces = (platform: () => Platform) =>
  describe('two workspaces and two roles on one server', () => {
    let files: readonly Uploaded[];
    let ids: Parameters<typeof requestsWith>[0];
    let neighbourKey: string;
    let viewerKey: string;
    const idempotencyKey = randomUUID();

    before(async function () {
      const { server } = platform();
      if (!server) return this.skip();
      const use = clientOf(platform());
      const agent = await use.agent('Invoice reader');
      const content = await hybrid({ 'factur-x.xml': ciiInvoice() });
      files = await use.upload(agent, [{ name: 'invoice.pdf', type: 'application/pdf', content }]);
      const run = dataOf<RunBody>(await use.create(agent, { files }, { 'idempotency-key': idempotencyKey })).id;
      const { run: ended } = await use.ended(run);
      const [ledger] = (await platform().call('/api/v1/connections', { key: platform().key })).body as { id: string }[];
      const [document] = ended.documents;
      ids = {
        agent,
        run,
        document: document?.id ?? '',
        connection: ledger?.id ?? '',
        conversation: ended.conversations[0]?.id ?? '',
        approval: await approvalIn(await server.databaseUrl(), run),
      };
      const applied = await server.command(['apply', '-f', '-'], {}, neighbour);
      expect(applied.code, applied.stderr).to.equal(0);
      neighbourKey = (await keyFor(platform(), 'neighbour@example.com')).key;
      viewerKey = (await keyFor(platform(), 'viewer@portico.local')).key;
    });

    it('keep apart: every operation on what is the other’s answers 404', async () => {
      const { call, document } = platform();
      const requestOf = requestsWith(ids, files);
      let asked = 0;
      for (const operation of operationsIn(document)) {
        const namesOne =
          operation.path.includes('{') || operation.id === 'runQuery' || operation.id === 'createSnapshot';
        if (!namesOne) continue;
        const { path, options } = requestOf(operation);
        expect((await call(path, { ...options, key: neighbourKey })).status, `${operation.method} ${path}`).to.equal(
          404,
        );
        asked += 1;
      }
      expect(asked).to.be.at.least(15);
      expect((await clientOf(platform()).document(ids.document)).status).to.equal('ready');
    });

    it('list nothing of each other', async () => {
      const { call, document } = platform();
      const lists = operationsIn(document).filter(
        ({ method, path }) => method === 'GET' && !path.includes('{') && path !== '/api/v1',
      );
      expect(lists.map(({ id }) => id)).to.include.members(['listAgents', 'listRuns']);
      const requestOf = requestsWith(ids, files);
      for (const operation of lists) {
        const { path, options } = requestOf(operation);
        const answer = await call(path, { ...options, key: neighbourKey });
        expect(answer.status, path).to.equal(200);
        for (const id of Object.values(ids)) expect(answer.text, path).not.to.include(id);
      }
      const { runs, total } = dataOf<{ runs: RunBody[]; total: number }>(
        await call('/api/v1/runs', { key: neighbourKey }),
      );
      expect([runs, total]).to.deep.equal([[], 0]);
      const filtered = await call('/api/v1/runs', { key: neighbourKey, query: { agent_id: ids.agent } });
      expect(dataOf(filtered)).to.deep.include({ runs: [], total: 0 });
    });

    it('cannot use each other’s files, nor each other’s idempotency keys', async () => {
      const use = clientOf(platform(), neighbourKey);
      const own = await use.agent('Invoice reader');
      expect(own).not.to.equal(ids.agent);
      const stolen = await use.create(own, { files });
      expect(stolen.status).to.equal(400);
      expect(stolen.body).to.deep.nested.include({ 'errors[0].path': 'body.files[0].file_key' });
      const created = await use.create(own, { user_message: 'Total: 5' }, { 'idempotency-key': idempotencyKey });
      expect(created.status).to.equal(200);
      expect(dataOf<RunBody>(created).id).not.to.equal(ids.run);
      expect((await use.ended(dataOf<RunBody>(created).id)).run.status).to.equal('completed');
    });

    it('a viewer reads everything but what is for administrators, and writes nothing', async () => {
      const { call, document } = platform();
      const requestOf = requestsWith(ids, files);
      // Their own keys and the access of their programs are theirs to change, whatever their role.
      const ofTheirOwn = /^\/api\/v1\/(keys|grants)\b/;
      // Only the embedded installation has a folder that is watched.
      const { sources } = dataOf<{ sources: readonly unknown[] }>(await call('/api/v1/sources', { key: viewerKey }));
      const left = sources.length === 0 ? /^\/api\/v1\/(keys|grants|sources\/\{)/ : ofTheirOwn;
      for (const operation of operationsIn(document).filter(({ path }) => !left.test(path))) {
        const { path, options } = requestOf(operation);
        const answer = await call(path, { ...options, key: viewerKey });
        const isRefused = /Viewer|AdminOnly/.test(JSON.stringify(operation.operation.responses['403'] ?? {}));
        expect(answer.status, `${operation.method} ${path}`).to.equal(isRefused ? 403 : 200);
      }
    });
  });
