import { expect } from 'chai';
import type pg from 'pg';
import type { RunWorker as Worker } from '../../src/application/worker/run-worker.ts';
import { ConnectionRepository, DocumentRepository } from '../../src/composition/modules/postgres.ts';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { anId } from '../support/builders.ts';
import { answersOfTable } from '../support/sqlserver-table.ts';
import { failing, type TdsServer, tdsServer } from '../support/sqlserver-tds.ts';
import { eventually } from '../support/until.ts';

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
  - name: Guarded
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema:
      type: object
      properties:
        supplier: { type: [string, "null"] }
        number: { type: [string, "null"] }
        net: { type: [number, "null"] }
        vat: { type: [number, "null"] }
        total: { type: [number, "null"] }
    checks:
      - { name: sum, rule: document.net + document.vat == document.total, when: document.net != null, message: The sum is wrong. }
      - { name: positive, rule: document.total > 0 }
    duplicate_key: [/supplier, /number]
    system_of_record: { connection: ledger, entity: public.bills, columns: { number: /number, total: /total }, document_id_column: document_id }
    review: when_flagged
  - { name: Loose, workflow_type: document_extraction, model: offline, instructions: Read., document_schema: { type: object } }
`;

describe('before a document is processed', () => {
  let world: World;
  let key: string;
  let pool: pg.Pool;
  let erp: TdsServer;
  let isClosed = false;
  let worker: Worker;
  let isWorking = false;

  before(async () => {
    erp = await tdsServer({
      statement: (text) =>
        isClosed && text.includes('insert into')
          ? failing({ number: 50000, message: 'The month is closed' })
          : answersOfTable(text),
    });
    world = await openWorld({
      workspace: file,
      variables: { ERP_URL: erp.url() },
      env: { RATE_LIMIT_RUNS: '1000000' },
    });
    key = await world.key();
    pool = world.composition.database.pool as unknown as pg.Pool;
    worker = world.composition.container.get(RunWorker);
    await world.query(
      'create table public.bills (document_id uuid, number text unique, total numeric check (total > 0))',
    );
  });
  after(async () => {
    await worker.stop(1000);
    await world.stop();
    await erp.close();
  });
  beforeEach(() => world.query('truncate documents cascade; truncate bills'));

  const call = (
    method: string,
    path: string,
    { as = key, body }: { as?: string; body?: object } = {},
    signal?: AbortSignal,
  ) =>
    callApi<{ data: Record<string, unknown>; code?: string; errors?: unknown }>(world.baseUrl, as, path, {
      method,
      body,
      signal,
    });

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
      `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, revision)
       select $2, r.workspace_id, r.id, r.agent_id, $3, 'a.pdf', $4, $5::json, case when $5::json is null then 0 else 1 end from runs r where r.id = $1`,
      [run, id, conversation, status, data],
    );
    return id;
  };
  const bills = async () => (await pool.query('select number, total::text from bills order by number')).rows;

  it('is known to write through the connection of its system of record, and no other', async () => {
    const all = await world.composition.container.get(ConnectionRepository).all();
    expect(all.map(({ name, isWritten }) => [name, isWritten])).to.deep.equal([
      ['erp', false],
      ['ledger', true],
    ]);
  });

  describe('a rehearsal', () => {
    const rehearse = (id: string, as = key, signal?: AbortSignal) =>
      call('POST', `/documents/${id}/rehearsal`, { as }, signal);

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
      await eventually(async () => (await open()).some(({ waits }) => waits));
      gone.abort();
      await hung;
      await eventually(async () => (await open()).length === 0);
      await blocking.query('rollback');
      blocking.release();
      expect(await bills()).to.deep.equal([]);
      expect((await rehearse(id)).body.data.would).to.equal('insert');
    });

    const rehearseRecord = async (connection: string, body: object, as = key) => {
      const { body: connections } = await call('GET', '/connections');
      const found = (connections as unknown as readonly { id: string; name: string }[]).find(
        ({ name }) => name === connection,
      );
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
      expect((await rehearseRecord('erp', insert)).text).to.equal(
        '{"rows_affected":0,"rejected":"The month is closed."}',
      );
      isClosed = false;
      expect(erp.statements.filter((text) => text.startsWith('commit'))).to.deep.equal([]);
      expect(erp.statements.filter((text) => text.includes('insert into [dbo].[t]'))).to.have.length(2);
    });

    it('of records is refused to those who may not write or do not see the connection', async () => {
      const [bob, vic] = [await world.key({ email: 'bob@example.com' }), await world.key({ email: 'vic@example.com' })];
      expect((await rehearseRecord('erp', update, bob)).body.code).to.equal('not_found');
      expect((await rehearseRecord('erp', update, vic)).body.code).to.equal('viewer');
    });

    it('of records on PostgreSQL does as on SQL Server, and what it says is what the write does', async () => {
      const connections = (await call('GET', '/connections')).body as unknown as readonly {
        id: string;
        name: string;
      }[];
      const path = `/connections/${connections.find(({ name }) => name === 'ledger')?.id}/records`;
      const id = '0b5a3f2e-1111-4222-8333-444455556666';
      const insert = {
        entity: 'public.bills',
        values: { document_id: id, number: 'P-1', total: '12345678901234567890.10' },
      };
      const change = { entity: 'public.bills', key_column: 'number', key_value: 'P-1', values: { total: 7.25 } };
      const rehearsed = async (body: object) => (await rehearseRecord('ledger', body)).text;

      expect(await rehearsed({ operation: 'insert', ...insert })).to.equal('{"rows_affected":1,"rejected":null}');
      expect(await bills()).to.deep.equal([]);
      expect((await call('POST', path, { body: insert })).text).to.equal('{"rows_affected":1}');
      expect(await rehearsed({ operation: 'insert', ...insert })).to.match(/"rows_affected":0.*\(number\)=\(P-1\)/);
      expect(await rehearsed({ operation: 'update', ...change })).to.equal('{"rows_affected":1,"rejected":null}');
      expect((await call('GET', `${path}?entity_id=public.bills`)).text).to.include('12345678901234567890.1');
      expect((await call('PATCH', path, { body: change })).text).to.equal('{"rows_affected":1}');
      expect((await call('GET', `${path}?entity_id=public.bills`)).text).to.include('7.25');
      const refused = await call('PATCH', path, { body: { ...change, values: { total: 'many' } } });
      expect([refused.status, refused.body.code]).to.deep.equal([400, 'invalid_request']);
      expect(refused.text).to.match(/Column \\"total\\".*many/);
    });

    it('of an update of records is refused without its key', async () => {
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

  interface Checked {
    readonly id: string;
    readonly status: string;
    readonly document_data: Record<string, unknown>;
    readonly checks: readonly { name: string; status: string; message: string | null }[];
    readonly duplicates: readonly { document_id: string; reason: string }[];
    readonly review: { status: string; reasons: readonly { code: string; message: string }[] };
  }

  const documentOf = async (id: string, as = key) =>
    (await call('GET', `/documents/${id}`, { as })).body.data as unknown as Checked;
  const uploaded = async (agent: string, text: string) => {
    const file = { file_name: 'a.txt', content_type: 'text/plain' };
    const { body } = await call('POST', `/agents/${world.agentId(agent)}/upload-urls`, { body: { files: [file] } });
    const [{ upload_url: url = '', file_key = '' } = {}] = (
      body.data as { files: { upload_url?: string; file_key?: string }[] }
    ).files;
    expect(
      (await fetch(url, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: text })).status,
    ).to.be.below(300);
    return { ...file, file_key };
  };
  /** The documents that runs of the agent make of messages or files. */
  const extracted = async (agent: string, bodies: readonly object[]): Promise<readonly Checked[]> => {
    if (!isWorking) worker.start();
    isWorking = true;
    const runs = await Promise.all(bodies.map((body) => call('POST', `/agents/${world.agentId(agent)}/run`, { body })));
    const documents: Checked[] = [];
    for (const { body, text } of runs) {
      expect(body.data, text).to.have.property('id');
      let run: Record<string, unknown> = {};
      await eventually(async () => {
        run = (await call('GET', `/runs/${body.data.id}?wait=5`)).body.data;
        return ['completed', 'failed'].includes(String(run.status));
      });
      expect(run.error).to.equal(null);
      for (const { id } of run.documents as { id: string }[]) documents.push(await documentOf(id));
    }
    return documents;
  };
  const message = (lines: Readonly<Record<string, string>>) => ({
    user_message: Object.entries(lines)
      .map(([label, value]) => `${label}: ${value}`)
      .join('\n'),
  });
  const bill = { Supplier: 'Alder Street Bakery', Number: 'ASB-104', Net: '0.10', Vat: '0.20', Total: '0.30' };

  describe('checks', () => {
    it('are evaluated when a document becomes ready, with exact decimals, and ask for a review where one fails', async () => {
      const [right, wrong, partial] = await extracted('Guarded', [
        message(bill),
        message({ ...bill, Number: 'ASB-105', Total: '-0.31' }),
        message({ Supplier: 'Alder', Number: 'ASB-106' }),
      ]);
      expect(right?.checks).to.deep.equal([
        { name: 'sum', status: 'passed', message: null },
        { name: 'positive', status: 'passed', message: null },
      ]);
      expect(right?.review).to.deep.include({ status: 'not_required', reasons: [] });
      expect(wrong?.checks.map(({ status, message: words }) => [status, words])).to.deep.equal([
        ['failed', 'The sum is wrong.'],
        ['failed', 'The rule does not hold.'],
      ]);
      expect(wrong?.review.status).to.equal('pending');
      expect(wrong?.review.reasons.map(({ code, message: words }) => [code, words])).to.deep.equal([
        ['check_failed', 'The sum is wrong.'],
        ['check_failed', 'The rule does not hold.'],
      ]);
      expect(partial?.checks.map(({ status, message: words }) => [status, words])).to.deep.equal([
        ['not_applicable', null],
        ['not_applicable', 'It could not be applied: /total has no value.'],
      ]);
    });

    it('are none of an agent without them', async () => {
      const [document] = await extracted('Reader', [message({ Number: 'A-1', Total: '7' })]);
      expect([document?.checks, document?.duplicates, document?.review.status]).to.deep.equal([[], [], 'not_required']);
    });
  });

  describe('duplicates', () => {
    const reasonsOf = ({ review }: Checked) => review.reasons.map(({ code }) => code);
    const twinsOf = async ({ id }: Checked) =>
      (await documentOf(id)).duplicates.map(({ document_id, reason }) => [document_id, reason]);

    it('have the same key but for case and spacing; both show each other, and the later one asks for a review', async () => {
      const [first] = await extracted('Guarded', [message(bill)]);
      const [copy] = await extracted('Guarded', [
        message({ ...bill, Supplier: 'ALDER streetbakery', Number: 'asb - 104', Net: '0.1' }),
      ]);
      const [other] = await extracted('Guarded', [message({ ...bill, Number: 'ASB-1040' })]);
      if (!first || !copy || !other) throw new Error('three documents were expected');
      expect(await twinsOf(first)).to.deep.equal([[copy.id, 'key']]);
      expect(await twinsOf(copy)).to.deep.equal([[first.id, 'key']]);
      expect(await twinsOf(other)).to.deep.equal([]);
      expect([reasonsOf(first), reasonsOf(copy), reasonsOf(other)]).to.deep.equal([[], ['duplicate'], []]);
      expect(copy.review.reasons[0]?.message).to.contain(first.id);
    });

    it('are not documents without a value of the key, of another agent, or in the trash', async () => {
      const nameless = { Supplier: 'Alder', Total: '1' };
      const [one, two] = await extracted('Guarded', [message(nameless), message(nameless)]);
      const [first] = await extracted('Guarded', [message(bill)]);
      await call('DELETE', `/documents/${first?.id}`);
      const [copy] = await extracted('Guarded', [message(bill)]);
      await extracted('Reader', [message({ Number: 'ASB-104', Total: '1' })]);
      for (const document of [one, two, copy]) expect(document?.duplicates).to.deep.equal([]);
      await world.query(`update documents set status = 'ready' where id = $1`, [first?.id]);
      if (copy) expect(await twinsOf(copy)).to.deep.equal([[first?.id, 'key']]);
    });

    it('were read from a file of the same content, whatever its name', async () => {
      const text = 'Supplier: Mill\nTotal: 12';
      const runs = [[text], [text], ['Supplier: Mill\nTotal: 13']].map(async (texts) => ({
        files: await Promise.all(texts.map((each) => uploaded('Guarded', each))),
      }));
      const documents: Checked[] = [];
      for (const run of await Promise.all(runs)) documents.push(...(await extracted('Guarded', [run])));
      const [first, copy, other] = documents;
      if (!first || !copy || !other) throw new Error('three documents were expected');
      expect(await twinsOf(first)).to.deep.equal([[copy.id, 'file']]);
      expect(await twinsOf(copy)).to.deep.equal([[first.id, 'file']]);
      expect(await twinsOf(other)).to.deep.equal([]);
      expect(reasonsOf(copy)).to.include('duplicate');
      const listed = (await call('GET', `/documents?agent_id=${world.agentId('Guarded')}`)).body.data as unknown as {
        documents: Checked[];
      };
      expect(listed.documents.find(({ id }) => id === copy.id)?.duplicates).to.deep.equal([
        { document_id: first.id, reason: 'file' },
      ]);
    });

    it('that become ready at the same moment do not all miss each other', async () => {
      const copies = await extracted('Guarded', Array(6).fill(message(bill)));
      const unaware = copies.filter((document) => reasonsOf(document).length === 0);
      expect(unaware.length).to.be.at.most(1);
      for (const document of copies) expect(await twinsOf(document)).to.have.length(5);
    });

    it('are found before they are ready, by those that are about to be', async () => {
      const { container } = world.composition;
      const documents = container.get(DocumentRepository);
      const [one, two] = [
        await store(null, { agent: 'Guarded', status: 'extracting' }),
        await store(null, { agent: 'Guarded', status: 'extracting' }),
      ];
      await documents.claimKeys(one, 'k', ['h']);
      await documents.claimKeys(two, 'k', ['h', 'i']);
      for (const [id, twin] of [
        [one, two],
        [two, one],
      ] as const)
        expect(await documents.duplicatesOf(id, 'k')).to.deep.equal([
          { documentId: twin, reason: 'key', isHeld: false },
          { documentId: twin, reason: 'file', isHeld: false },
        ]);
      expect(await documents.duplicatesOf(one, null)).to.deep.equal([
        { documentId: two, reason: 'file', isHeld: false },
      ]);
      await world.query(`update documents set status = 'error' where id = $1`, [two]);
      expect(await documents.duplicatesOf(one, 'k')).to.deep.equal([]);
    });

    it('that nothing was known of when they became ready are held back when one is processed', async () => {
      const [one, two] = [
        await store('{"number":"1","total":1}', { agent: 'Guarded' }),
        await store('{"number":"1","total":1}', { agent: 'Guarded' }),
      ];
      await world.query(`update documents set duplicate_key = 'same' where id = any ($1)`, [[one, two]]);
      const refused = await call('POST', `/documents/${one}`);
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'review_required']);
      const { review } = await documentOf(one);
      expect(review).to.deep.include({ status: 'pending' });
      expect(review.reasons.map(({ code, message: words }) => [code, words.includes(two)])).to.deep.equal([
        ['duplicate', true],
      ]);
      expect((await call('POST', `/documents/${two}`)).body.data.status).to.equal('processed');
      expect(await bills()).to.deep.equal([{ number: '1', total: '1' }]);
    });

    it('and checks are found again after a correction, before it can be decided on', async () => {
      const [first] = await extracted('Guarded', [message(bill)]);
      const [second] = await extracted('Guarded', [message({ ...bill, Number: 'ASB-9', Total: '0.31' })]);
      if (!first || !second) throw new Error('two documents were expected');
      expect(reasonsOf(second)).to.deep.equal(['check_failed']);
      const path = `/documents/${second.id}`;
      const etagOf = async () =>
        (await fetch(`${world.baseUrl}/api/v1${path}`, { headers: { 'x-api-key': key } })).headers.get('etag') ?? '';
      const corrected = async (patch: readonly object[]) => {
        const headers = { 'x-api-key': key, 'content-type': 'application/json', 'if-match': await etagOf() };
        const answer = await fetch(`${world.baseUrl}/api/v1${path}`, {
          method: 'PATCH',
          headers,
          body: JSON.stringify({ patch }),
        });
        const text = await answer.text();
        expect(answer.status, text).to.equal(200);
        expect(answer.headers.get('etag')).to.equal(await etagOf());
        return (JSON.parse(text) as { data: Checked }).data;
      };
      const copied = await corrected([
        { op: 'replace', path: '/number', value: 'asb-104' },
        { op: 'replace', path: '/total', value: 0.3 },
      ]);
      expect(copied.checks.map(({ status }) => status)).to.deep.equal(['passed', 'passed']);
      expect(copied.duplicates).to.deep.equal([{ document_id: first.id, reason: 'key' }]);
      expect([copied.review.status, reasonsOf(copied)]).to.deep.equal(['pending', ['duplicate']]);
      const own = await corrected([{ op: 'replace', path: '/number', value: 'ASB-10' }]);
      expect([own.duplicates, reasonsOf(own)]).to.deep.equal([[], []]);
      expect(await twinsOf(first)).to.deep.equal([]);
    });

    it('are the newest twenty of each reason, however many there are', async () => {
      const first = await store('{"number":"1"}', { agent: 'Guarded' });
      await world.query(
        `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, duplicate_key)
         select gen_random_uuid(), workspace_id, run_id, agent_id, conversation_id, name, 'ready', document_data, 'same' from documents, generate_series(1, 50) where id = $1`,
        [first],
      );
      await world.query(`update documents set duplicate_key = 'same' where id = $1`, [first]);
      await world.query(
        `insert into document_files (document_id, agent_id, sha256) select id, agent_id, 'content' from documents`,
      );
      const { duplicates } = await documentOf(first);
      expect(duplicates.map(({ reason }) => reason)).to.deep.equal([
        ...Array(20).fill('key'),
        ...Array(20).fill('file'),
      ]);
      const { documents } = (await call('GET', '/documents?limit=100')).body.data as { documents: readonly Checked[] };
      expect(documents.find(({ id }) => id === first)?.duplicates).to.deep.equal(duplicates);
    });
  });
});
