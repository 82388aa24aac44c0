import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { DomainError } from '../../src/domain/errors.ts';
import { unreviewed } from '../support/builders.ts';
import { agentId, documentId, documentOf, evidenceOf, type FakeApi, fakeApi, KEY, runId, summary } from './fake-api.ts';
import { cli, lines } from './run-cli.ts';

describe('portico documents', () => {
  let api: FakeApi;
  const id = documentId(0);
  const run = (...argv: string[]) =>
    cli(['documents', ...argv], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY } });
  const is = (fields: object) => api.documents.set(id, documentOf(0, fields));

  beforeEach(async () => {
    api = await fakeApi();
  });
  afterEach(() => api.close());

  it('shows the data as key and value, each with where it was read', async () => {
    is({
      document_data: {
        supplier: { name: 'Müller GmbH', 'a/b': true },
        lines: [
          { text: 'Flour\nfine', amount: 3 },
          { text: null, amount: 1.5 },
        ],
        tags: ['x', 'y'],
        none: [],
      },
      evidence: {
        '/supplier/name': evidenceOf({ quote: 'Müller GmbH', file_name: 'a.pdf', page: 1 }),
        '/supplier/a~1b': evidenceOf({ quote: 'yes', file_name: 'a.pdf', page: null }),
        '/lines/1/amount': evidenceOf({ quote: '1.50', file_name: 'a.pdf', page: 2 }),
      },
    });
    const { code, out } = await run('show', id);
    expect(code).to.equal(0);
    expect(lines(out)).to.deep.equal([
      `a.pdf  ready  ${id}`,
      '  supplier:',
      '    name: Müller GmbH  ← "Müller GmbH" (a.pdf, page 1, exact)',
      '    a/b: true  ← "yes" (a.pdf, exact)',
      '  lines:',
      '    1.',
      '      text: Flour',
      '            fine',
      '      amount: 3',
      '    2.',
      '      text: -',
      '      amount: 1.5  ← "1.50" (a.pdf, page 2, exact)',
      '  tags:',
      '    1. x',
      '    2. y',
      '  none: []',
    ]);
  });

  it('shows how a quote supports its value, and how sure OCR is of it', async () => {
    const read = { file_name: 'a.pdf', page: 1, boxes: [], approximate: false, source: 'ocr', xpath: null };
    is({
      document_data: { number: '4711', total: 1190.5, tax: 7, due: '2026-12-01', paid: true },
      evidence: {
        '/number': { ...read, quote: 'No. 4711', support: 'exact', source: 'text', confidence: null },
        '/total': { ...read, quote: '1,190.50', support: 'normalized', confidence: 0.937 },
        '/tax': { ...read, quote: 'Tax', support: 'none', confidence: 0.5 },
        '/due': { ...read, quote: '', support: 'person', source: 'text', confidence: null },
        '/paid': { ...read, quote: '', file_name: '', page: null, support: 'person', source: 'text', confidence: null },
      },
    });
    expect(lines((await run('show', id)).out).slice(1)).to.deep.equal([
      '  number: 4711  ← "No. 4711" (a.pdf, page 1, exact)',
      '  total: 1190.5  ← "1,190.50" (a.pdf, page 1, normalized, OCR 93 %)',
      '  tax: 7  ← "Tax" (a.pdf, page 1, OCR 50 %)  not in its quote',
      '  due: 2026-12-01  ← entered by a person (a.pdf, page 1)',
      '  paid: true  ← entered by a person',
    ]);
  });

  it('shows what of the files was not read', async () => {
    const all = {
      pages_read: 3,
      pages_total: 3,
      characters_read: 4500,
      characters_total: 4500,
      complete: true,
      unread: [],
    };
    const shown = async (coverage: object | null) => {
      is({ document_data: { total: 1 }, evidence: {}, coverage });
      return lines((await run('show', id)).out).slice(1, -1);
    };
    expect(await shown(null)).to.deep.equal([]);
    expect(await shown(all)).to.deep.equal([]);
    const part = { ...all, pages_read: 1, characters_read: 1200, complete: false };
    expect(await shown(part)).to.deep.equal(['  only 1 of 3 pages and 1,200 of 4,500 characters were read']);
    expect(await shown({ ...all, complete: false })).to.deep.equal(['  some of its files could not be read']);
  });

  it('shows a document without data, and why', async () => {
    is({ status: 'error', document_data: null, evidence: {}, error: 'It has no text layer.' });
    expect(lines((await run('show', id)).out)).to.deep.equal([
      `a.pdf  error  ${id}`,
      '  error: It has no text layer.',
      '  (no data)',
    ]);
  });

  it('says what the workers do to post it', async () => {
    const posting = { automatic: true, by: null, failing_since: null, last_error: null };
    const shown = async (fields: object, over: object = {}) => {
      is({ document_data: {}, posting: { ...posting, next_attempt_at: null, failed_attempts: 0, ...fields }, ...over });
      return lines((await run('show', id)).out).slice(1, -1);
    };
    const next_attempt_at = '2026-11-20T10:00:00.000Z';
    expect(await shown({ next_attempt_at })).to.deep.equal(['  is posted automatically at 2026-11-20 10:00:00']);
    const failed = { next_attempt_at, failed_attempts: 2, last_error: 'It is away.' };
    expect(await shown(failed)).to.deep.equal(['  is tried again at 2026-11-20 10:00:00', '  It is away.']);
    expect(await shown({ last_error: 'It is away.' })).to.deep.equal(['  waits for a person', '  It is away.']);
    expect(await shown({ by: 'policy' }, { status: 'processed' })).to.deep.equal(['  posted automatically']);
    expect(await shown({ automatic: false })).to.deep.equal([]);
  });

  it('says that it is held, by whom and why', async () => {
    const by = { name: 'Ada', email: 'ada@example.com' };
    is({ document_data: {}, hold: { reason: 'A lawsuit.', by, at: '2026-11-20T10:00:00.000Z' } });
    expect(lines((await run('show', id)).out)[1]).to.equal('  held by Ada: A lawsuit.');
  });

  it('shows hostile data as text', async () => {
    is({ document_data: { '\u001b[2J': '\u001b[31mred\u0085' }, evidence: {} });
    expect((await run('show', id)).out)
      .to.include('\\u001b[2J: \\u001b[31mred\\u0085')
      .and.not.include('\u001b');
  });

  it('prints the whole document as JSON', async () => {
    is({ more: 'to come' });
    expect(JSON.parse((await run('show', id, '--json')).out)).to.deep.equal(documentOf(0, { more: 'to come' }));
  });

  it('processes a document', async () => {
    is({ status: 'processed', external_reference: 'public.invoices document_id=1' });
    expect(await run('process', id)).to.deep.equal({
      code: 0,
      out: 'a.pdf is processed: written to public.invoices document_id=1.\n',
      err: '',
    });
    expect(api.requests.at(-1)).to.include({ method: 'POST', url: `/api/v1/documents/${id}` });
  });

  it('says that a document was rejected, and fails', async () => {
    is({ status: 'error', error: 'duplicate key value violates unique constraint' });
    const { code, out } = await run('process', id);
    expect({ code, out }).to.deep.equal({
      code: 1,
      out: 'a.pdf was rejected by its system of record: duplicate key value violates unique constraint\n',
    });
    const asJson = await run('process', id, '--json');
    expect(asJson.code).to.equal(1);
    expect(JSON.parse(asJson.out)).to.include({ status: 'error' });
  });

  it('rehearses the processing of a document, and fails if it would be rejected', async () => {
    const row = { document_id: id, number: 'A\u001b', total: 12.5 };
    const shown = [`  document_id: "${id}"`, '  number: "A\\u001b"', '  total: 12.5'];
    const route = `POST /api/v1/documents/${id}/rehearsal`;
    const rehearsed = async (would: string, reason: string | null, ...options: string[]) => {
      api.next(route, { body: { data: { would, row, reason } } });
      return run('process', id, '--rehearse', ...options);
    };
    for (const [would, reason, words, code] of [
      ['insert', null, 'Its system of record would take this row:', 0],
      ['already_there', null, 'The row is in its system of record already, and would stay as it is:', 0],
      ['reject', 'duplicate key', 'Its system of record would reject this row: duplicate key', 1],
    ] as const) {
      const answer = await rehearsed(would, reason);
      expect([answer.code, lines(answer.out), answer.err]).to.deep.equal([
        code,
        [words, ...shown],
        'Nothing was written.\n',
      ]);
    }
    const asJson = await rehearsed('reject', 'duplicate key', '--json');
    expect([asJson.code, JSON.parse(asJson.out)]).to.deep.equal([1, { would: 'reject', row, reason: 'duplicate key' }]);
    expect(api.requests.every(({ url }) => url.endsWith('/rehearsal'))).to.equal(true);
  });

  it('says that a document is not there', async () => {
    const { code, err } = await run('process', id);
    expect(code).to.equal(1);
    expect(err).to.include('(404 not_found)');
  });

  it('lists and searches documents, and says how to go on', async () => {
    const { document_data, evidence, ...listed } = documentOf(0, {
      name: 'a\u001b.pdf',
      values: { '/total': 12.5 },
      review: { status: 'pending', reasons: [], reviewer: null, note: null, decided_at: null, decided_via: null },
    });
    const page = { documents: [listed], next: 'QUJD' };
    api.next(
      'GET /api/v1/documents',
      { body: { data: page } },
      { body: { data: page } },
      { body: { data: { documents: [], next: null } } },
    );
    const where = '{"/total":{"gt":1000}}';
    const options = [
      '--agent',
      'invoice reader',
      '--status',
      'ready',
      '--search',
      'meyer',
      '--where',
      where,
      '--limit',
      '5',
      '--after',
      'QUI',
    ];
    const { code, out, err } = await run('list', ...options);
    expect([code, err]).to.deep.equal([0, 'older ones: --after QUJD\n']);
    expect(lines(out)[1]).to.equal(`${id}  ready   pending  2026-11-20 09:30:00  a\\u001b.pdf`);
    const asked = new URL(api.requests.at(-1)?.url ?? '', api.url).searchParams;
    expect(Object.fromEntries(asked)).to.deep.equal({
      agent_id: agentId,
      status: 'ready',
      q: 'meyer',
      where,
      limit: '5',
      after: 'QUI',
    });
    expect(JSON.parse((await run('list', '--json')).out)).to.deep.equal(page);
    expect((await run('list')).out).to.equal('There are no documents.\n');
  });

  it('lists documents by a value, and says how to go on', async () => {
    api.next('GET /api/v1/documents', { body: { data: { documents: [documentOf(0, { values: {} })], next: 'QUJD' } } });
    const order = ['--agent', 'invoice reader', '--order-by', '/total', '--order-direction', 'desc'];
    expect((await run('list', ...order)).err).to.equal('further ones: --after QUJD\n');
    const asked = new URL(api.requests.at(-1)?.url ?? '', api.url).searchParams;
    expect(Object.fromEntries(asked)).to.deep.include({ order_by: '/total', order_direction: 'desc' });
  });

  it('lists what can be posted, and says how much that is', async () => {
    const page = { body: { data: { documents: [documentOf(0, { values: {} })], next: null } } };
    const work = { needs_review: 1, failed_documents: 0, failed_runs: 0, approvals: 0 };
    api.next('GET /api/v1/documents', page, page);
    api.next(
      'GET /api/v1/work',
      { body: { data: { ...work, ready_to_post: 7 } } },
      { body: { data: { ...work, ready_to_post: 100 } } },
    );
    const { code, out, err } = await run('list', '--ready-to-post');
    expect([code, err]).to.deep.equal([0, 'ready to post, of all agents: 7\n']);
    expect(out).to.include(id);
    const asked = api.requests
      .map(({ url }) => new URL(url, api.url))
      .find(({ pathname }) => pathname.endsWith('/documents'));
    expect(asked?.searchParams.get('ready_to_post')).to.equal('true');
    expect((await run('list', '--ready-to-post')).err).to.equal('ready to post, of all agents: 100 or more\n');
  });

  it('writes the image of a page to a file, byte for byte', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'portico-cli-'));
    try {
      const out = path.join(folder, 'page.png');
      const image = Uint8Array.from({ length: 256 }, (_, index) => index);
      api.next(`GET /api/v1/documents/${id}/files/1/pages/2`, {
        body: image,
        headers: { 'content-type': 'image/png' },
      });
      const shown = await run('show', id, '--page', '2', '--file', '2', '--out', out);
      expect(shown).to.deep.equal({ code: 0, out: '', err: `page 2 is in ${out}\n` });
      expect(new Uint8Array(await readFile(out))).to.deep.equal(image);
      expect(await run('show', id, '--page', '9', '--out', path.join(folder, 'none.png'))).to.include({ code: 1 });
      expect(await readdir(folder)).to.deep.equal(['page.png']);
      for (const options of [
        ['--page', '2'],
        ['--file', '2'],
      ])
        expect(await run('show', id, ...options)).to.include({ code: 2, out: '' });
      api.next(`GET /api/v1/documents/${id}/files/0/pages/2`, {
        body: image,
        headers: { 'content-type': 'image/png' },
      });
      const printed = await run('show', id, '--page', '2', '--out', out, '--json');
      expect(JSON.parse(printed.out)).to.deep.equal({ id, file: 1, page: 2, out });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('exports what the server answers, byte for byte', async () => {
    api.next(
      'GET /api/v1/documents/export',
      { body: { total: 1, name: 'Müller' } },
      { status: 400, body: { detail: 'No.', status: 400, code: 'invalid_request' } },
    );
    const { code, out } = await run('export', '--agent', agentId, '--format', 'csv', '--rows', '/lines');
    expect({ code, out }).to.deep.equal({ code: 0, out: '{"total":1,"name":"Müller"}' });
    const asked = new URL(api.requests.at(-1)?.url ?? '', api.url).searchParams;
    expect(Object.fromEntries(asked)).to.deep.equal({ agent_id: agentId, format: 'csv', rows: '/lines' });
    expect(await run('export')).to.include({ code: 1, out: '' });
  });

  it('says by which options a list or an export is to be asked for otherwise, before the server is asked', async () => {
    for (const [argv, told] of [
      [['export', '--format', 'csv'], '--format csv needs --agent or --run: the schema of the agent gives the columns'],
      [['export', '--rows', 'lines'], "option '--rows <pointer>' argument 'lines' is invalid."],
      [['list', '--order-by', '/total'], '--order-by needs --agent: the columns are those of an agent'],
      [['list', '--run', 'newest'], "option '--run <id>' argument 'newest' is invalid."],
    ] as const) {
      const { code, err } = await run(...argv);
      expect(code, argv.join(' ')).to.equal(2);
      expect(err).to.include(told);
    }
    expect(api.requests).to.deep.equal([]);
  });

  it('reads the files of a document again, by the agent that is named, once under a key', async () => {
    const route = `POST /api/v1/documents/${id}/reread`;
    api.next(route, { body: { data: summary() } }, { body: { data: summary() } });
    const started = await run('reread', id, '--agent', 'Invoice reader', '--idempotency-key', 'again');
    expect(started).to.deep.equal({
      code: 0,
      out: `${runId}\n`,
      err: `The run is queued: portico runs watch ${runId}\n`,
    });
    const sent = api.requests.at(-1);
    expect([sent?.headers['idempotency-key'], JSON.parse(String(sent?.body))]).to.deep.equal([
      'again',
      { agent_id: agentId },
    ]);
    expect(JSON.parse((await run('reread', id, '--json')).out)).to.include({ id: runId, status: 'queued' });
    expect(JSON.parse(String(api.requests.at(-1)?.body))).to.deep.equal({});
    expect(await run('reread', id, '--idempotency-key', 'a b')).to.include({ code: 2, out: '' });
  });

  it('restores in place, without the API', async () => {
    const restored: string[] = [];
    const restore = async (given: string) => {
      restored.push(given);
      if (restored.length > 1) throw new DomainError('conflict', 'The document is ready, not in the trash.');
      const at = new Date(0);
      return {
        id,
        workspaceId: '',
        runId: '',
        agentId: '',
        agentVersion: 1,
        model: 'offline',
        conversationId: '',
        name: 'a.pdf',
        status: 'ready' as const,
        documentData: null,
        evidence: {},
        error: null,
        externalReference: null,
        fence: 0,
        leaseExpiresAt: null,
        coverage: null,
        duplicates: [],
        ...unreviewed,
        trashedFrom: null,
        createdAt: at,
        updatedAt: at,
        processedAt: null,
      };
    };
    const again = () =>
      cli(['documents', 'restore', id.toUpperCase()], { operator: { documents: { restoreAny: restore } } });
    expect(await again()).to.deep.equal({
      code: 0,
      out: 'a.pdf is back from the trash: it is ready again.\n',
      err: '',
    });
    expect(await again()).to.deep.equal({
      code: 1,
      out: '',
      err: 'portico: The document is ready, not in the trash.\n',
    });
    expect(restored).to.deep.equal([id, id]);
  });
});
