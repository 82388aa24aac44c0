import { expect } from 'chai';
import type pg from 'pg';
import { until } from '../contracts/systems-of-record.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { anId } from '../support/builders.ts';
import { answersOfTable } from '../support/sqlserver-table.ts';
import { failing, type TdsServer, tdsServer } from '../support/sqlserver-tds.ts';

const file = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
  - { email: vic@example.com, name: Vic, role: viewer }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
  - { name: erp, type: sqlserver, url: "\${ERP_URL}", visible_to: [ada@example.com, vic@example.com] }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { number: { type: string }, total: { type: number } } }
    system_of_record: { connection: ledger, entity: public.bills, columns: { number: /number, total: /total }, document_id_column: document_id }
    visible_to: [ada@example.com, vic@example.com]
  - { name: Loose, workflow_type: document_extraction, model: offline, instructions: Read., document_schema: { type: object } }
`;

describe('before a document is processed', function () {
  this.timeout(120_000);
  let world: World;
  let key: string;
  let pool: pg.Pool;
  let erp: TdsServer;
  let isClosed = false;

  before(async () => {
    erp = await tdsServer({
      statement: (text) =>
        isClosed && text.includes('insert into') ? failing({ number: 50000, message: 'The month is closed' }) : answersOfTable(text),
    });
    world = await openWorld({ workspace: file, variables: { ERP_URL: erp.url() }, env: { RATE_LIMIT_RUNS: '1000000' } });
    key = await world.key();
    pool = world.composition.database.pool as unknown as pg.Pool;
    await world.query('create table public.bills (document_id uuid, number text unique, total numeric check (total > 0))');
  });
  after(async () => {
    await world.stop();
    await erp.close();
  });
  beforeEach(() => world.query('truncate documents cascade; truncate bills'));

  const call = (method: string, path: string, { as = key, body }: { as?: string; body?: object } = {}, signal?: AbortSignal) =>
    callApi<{ data: Record<string, unknown>; code?: string; errors?: unknown }>(world.baseUrl, as, path, { method, body, signal });

  const newRun = async (agent: string, as = key) => {
    const { body } = await call('POST', `/agents/${world.agentId(agent)}/run`, { as, body: { user_message: 'read' } });
    return String(body.data.id);
  };
  /** `data` is JSON text, so that digits stay what they are. */
  const store = async (data: string | null, { agent = 'Reader', status = 'ready' } = {}) => {
    const [id, conversation, run] = [anId(), anId(), await newRun(agent)];
    await world.query(
      `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) select $2, workspace_id, agent_id, id, user_id, 'idle' from runs where id = $1`,
      [run, conversation],
    );
    await world.query(
      `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data)
       select $2, r.workspace_id, r.id, r.agent_id, $3, 'a.pdf', $4, $5::json from runs r where r.id = $1`,
      [run, id, conversation, status, data],
    );
    return id;
  };
  const bills = async () => (await pool.query('select number, total::text from bills order by number')).rows;

  describe('a rehearsal', () => {
    const rehearse = (id: string, as = key, signal?: AbortSignal) => call('POST', `/documents/${id}/rehearsal`, { as }, signal);

    it('answers the row, and what would become of it, and changes neither ledger nor document', async () => {
      const id = await store('{"number":"A-1","total":12345678901234567890.10}');
      const before = await call('GET', `/documents/${id}`);
      const { status, text } = await rehearse(id);
      expect(status).to.equal(200);
      expect(text).to.equal(
        `{"data":{"would":"insert","row":{"document_id":"${id}","number":"A-1","total":12345678901234567890.1},"reason":null}}`,
      );
      expect(await bills()).to.deep.equal([]);
      expect((await call('GET', `/documents/${id}`)).text).to.equal(before.text);
      expect((await call('POST', `/documents/${id}`)).body.data.status).to.equal('processed');
      expect((await rehearse(id)).body.data).to.include({ would: 'already_there', reason: null });
      expect(await bills()).to.have.length(1);
    });

    it('answers why the system of record would reject it, and leaves the document ready', async () => {
      await world.query(`insert into bills values (gen_random_uuid(), 'A-1', 1)`);
      const id = await store('{"number":"A-1","total":7}');
      const { data } = (await rehearse(id)).body;
      expect(data.would).to.equal('reject');
      expect(data.reason).to.match(/Key \(number\)=\(A-1\) already exists/);
      const free = await store('{"number":"A-2","total":-1}');
      expect((await rehearse(free)).body.data.reason).to.match(/check constraint/);
      expect((await call('GET', `/documents/${id}`)).body.data).to.include({ status: 'ready', error: null });
    });

    it('is refused without data, without a system of record, to a viewer, and to those who do not see the document', async () => {
      const [bob, vic] = [await world.key({ email: 'bob@example.com' }), await world.key({ email: 'vic@example.com' })];
      const id = await store('{"number":"A-1","total":1}');
      const reads = await world.key({ scopes: ['runs:read'] });
      for (const [answer, status, code] of [
        [await rehearse(await store(null, { status: 'extracting' })), 409, 'document_without_data'],
        [await rehearse(await store('{}', { agent: 'Loose' })), 409, 'no_system_of_record'],
        [await rehearse(await store('{}', { status: 'trashed' })), 404, 'not_found'],
        [await rehearse(id, bob), 404, 'not_found'],
        [await rehearse(id, vic), 403, 'viewer'],
        [await rehearse(id, reads), 403, 'missing_scope'],
      ] as const)
        expect([answer.status, answer.body.code], answer.text).to.deep.equal([status, code]);
    });

    it('stops when its client hangs up, and leaves no transaction behind', async () => {
      const id = await store('{"number":"A-1","total":1}');
      const blocking = await pool.connect();
      await blocking.query('begin; lock table bills in share row exclusive mode');
      const gone = new AbortController();
      const hung = rehearse(id, key, gone.signal).catch(() => null);
      const open = async () =>
        (
          await pool.query(
            `select wait_event_type = 'Lock' as waits from pg_stat_activity where query like 'insert into "public"."bills"%' and xact_start is not null and datname = current_database()`,
          )
        ).rows;
      await until(async () => (await open()).some(({ waits }) => waits));
      gone.abort();
      await hung;
      await until(async () => (await open()).length === 0);
      await blocking.query('rollback');
      blocking.release();
      expect(await bills()).to.deep.equal([]);
      expect((await rehearse(id)).body.data.would).to.equal('insert');
    });

    const rehearseRecord = async (connection: string, body: object, as = key) => {
      const { body: connections } = await call('GET', '/connections');
      const found = (connections as unknown as readonly { id: string; name: string }[]).find(({ name }) => name === connection);
      return call('POST', `/connections/${found?.id}/records/rehearsal`, { as, body });
    };
    const update = { operation: 'update', entity: 'dbo.t', key_column: 'id', key_value: 7, values: { id: 8 } };

    it('of records answers how many rows would be affected, or why it would be refused, and commits nothing', async () => {
      const insert = { operation: 'insert', entity: 'dbo.t', values: { id: 8 } };
      for (const body of [update, insert]) {
        const { status, text } = await rehearseRecord('erp', body);
        expect([status, text]).to.deep.equal([200, '{"rows_affected":1,"rejected":null}']);
      }
      for (const [entity, values, words] of [
        ['dbo.t', { nowhere: 1 }, /"nowhere"/],
        ['dbo.t', { id: 'many' }, /"id".*many/],
        ['t', { id: 1 }, /^There is no table/],
      ] as const) {
        const { status, text } = await rehearseRecord('erp', { ...insert, entity, values });
        expect(status, text).to.equal(200);
        const { rows_affected: affected, rejected } = JSON.parse(text) as { rows_affected: number; rejected: string };
        expect(affected).to.equal(0);
        expect(rejected).to.match(words);
      }
      isClosed = true;
      expect((await rehearseRecord('erp', insert)).text).to.equal('{"rows_affected":0,"rejected":"The month is closed."}');
      isClosed = false;
      expect(erp.statements.filter((text) => text.startsWith('commit'))).to.deep.equal([]);
      expect(erp.statements.filter((text) => text.includes('insert into [dbo].[t]'))).to.have.length(2);
    });

    it('of records is refused to those who may not write or do not see the connection', async () => {
      const [bob, vic] = [await world.key({ email: 'bob@example.com' }), await world.key({ email: 'vic@example.com' })];
      expect((await rehearseRecord('erp', update, bob)).body.code).to.equal('not_found');
      expect((await rehearseRecord('erp', update, vic)).body.code).to.equal('viewer');
    });

    it('of records is refused on a connection that takes no writes, and without the key of an update', async () => {
      expect((await rehearseRecord('ledger', update)).body.code).to.equal('connection_read_only');
      const { key_column: _, key_value: __, ...keyless } = update;
      const { status, body: refused } = await rehearseRecord('erp', keyless);
      expect([status, refused.errors]).to.deep.equal([
        400,
        [
          { path: 'body.key_column', message: 'is required where operation is update' },
          { path: 'body.key_value', message: 'is required where operation is update' },
        ],
      ]);
    });
  });
});
