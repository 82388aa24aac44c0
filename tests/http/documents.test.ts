import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import { documentExport } from '../../src/application/documents/export.ts';
import { AuthenticationService } from '../../src/composition/modules/access.ts';
import { AgentRepository, DocumentRepository, RunRepository } from '../../src/composition/modules/postgres.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi, sendToApi } from '../support/api.ts';
import { anId } from '../support/builders.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const NEWLINE = 10;

interface Listed {
  readonly id: string;
  readonly name: string;
}

interface Page {
  readonly documents: readonly Listed[];
  readonly next: string | null;
}

const file = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: viewer }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema:
      type: object
      properties:
        supplier: { type: object, properties: { name: { type: string } } }
        total: { type: number }
        lines: { type: array, items: { type: object, properties: { sku: { type: string }, amount: { type: number } } } }
  - { name: Other, workflow_type: document_extraction, model: offline, instructions: Read., document_schema: { type: object } }
  - { name: Hidden, workflow_type: document_extraction, model: offline, instructions: Hide., document_schema: { type: object }, visible_to: [ada@example.com] }
`;

describe('the list of documents', () => {
  let world: World;
  let key: string;

  before(async () => {
    world = await openWorld({ workspace: file, env: { RATE_LIMIT_RUNS: '1000000' } });
    key = await world.key();
  });
  after(() => world.stop());
  beforeEach(() => world.query('delete from documents'));

  const call = (path: string, as = key) =>
    callApi<{ data: Page; errors?: readonly { path: string; message: string }[] }>(world.baseUrl, as, path);
  const page = async (query: Record<string, string>, as = key) => {
    const { status, text, body } = await call(`/documents?${new URLSearchParams(query)}`, as);
    expect(status, text).to.equal(200);
    return body.data;
  };
  const names = async (query: Record<string, string>, as = key) =>
    (await page(query, as)).documents.map(({ name }) => name).toSorted();

  const newRun = async (agent: string) => {
    const body = { user_message: 'read' };
    return (
      await callApi<{ data: { id: string } }>(world.baseUrl, key, `/agents/${world.agentId(agent)}/run`, { body })
    ).body.data.id;
  };
  /** `data` is JSON text, so that digits stay what they are. */
  const store = async (
    name: string,
    data: string | null,
    { agent = 'Reader', run = '', status = 'ready', ago = '0 seconds', many = 1 } = {},
  ) => {
    const runId = run === '' ? await newRun(agent) : run;
    const conversation = anId();
    await world.query(
      `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) select $2, workspace_id, agent_id, id, user_id, 'idle' from runs where id = $1`,
      [runId, conversation],
    );
    await world.query(
      `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, created_at)
       select gen_random_uuid(), r.workspace_id, r.id, r.agent_id, $2, $3, $4, $5::json, now() - $6::interval - n / 10 * interval '1 second'
       from runs r, generate_series(1, $7::int) n where r.id = $1`,
      [runId, conversation, name, status, data, ago, many],
    );
    return runId;
  };
  const all = async (query: Record<string, string>, as = key) => {
    const found: Listed[] = [];
    let after: string | null = null;
    let pages = 0;
    do {
      const read: Page = await page({ ...query, ...(after !== null && { after }) }, as);
      found.push(...read.documents);
      after = read.next;
      pages += 1;
    } while (after !== null);
    return { found, pages };
  };

  it('shows documents without their data and evidence, newest first, without those in the trash', async () => {
    await store('old.pdf', '{"total":1}', { ago: '1 hour' });
    await store('new.pdf', '{"total":2}');
    await store('gone.pdf', '{"total":3}', { status: 'trashed' });
    const { documents, next } = await page({});
    expect([documents.map(({ name }) => name), next]).to.deep.equal([['new.pdf', 'old.pdf'], null]);
    const [first] = documents;
    const { data: whole } = (await call(`/documents/${first?.id}`)).body as unknown as {
      data: Record<string, unknown>;
    };
    const { document_data, evidence, ...rest } = whole;
    expect(first).to.deep.equal({ ...rest, values: { '/supplier/name': null, '/total': 2 } });
    expect(await names({ status: 'trashed' })).to.deep.equal(['gone.pdf']);
    expect(await names({ status: 'trashed', agent_id: world.agentId('Reader') })).to.deep.equal(['gone.pdf']);
  });

  it('pages neither repeat nor skip, by every filter, among documents of the same moment', async () => {
    const run = await store('a.pdf', '{"total":1}', { many: 23 });
    await store('b.pdf', '{"total":2}', { agent: 'Other', many: 19, status: 'processed' });
    await store('c.pdf', '{"total":3}', { agent: 'Other', many: 21, status: 'trashed' });
    for (const [query, count] of [
      [{}, 42],
      [{ agent_id: world.agentId('Reader') }, 23],
      [{ run_id: run }, 23],
      [{ status: 'processed' }, 19],
      [{ status: 'processed', run_id: run }, 0],
      [{ status: 'trashed' }, 21],
      [{ status: 'trashed', agent_id: world.agentId('Other') }, 21],
      [{ q: 'a.pdf' }, 23],
      [{ where: '{"/total":{"gte":1}}' }, 42],
    ] as const) {
      const { found } = await all({ ...query, limit: '5' });
      expect(new Set(found.map(({ id }) => id)).size, JSON.stringify(query)).to.equal(count);
      expect(found).to.have.length(count);
    }
  });

  it('hides documents of agents that the caller does not see', async () => {
    const run = await store('secret.pdf', '{"word":"treasure"}', { agent: 'Hidden' });
    const bob = await world.key({ email: 'bob@example.com' });
    expect(await names({})).to.deep.equal(['secret.pdf']);
    for (const query of [
      {},
      { run_id: run },
      { agent_id: world.agentId('Hidden') },
      { q: 'treasure' },
      { where: '{"/word":"treasure"}' },
    ]) {
      expect(await page(query as Record<string, string>, bob), JSON.stringify(query)).to.deep.equal({
        documents: [],
        next: null,
      });
    }
  });

  it('finds words and beginnings of words in names and values', async () => {
    await store(
      'Invoice_4711-ACME.pdf',
      '{"supplier":{"name":"Müller & Söhne"},"lines":[{"text":"Soup\\ncup","amount":1190.50}],"paid":true}',
    );
    await store('other.pdf', '{"supplier":"Nobody"}');
    const one = ['Invoice_4711-ACME.pdf'];
    for (const q of ['invoice', 'INVOICE 47', 'acme pdf', 'MÜLLER', 'söh', 'cup soup', '1190.50', '4711 müller']) {
      expect(await names({ q }), q).to.deep.equal(one);
    }
    for (const q of [
      'nvoice',
      'supplier',
      'invoice nobody',
      "'; drop table documents --",
      '\\',
      "' | '",
      '!',
      '@',
      '"a" & b:*',
    ]) {
      expect(await names({ q }), q).to.deep.equal([]);
    }
    for (const q of ['', 'x'.repeat(201)]) expect((await call(`/documents?q=${q}`)).status).to.equal(400);
  });

  it('compares the values of the data exactly, each by its type', async () => {
    await store(
      'exact',
      '{"total":12345678901234567890.12,"n":"4711","paid":true,"none":null,"lines":[{"sku":"A-1"},{"sku":"B_2"}],"a/b":{"~":1}}',
    );
    await store('near', '{"total":12345678901234567890.13,"n":"0815","paid":false,"lines":[]}');
    await store('text', '{"total":"many","n":4711,"-1":"odd"}');
    await store('without data', null, { status: 'error' });
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['{"/total":12345678901234567890.12}', ['exact']],
      ['{"/total":12345678901234567890.120}', ['exact']],
      ['{"/total":"12345678901234567890.12"}', ['exact']],
      ['{"/total":{"gt":12345678901234567890.12}}', ['near']],
      ['{"/total":{"gte":1.2345678901234567890e19}}', ['exact', 'near']],
      ['{"/total":{"ne":12345678901234567890.12}}', ['near', 'text']],
      ['{"/total":{"like":"m%"}}', ['text']],
      ['{"/n":"4711"}', ['exact', 'text']],
      ['{"/n":4711}', ['text']],
      ['{"/n":{"in":["0815",4711]}}', ['near', 'text']],
      ['{"/n":{"lt":"1"}}', ['near']],
      ['{"/paid":true}', ['exact']],
      ['{"not":{"/paid":true}}', ['near']],
      ['{"/none":null}', ['exact', 'near', 'text', 'without data']],
      ['{"/paid":{"is_null":false}}', ['exact', 'near']],
      ['{"/lines/1/sku":"B_2"}', ['exact']],
      ['{"/lines/1/sku":{"like":"B\\\\_%"}}', ['exact']],
      ['{"/lines/-1/sku":"B_2"}', []],
      ['{"/lines/01/sku":"B_2"}', []],
      ['{"/-1":"odd"}', ['text']],
      ['{"/a~1b/~0":1}', ['exact']],
      ['{"/lines":{"ne":1}}', ['exact', 'near']],
      ['{"or":[{"/n":"0815"},{"/paid":true}]}', ['exact', 'near']],
      ['{"/total":{"gt":0},"/paid":{"eq":false}}', ['near']],
      ['{"/total":{"gt":-1e9999}}', ['exact', 'near']],
      ['{}', ['exact', 'near', 'text', 'without data']],
    ];
    for (const [where, expected] of cases) expect(await names({ where }), where).to.deep.equal(expected);
  });

  it('refuses a filter with everything that is wrong with it', async () => {
    const refused = async (where: string) => {
      const { status, body } = await call(`/documents?${new URLSearchParams({ where })}`);
      expect(status, where).to.equal(400);
      return (body.errors ?? []).map(({ path }) => path);
    };
    expect(await refused('{"total":1,"/a":{"near":2},"":3,"/~2":4}')).to.deep.equal([
      'query.where.total',
      'query.where./a.near',
      'query.where.',
      'query.where./~2',
    ]);
    const nul = String.raw`"a\u0000"`;
    for (const where of [
      '',
      'x',
      '[]',
      '{"/a":{"gt":1e99999}}',
      '{"/a":{"like":"x\\\\"}}',
      `{"/a":${nul}}`,
      `{"/a":{"in":[${nul}]}}`,
      `{"/a":{"like":${nul}}}`,
      String.raw`{"/a\u0000":1}`,
    ])
      expect(await refused(where)).to.have.length(1);
    expect(await names({ where: String.raw`{"/a":"\\u0000"}` })).to.deep.equal([]);
  });

  it('are told what a filter is by an example that is one', async () => {
    const { body } = await call(`/documents?${new URLSearchParams({ where: 'total>1000' })}`);
    const [, where = ''] = /such as (.*)$/.exec(body.errors?.[0]?.message ?? '') ?? [];
    expect((await call(`/documents?${new URLSearchParams({ where })}`)).status, where).to.equal(200);
  });

  it('finds what is rare among many, and is done with what is not there', async () => {
    await store('rare.pdf', '{"number":"RE-77","total":5}', { ago: '1 day' });
    const run = await store('common.pdf', '{"number":"RE-1","total":9}', { many: 4100 });
    expect(await names({ q: 'RE-77' })).to.deep.equal(['rare.pdf']);
    expect(await names({ where: '{"/number":"RE-77"}' })).to.deep.equal(['rare.pdf']);
    expect(await page({ q: 're 99' })).to.deep.equal({ documents: [], next: null });
    expect(await page({ where: '{"/number":"RE-77"}', run_id: run })).to.deep.equal({ documents: [], next: null });
    const ranged = await all({ where: '{"/total":{"lt":6}}' });
    expect(ranged.found.map(({ name }) => name)).to.deep.equal(['rare.pdf']);
    expect(ranged.pages, 'a page looks at a bounded number of documents').to.be.greaterThan(1);
    const everyone = await all({ q: 're', limit: '100' });
    expect(new Set(everyone.found.map(({ id }) => id)).size).to.equal(4101);
    expect(everyone.found).to.have.length(4101);
  });

  it('stores and lists whatever JSON a document has', async () => {
    const data = String.raw`{"\u0000":"a\u0000b","half":"\ud800 half","path":"C:\\u0000\\new","huge":1e999999,"long":${'9'.repeat(2000)},"":{"":[[[1]]]}}`;
    await store('odd.pdf', data);
    const queries: readonly Record<string, string>[] = [
      { q: 'half' },
      { q: 'new' },
      { where: '{"/half":" half"}' },
      { where: '{"//":{"is_null":false}}' },
    ];
    for (const query of queries) expect(await names(query), JSON.stringify(query)).to.deep.equal(['odd.pdf']);
    expect(await names({ where: '{"/huge":{"gt":0}}' })).to.deep.equal([]);
    await world.query('delete from documents');
    const text = fc.string({ unit: 'grapheme', maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, text, async (name, value) => {
        await store(name.replaceAll('\0', ''), JSON.stringify({ [name]: value, list: [value] }));
        const clean = value.replaceAll('\0', '');
        expect(await names({ where: JSON.stringify({ '/list/0': clean }) }), value).to.have.length.greaterThan(0);
      }),
      { numRuns: 25 },
    );
  });

  describe('as an export', () => {
    const exported = async (query: Record<string, string>, as = key) => {
      const url = `${world.baseUrl}/api/v1/documents/export?${new URLSearchParams(query)}`;
      const answer = await fetch(url, { headers: { 'x-api-key': as } });
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
    };
    const csv = async (query: Record<string, string> = {}) => {
      const { status, type, text } = await exported({ format: 'csv', agent_id: world.agentId('Reader'), ...query });
      expect([status, type], text).to.deep.equal([200, 'text/csv; charset=utf-8']);
      return text.split('\r\n').map((line) => line.replace(/^[^,]{36},[^,]{36},|[^,]*Z,/g, ''));
    };

    it('has every document of the list once, with every digit', async () => {
      await store('a.pdf', '{"total":12345678901234567890.12}', { many: 250 });
      await store('b.pdf', '{"total":1}', { agent: 'Other' });
      await store('c.pdf', '{"total":2}', { status: 'trashed' });
      const { status, type, text } = await exported({ agent_id: world.agentId('Reader') });
      expect([status, type]).to.deep.equal([200, 'application/x-ndjson']);
      const lines = text.trimEnd().split('\n');
      expect(new Set(lines.map((line) => (JSON.parse(line) as Listed).id)).size).to.equal(250);
      for (const line of lines) expect(line).to.include('"document_data":{"total":12345678901234567890.12}');
      const { documents } = await page({ agent_id: world.agentId('Reader'), limit: '1' });
      const { document_data, ...listed } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
      const { values: _, ...shown } = documents[0] as unknown as Record<string, unknown>;
      expect(listed).to.deep.equal(shown);
      expect((await exported({ where: '{"/total":1}' })).text.trimEnd().split('\n')).to.have.length(1);
    });

    it('has the newest documents alone, if there are more than it may have', async () => {
      await store('a.pdf', '{"lines":[1,2]}', { many: 130 });
      const { container } = world.composition;
      const [documents, agents, runs] = [
        container.get(DocumentRepository),
        container.get(AgentRepository),
        container.get(RunRepository),
      ];
      const caller = await container.get(AuthenticationService).authenticate({ apiKey: key, bearer: null });
      const filter = { agentId: null, runId: null, status: null, review: null, q: null, where: null };
      const { found } = await all({ limit: '100' });
      for (const [most, rows] of [
        [1, null],
        [100, null],
        [120, '/lines'],
        [500, null],
      ] as const) {
        const { lines } = await documentExport({ documents, agents, runs, most })(
          caller,
          filter,
          rows,
          new AbortController().signal,
        );
        const ids = new Set<string>();
        for await (const { document } of lines) ids.add(document.id);
        expect([...ids]).to.deep.equal(found.slice(0, most).map(({ id }) => id));
      }
    });

    it('of many documents holds few of them at a time, whether its client reads or not', async () => {
      const many = 20_000;
      await store('a.pdf', '{"total":1}', { many });
      // Autovacuum does so within a minute; what it has seen before then may be a table without documents.
      await world.query('analyze documents');
      const heap = () => {
        collectGarbage();
        const { heapUsed, external } = process.memoryUsage();
        return heapUsed + external;
      };
      const before = heap();
      const { body } = await sendToApi(world.baseUrl, key, '/documents/export');
      const reader = body?.getReader() ?? expect.fail();
      let lines = 0;
      const checked = [1, many / 2, many - 100];
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const chunk: Uint8Array = part.value;
        for (const byte of chunk) lines += Number(byte === NEWLINE);
        if (lines < (checked[0] ?? Number.POSITIVE_INFINITY)) continue;
        checked.shift();
        // While nothing is read, the server comes to a halt.
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(heap() - before, `after ${lines} documents`).to.be.below(10_000_000);
      }
      expect(lines).to.equal(many);
    });

    it('is a table with the columns of the schema, in which no cell is a formula', async () => {
      await store(
        '=cmd|calc.pdf',
        '{"supplier":{"name":"@SUM(1)","vat":"+49"},"total":-5.50,"lines":[{"sku":"A"}],"note":"Say \\"hi\\", then\ngo"}'.replace(
          '\n',
          '\\n',
        ),
      );
      await store('none.pdf', null, { status: 'error', ago: '1 hour' });
      expect(await csv()).to.deep.equal([
        'id,run_id,name,status,created_at,/supplier/name,/total,/lines,other',
        `'=cmd|calc.pdf,ready,'@SUM(1),-5.5,"[{""sku"":""A""}]","{""supplier"":{""vat"":""+49""},""note"":""Say \\""hi\\"", then\\ngo""}"`,
        'none.pdf,error,,,,',
        '',
      ]);
    });

    it('has a line for each row of a list', async () => {
      await store(
        'a.pdf',
        '{"total":3,"lines":[{"sku":"-A","amount":1.10},{"sku":"B","amount":12345678901234567890.5,"more":[1]}]}',
      );
      await store('b.pdf', '{"total":4}', { ago: '1 hour' });
      expect(await csv({ rows: '/lines' })).to.deep.equal([
        'id,run_id,name,status,created_at,/supplier/name,/total,row,/lines/*/sku,/lines/*/amount,other',
        "a.pdf,ready,,3,0,'-A,1.1,",
        'a.pdf,ready,,3,1,B,12345678901234567890.5,"{""more"":[1]}"',
        '',
      ]);
      const { text } = await exported({ rows: '/lines' });
      expect(
        text
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { data: object }).data),
      ).to.have.length(2);
    });

    it('neutralises what a spreadsheet takes for a formula, and nothing else', async () => {
      const formulas = ['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', ' =1', '\uff1d1', '\u00a0=1'];
      for (const [index, sku] of [...formulas, 'plain', '1-2', "'quoted"].entries())
        await store(`${index}`, JSON.stringify({ lines: [{ sku }] }), { ago: `${index} minutes` });
      const { text } = await exported({ format: 'csv', agent_id: world.agentId('Reader'), rows: '/lines' });
      const cells = [...text.matchAll(/,0,("(?:[^"]|"")*"|[^,]*),,\r\n/g)].map(([, cell = '']) =>
        cell.replace(/^"|"$/g, ''),
      );
      expect(cells).to.deep.equal([
        ...formulas.map((each) => `'${each.replace(/^[\t\r]/, "$&'")}`),
        'plain',
        '1-2',
        "'quoted",
      ]);
    });

    it('has the columns of the agent of a run where only the run is named', async () => {
      const run = await store('of-a-run.pdf', '{"supplier":{"name":"Tern"}}');
      const { status, text } = await exported({ format: 'csv', run_id: run });
      expect(status, text).to.equal(200);
      expect(text).to.match(
        /^id,run_id,name,status,created_at,\/supplier\/name,\/total,\/lines,other\r\n.*,of-a-run.pdf,.*,Tern,,,\r\n$/,
      );
    });

    it('has the columns of the agent whose documents they are where the run has divided files', async () => {
      const run = await store('part.pdf', '{"supplier":{"name":"Tern"}}', { agent: 'Other' });
      await world.query('update documents set agent_id = $1 where run_id = $2', [world.agentId('Reader'), run]);
      const { text } = await exported({ format: 'csv', run_id: run });
      expect(text).to.match(/^id,run_id,name,status,created_at,\/supplier\/name,.*\r\n.*,part.pdf,.*,Tern,/);
    });

    it('refuses a table without an agent or a run, a wrong filter, and shows no more than the list', async () => {
      await store('secret.pdf', '{"a":1}', { agent: 'Hidden' });
      const bob = await world.key({ email: 'bob@example.com' });
      expect((await exported({}, bob)).text).to.equal('');
      expect((await exported({ format: 'csv', agent_id: world.agentId('Hidden') }, bob)).text).to.equal(
        'id,run_id,name,status,created_at,other\r\n',
      );
      for (const query of ['format=csv', 'format=xlsx', 'where={"a":1}', 'rows=lines', 'q=']) {
        expect((await exported(Object.fromEntries([query.split('=')]))).status, query).to.equal(400);
      }
    });
  });
});
