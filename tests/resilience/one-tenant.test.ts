import { expect } from 'chai';
import { embeddedUrl } from '../support/server.ts';
import { eventually } from '../support/until.ts';
import { sql } from './stage.ts';
import { refusedIn, type Tenant, twoTenants } from './tenants.ts';

describe('what one tenant asks for, with the default settings', () => {
  const stage = twoTenants(`
    document_schema: { type: object, properties: { total: { type: number }, code: { type: string, pattern: '^(a+)+$' }, slow: { type: string } } }
    checks:
      - { name: slow, rule: 'document.slow.matches("^(a+)+$")', when: 'has(document.slow)' }
    tools:
      - http:
          name: note
          url: https://lab.example/notes
          method: POST
          input_schema: { type: object, properties: { list: { type: array, uniqueItems: true } } }`);

  /** What a correction of a new document is answered. */
  const patched = async ({ call, newDocument }: Tenant, ...patches: readonly (readonly object[])[]) => {
    const id = await newDocument();
    const statuses: number[] = [];
    for (const patch of patches) {
      const etag = (await call(`/documents/${id}`)).headers.get('etag') ?? '';
      const { status, text } = await call(`/documents/${id}`, {
        method: 'PATCH',
        body: { patch },
        headers: { 'if-match': etag },
      });
      statuses.push(status);
      if (status !== 200) return { statuses, text };
    }
    return { statuses, text: '' };
  };

  it('a patch that copies a large text again and again is refused before it grows', async () => {
    const copies = Array.from({ length: 300 }, (_, index) => ({ op: 'copy', from: '/extra', path: `/copy${index}` }));
    const { answers, outcome, isRunning } = await stage.beside((greedy) =>
      patched(greedy, [{ op: 'add', path: '/extra', value: { a: 'x'.repeat(900_000) } }, ...copies]),
    );
    expect([isRunning, refusedIn(answers)]).to.deep.equal([true, []]);
    expect(outcome.statuses).to.deep.equal([400]);
    expect(outcome.text).to.include('patch[4].path makes a document that is longer than 4 MiB as JSON text');
  });

  it('searches that no index answers, of documents that are long, with every condition that there may be', async () => {
    await stage.greedy.storeDocuments(2000, `json_build_object('text', repeat('a', 100000), 'n', n)`);
    const viewer = await stage.greedy.keyOf('vic');
    const pattern = `%${'a%'.repeat(98)}b%`;
    const conditions = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`/text${index}`, { ne: index }]));
    const wheres = [
      { '/text': { like: pattern } },
      { not: { or: [conditions] } },
      { '/text': { like: 'a%' }, '/n': { lt: 0 } },
    ];
    const { answers, outcome, isRunning } = await stage.beside(({ call }) =>
      Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          call(`/documents?where=${encodeURIComponent(JSON.stringify(wheres[index % 3]))}`, {}, viewer),
        ),
      ),
    );
    expect([isRunning, refusedIn(answers)]).to.deep.equal([true, []]);
    for (const { status, headers, text } of outcome) {
      expect(status, text).to.be.oneOf([200, 400, 429, 503]);
      if (status === 400) expect(text).to.include('query_timeout');
      if (status === 429) expect(headers.get('retry-after')).to.equal('5');
      // On a slow machine the database may have no room for it in time.
      if (status === 503) expect([text, headers.get('retry-after')].join()).to.match(/"code":"busy".*,2$/s);
    }
  });

  it('a search ends in the database when its client leaves', async () => {
    const where = encodeURIComponent(JSON.stringify({ '/text': { like: `%${'a%'.repeat(98)}b%` } }));
    const leaving = new AbortController();
    const asked = stage.greedy
      .call(`/documents?where=${where}`, { signal: leaving.signal })
      .catch((error: Error) => error.name);
    const active = async () => {
      const found = await sql(
        await embeddedUrl(stage.server.dataDir),
        `select from pg_stat_activity where application_name = 'portico' and state = 'active' and query like '%sharing as materialized%'`,
      );
      return found.length;
    };
    await eventually(async () => (await active()) > 0);
    leaving.abort();
    expect(await asked).to.equal('AbortError');
    await eventually(async () => (await active()) === 0);
  });

  it('values that backtrack in a pattern of the schema, and in a check', async () => {
    const text = `${'a'.repeat(40)}!`;
    const { answers, outcome, isRunning } = await stage.beside((greedy) =>
      Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          patched(greedy, [{ op: 'add', path: index % 2 === 0 ? '/code' : '/slow', value: text }]),
        ),
      ),
    );
    expect([isRunning, refusedIn(answers)]).to.deep.equal([true, []]);
    expect(outcome.filter(({ statuses: [status] }) => status === 200)).to.have.length(5);
    for (const { statuses, text: refusal } of outcome.filter(({ statuses: [status] }) => status !== 200)) {
      expect(statuses).to.deep.equal([400]);
      expect(refusal).to.include('cannot be checked: it takes too long');
    }
  });

  it('arguments of a tool whose schema compares all of their parts with each other', async () => {
    const list = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'note', arguments: { list } } };
    const { answers, outcome, isRunning } = await stage.beside(({ call, agentId }) =>
      Promise.all(Array.from({ length: 2 }, () => call(`/agents/${agentId}/mcp`, { body: request }))),
    );
    expect([isRunning, refusedIn(answers)]).to.deep.equal([true, []]);
    for (const { text } of outcome) expect(text).to.include('cannot be checked: it takes too long');
  });

  it('a patch makes no document of more values than are looked after, nor with names that fill the memory', async () => {
    const zeros = (count: number) => Array.from({ length: count }, () => 0);
    const under = { ['n'.repeat(400_000)]: zeros(100_000) };
    for (const [value, reason] of [
      [{ a: zeros(400_000) }, 'has more than 200,000 values'],
      [under, 'has names so long that the pointers to its values come to more than 32 MiB'],
    ] as const) {
      const { answers, outcome, isRunning } = await stage.beside((greedy) =>
        patched(greedy, [{ op: 'add', path: '', value }]),
      );
      expect([isRunning, refusedIn(answers)]).to.deep.equal([true, []]);
      expect(outcome.text).to.include(`body.patch makes a document that ${reason}`);
    }
  });
});
