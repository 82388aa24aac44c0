import { expect } from 'chai';
import { calling, rawClient } from '../mcp/client.ts';
import { api, type Call } from '../support/http.ts';
import { sqlserverLedger } from '../support/sqlserver-ledger.ts';
import type { Installation } from './installations.ts';
import { clientOf, type DocumentBody, dataOf, type Platform, type RunBody } from './platform.ts';
import { keyFor } from './workspaces.ts';

const workspace = `
workspace: works
users:
  - { email: works@example.com, name: Works, role: admin }
connections:
  - { name: erp, type: sqlserver, url: "\${ERP_URL}" }
agents:
  - name: Poster
    workflow_type: document_extraction
    model: offline
    instructions: Read the total.
    document_schema: { type: object, properties: { total: { type: [number, "null"] } }, required: [total], additionalProperties: false }
    system_of_record: { connection: erp, entity: dbo.t, columns: { total: /total }, document_id_column: document_id }
  - name: Clerk
    workflow_type: assistant
    model: offline
    instructions: Help.
    tools:
      - { connection: erp, write: true }
`;

const REFUSAL = 'The INSERT statement conflicted with the CHECK constraint "CK_total".';

type Ledger = Awaited<ReturnType<typeof sqlserverLedger>>;

/** Writes to a SQL Server by every door, with the time limits that a new installation has. */
export const sqlServerWrites = (platform: () => Platform) =>
  describe('writes to SQL Server', () => {
    let ledger: Ledger;
    let key: string;
    let call: Call;
    let connectionId: string;
    let use: ReturnType<typeof clientOf>;

    before(async function () {
      const { server, baseUrl } = platform();
      if (!server) return this.skip();
      ledger = await sqlserverLedger();
      const applied = await server.command(['apply', '-f', '-'], { ERP_URL: ledger.url }, workspace);
      expect(applied.code, applied.stderr).to.equal(0);
      ({ key } = await keyFor(platform(), 'works@example.com'));
      const { call: send } = await api(baseUrl);
      call = (path, options = {}) => send(path, { key, ...options });
      use = clientOf({ ...platform(), call });
      const [erp] = (await call('/api/v1/connections')).body as { id: string }[];
      connectionId = erp?.id ?? '';
    });
    beforeEach(() => ledger.prepare());
    after(() => ledger?.close());

    const records = () => `/api/v1/connections/${connectionId}/records`;
    const values = { id: 7, total: 12.5 };
    const insert = async () => call(records(), { method: 'POST', body: { entity: 'dbo.t', values } });
    const update = async () =>
      call(records(), {
        method: 'PATCH',
        body: { entity: 'dbo.t', key_column: 'id', key_value: 7, values: { total: 13 } },
      });
    const codeOf = ({ status, body }: { readonly status: number; readonly body: unknown }) =>
      `${status} ${(body as { code?: string }).code ?? ''}`.trim();

    const aDocument = async (): Promise<string> => {
      const created = dataOf<RunBody>(await use.create(await use.agent('Poster'), { user_message: 'Total: 12.50' }));
      const { run } = await use.ended(created.id);
      expect(run.status, run.error ?? '').to.equal('completed');
      return run.documents[0]?.id ?? '';
    };
    const portico = (...args: readonly string[]) =>
      (platform().server as Installation).command(args, { PORTICO_API_KEY: key });

    describe('over HTTP', () => {
      it('insert and update a row', async () => {
        expect((await insert()).body).to.deep.equal({ rows_affected: 1 });
        expect((await update()).body).to.deep.equal({ rows_affected: 1 });
        expect(ledger.rows()).to.equal(1);
      });

      it('rehearse an insert, which leaves no row', async () => {
        const rehearsal = { operation: 'insert', entity: 'dbo.t', values };
        const answer = await call(`${records()}/rehearsal`, { method: 'POST', body: rehearsal });
        expect(answer.status, answer.text).to.equal(200);
        expect(ledger.rows()).to.equal(0);
      });

      it('are refused in the words of the server', async () => {
        ledger.prepare({ refusal: REFUSAL });
        const answer = await insert();
        expect(codeOf(answer)).to.equal('400 invalid_request');
        expect(answer.text).to.include('CK_total');
        expect(ledger.rows()).to.equal(0);
      });

      it('end as the look at the row says, where the answer to the commit is lost', async () => {
        ledger.prepare({ fate: 'done, and cut' });
        expect((await insert()).body).to.deep.equal({ rows_affected: 1 });
        ledger.prepare({ fate: 'lost' });
        expect(codeOf(await insert())).to.equal('500 upstream_unavailable');
        ledger.prepare({ fate: 'done, and cut', dark: true });
        expect(codeOf(await insert())).to.equal('500 outcome_unknown');
        expect(ledger.rows()).to.equal(1);
      });

      it('process a document, once', async () => {
        const id = await aDocument();
        const rehearsed = await call(`/api/v1/documents/${id}/rehearsal`, { method: 'POST' });
        expect(dataOf<object>(rehearsed)).to.include({ would: 'insert', reason: null });
        expect(ledger.rows()).to.equal(0);
        expect(dataOf<DocumentBody>(await use.process(id)).status).to.equal('processed');
        expect(codeOf(await use.process(id))).to.equal('409 document_processed');
        expect(ledger.rows()).to.equal(1);
      });

      it('refuse a document in the words of the server, and take it once there is no reason any more', async () => {
        const id = await aDocument();
        ledger.prepare({ refusal: REFUSAL });
        const { status, error } = dataOf<DocumentBody>(await use.process(id));
        expect(status).to.equal('error');
        expect(error).to.include('CK_total');
        ledger.prepare();
        expect(dataOf<DocumentBody>(await use.process(id)).status).to.equal('processed');
      });

      it('process a document once, though the answer to the commit is lost and nobody can look', async () => {
        const id = await aDocument();
        ledger.prepare({ fate: 'done, and cut', dark: true });
        for (let times = 0; times < 2; times++) expect(codeOf(await use.process(id))).to.equal('500 outcome_unknown');
        const etag = (await call(`/api/v1/documents/${id}`)).headers.get('etag') ?? '';
        const correction = {
          method: 'PATCH',
          headers: { 'if-match': etag },
          body: { patch: [{ op: 'replace', path: '/total', value: 13 }] },
        };
        expect(
          codeOf(await call(`/api/v1/documents/${id}`, correction)),
          'other data would be taken for written',
        ).to.equal('409 document_busy');
        ledger.lighten();
        expect(dataOf<DocumentBody>(await use.process(id)).status).to.equal('processed');
        expect(ledger.rows()).to.equal(1);
      });
    });

    describe('by the command line', () => {
      it('process a document', async () => {
        const { code, stdout, stderr } = await portico('documents', 'process', await aDocument());
        expect(code, stderr).to.equal(0);
        expect(stdout).to.include('is processed: written to dbo.t');
        expect(ledger.rows()).to.equal(1);
      });

      it('say why a document was refused, and that an outcome is not known', async () => {
        const id = await aDocument();
        ledger.prepare({ refusal: REFUSAL });
        const refused = await portico('documents', 'process', id);
        expect([refused.code, `${refused.stdout}${refused.stderr}`.includes('CK_total')]).to.deep.equal([1, true]);
        ledger.prepare({ fate: 'done, and cut', dark: true });
        const unknown = await portico('documents', 'process', id);
        expect(unknown.code).to.equal(1);
        expect(unknown.stderr).to.match(
          /not known whether an earlier delivery wrote the row: process the document again/,
        );
      });
    });

    describe('by tools', () => {
      const tool = async (name: string, input: object) => {
        const url = `${platform().baseUrl}/api/v1/agents/${await use.agent('Clerk')}/mcp`;
        const { body } = await rawClient(url, key)(calling(name, input), {
          headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
        });
        return body.result;
      };

      it('insert and update a row, of programs and in a conversation', async () => {
        const inserted = await tool('erp_insert_record', { entity: 'dbo.t', values });
        expect(inserted.structuredContent, JSON.stringify(inserted)).to.deep.equal({ rows_affected: 1 });
        const changed = { entity: 'dbo.t', key_column: 'id', key_value: 7, values: { total: 13 } };
        expect((await tool('erp_update_record', changed)).structuredContent).to.deep.equal({ rows_affected: 1 });
        const message = `/erp_insert_record ${JSON.stringify({ entity: 'dbo.t', values: { id: 8, total: 1 } })}`;
        const { run } = await use.ended(
          dataOf<RunBody>(await use.create(await use.agent('Clerk'), { user_message: message })).id,
        );
        expect(run.status, run.error ?? '').to.equal('completed');
        expect(ledger.rows()).to.equal(2);
      });

      it('are refused in the words of the server, and say where an outcome is not known', async () => {
        ledger.prepare({ refusal: REFUSAL });
        const refused = await tool('erp_insert_record', { entity: 'dbo.t', values });
        expect(refused).to.include({ isError: true });
        expect(refused.content[0]?.text).to.include('CK_total');
        ledger.prepare({ fate: 'done, and cut', dark: true });
        const unknown = await tool('erp_insert_record', { entity: 'dbo.t', values });
        expect(unknown.content[0]?.text).to.match(/was lost before it said whether the row was saved/);
        expect(ledger.rows()).to.equal(1);
      });

      it('leave the password of the connection out of the log', async () => {
        const { password } = new URL(ledger.url);
        expect(password).to.have.length.above(5);
        expect(await (platform().server as Installation).logs())
          .to.include('a connected system')
          .and.not.include(password);
      });
    });
  });
