import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import {
  agentId,
  detail,
  documentId,
  documentOf,
  eventsOf,
  type FakeApi,
  fakeApi,
  item,
  KEY,
  runId,
  summary,
} from './fake-api.ts';
import { cli, lines } from './run-cli.ts';

describe('portico runs', () => {
  let api: FakeApi;
  let folder: string;
  const env = () => ({ PORTICO_URL: api.url, PORTICO_API_KEY: KEY });
  const file = async (name: string, content: string | Uint8Array = `content of ${name}`) => {
    await writeFile(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const created = () => {
    const request = api.requests.find(({ url }) => url === `/api/v1/agents/${agentId}/run`);
    return {
      headers: request?.headers ?? {},
      body: JSON.parse(request?.body.toString() ?? 'null') as Record<string, unknown> | null,
    };
  };

  beforeEach(async () => {
    api = await fakeApi();
    folder = await mkdtemp(path.join(tmpdir(), 'portico-cli-'));
  });
  afterEach(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  describe('create', () => {
    it('uploads the files as they are and hands their entries on unchanged', async () => {
      const big = new Uint8Array(300_000).fill(7);
      const files = [await file('a.pdf', big), await file('b.eml'), await file('empty.txt', '')];
      const { code, out, err } = await cli(['runs', 'create', 'Invoice reader', ...files], { env: env() });
      expect({ code, out }).to.deep.equal({ code: 0, out: `${runId}\n` });
      expect(err).to.include('uploaded a.pdf (293 KiB)').and.include('uploaded empty.txt (0 B)');
      const sent = [...api.uploads.values()].sort((a, b) => (a.url < b.url ? -1 : 1));
      expect(sent.map(({ headers }) => headers['content-type'])).to.deep.equal([
        'application/pdf',
        'message/rfc822',
        'text/plain',
      ]);
      expect(sent.map(({ headers }) => headers['content-length'])).to.deep.equal(['300000', '16', '0']);
      expect(sent[0]?.body.equals(big)).to.equal(true);
      expect(sent.every(({ headers }) => headers['x-api-key'] === undefined)).to.equal(true);
      const { body, headers } = created();
      const { files: entries, ...rest } = body ?? {};
      expect(rest).to.deep.equal({ process_together: false });
      expect((entries as { file_key: string }[]).map(({ file_key }) => file_key)).to.deep.equal(
        [0, 1, 2].map((n) => `uploads/w/${agentId}/${n}`),
      );
      expect(headers['idempotency-key']).to.match(/^[0-9a-f-]{36}$/);
    });

    it('takes an agent by id, a message, one unit for all files and an idempotency key', async () => {
      const argv = [
        'runs',
        'create',
        agentId,
        await file('a.csv'),
        '--together',
        '--message',
        'Book it',
        '--idempotency-key',
        'k-1',
        '--json',
      ];
      const { code, out } = await cli(argv, { env: env() });
      expect(code).to.equal(0);
      expect(JSON.parse(out)).to.deep.equal(summary());
      expect(created().body).to.include({ process_together: true, user_message: 'Book it' });
      expect(created().headers['idempotency-key']).to.equal('k-1');
    });

    it('starts from a message alone', async () => {
      expect(await cli(['runs', 'create', 'invoice READER', '--message', 'Hello'], { env: env() })).to.include({
        code: 0,
      });
      expect(created().body).to.deep.equal({ files: [], process_together: false, user_message: 'Hello' });
    });

    it('tells the type of a file without an extension by its first bytes', async () => {
      const files = [
        await file('scan', '%PDF-1.7 …'),
        await file('mail', 'From: ada@example.com\r\n\r\nHi'),
        await file('blob', new Uint8Array([0, 255, 1])),
      ];
      await cli(['runs', 'create', 'Invoice reader', ...files], { env: env() });
      const types = [...api.uploads.entries()].sort().map(([, { headers }]) => headers['content-type']);
      expect(types).to.deep.equal(['application/pdf', 'message/rfc822', 'application/octet-stream']);
    });

    it('names every file that cannot be sent and sends nothing', async () => {
      const argv = ['runs', 'create', 'Invoice reader', await file('a.pdf'), path.join(folder, 'nope.pdf'), folder];
      const { code, err } = await cli(argv, { env: env() });
      expect(code).to.equal(1);
      expect(err).to.include('nope.pdf: there is no such file').and.include(`${folder}: it is a folder`);
      expect(api.requests).to.have.length(0);
    });

    it('names the agents there are where there is no such agent', async () => {
      const { code, err } = await cli(['runs', 'create', 'Nobody', '--message', 'x'], { env: env() });
      expect({ code, err }).to.deep.equal({
        code: 1,
        err: 'portico: there is no agent "Nobody": you can see Invoice reader\n',
      });
    });

    it('starts no run when an upload is refused, and keeps the signed URL to itself', async () => {
      api.next(`PUT /blobs/uploads/w/${agentId}/0`, { status: 413 });
      const { code, err } = await cli(['runs', 'create', 'Invoice reader', await file('a.pdf')], { env: env() });
      expect(code).to.equal(1);
      expect(err)
        .to.include('a.pdf could not be uploaded: it is larger than the server takes (413)')
        .and.not.include('SECRET');
      expect(created().body).to.equal(null);
    });

    it('uploads again where the store was busy', async () => {
      api.next(`PUT /blobs/uploads/w/${agentId}/0`, { status: 503, headers: { 'retry-after': '0' } }, { hangUp: true });
      expect(await cli(['runs', 'create', 'Invoice reader', await file('a.pdf', 'abc')], { env: env() })).to.include({
        code: 0,
      });
      expect([...api.uploads.values()].map(({ body }) => body.toString())).to.deep.equal(['abc']);
    });

    it('needs files or a message', async () => {
      for (const argv of [[], ['--message', '  '], Array.from({ length: 101 }, () => 'a.pdf')]) {
        expect(await cli(['runs', 'create', 'Invoice reader', ...argv], { env: env() })).to.include({ code: 2 });
      }
      expect(
        await cli(['runs', 'create', 'Invoice reader', 'a', '--idempotency-key', 'a b'], { env: env() }),
      ).to.include({ code: 2 });
    });
  });

  describe('watch', () => {
    const failed = 'It has no text layer.';
    const documents = [0, 1].map((index) => ({
      id: documentId(index),
      name: `${'ab'[index]}.pdf`,
      status: 'ready',
      conversation_id: runId,
      agent_version: 1,
      model: 'offline',
      created_at: '2026-11-20T09:30:00.000Z',
      updated_at: '2026-11-20T09:30:01.000Z',
      error: null,
    }));
    const course = [
      detail({ items: [item(0, 'queued'), item(1, 'queued'), item(2, 'queued')] }),
      detail({ status: 'running', items: [item(0, 'completed'), item(1, 'running'), item(2, 'queued')] }),
      detail({
        status: 'failed',
        error: `1 of 3 failed. c.pdf: ${failed}`,
        documents,
        items: [
          item(0, 'completed', { document_ids: [documentId(0)] }),
          item(1, 'completed'),
          item(2, 'failed', { error: failed }),
        ],
      }),
    ];

    beforeEach(() => {
      api.course = course;
      for (const index of [0, 1]) api.documents.set(documentId(index), documentOf(index));
    });

    it('shows each unit as it moves, what failed, and the documents; a failed run is exit code 1', async () => {
      const { code, out, err } = await cli(['runs', 'create', 'Invoice reader', await file('a.pdf'), '--watch'], {
        env: env(),
      });
      expect(code).to.equal(1);
      expect(err).to.match(/✓ completed a\.pdf\n▸ running {3}b\.pdf\n✓ completed b\.pdf\n✗ failed {4}c\.pdf\n/);
      expect(err).to.include(`The run has failed.\n  c.pdf: ${failed}\n`);
      expect(out).to.include(
        `a.pdf  ready  ${documentId(0)}\n  invoice_number: A-0  ← "Invoice no. A-0" (a.pdf, page 2, exact)\n  total: 12.5\n`,
      );
      expect(out).to.include('invoice_number: A-1');
    });

    it('reads the run twice, and follows its events in between', async () => {
      await cli(['runs', 'watch', runId], { env: env() });
      const asked = api.requests.filter(({ url }) => url.startsWith('/api/v1/runs/'));
      const address = `/api/v1/runs/${runId}`;
      expect(asked.map(({ url, headers }) => [url, headers.accept])).to.deep.equal([
        [address, 'application/json'],
        [`${address}/events`, 'text/event-stream'],
        [address, 'application/json'],
      ]);
    });

    it('goes on after a busy server, a lost connection and a stream that ends early, and shows each change once', async () => {
      const events = eventsOf(course);
      const handler = api.routes.get(`GET /api/v1/runs/${runId}/events`);
      const resumed: unknown[] = [];
      let refused = 0;
      api.routes.set(`GET /api/v1/runs/${runId}/events`, async (request, match) => {
        if (resumed.length === 1 && refused++ < 10)
          return { status: 503, headers: { 'retry-after': '0' }, body: { detail: 'Stopping.' } };
        const attempt = resumed.push(request.headers['last-event-id']);
        if (attempt === 1) return { hangUp: true };
        if (attempt === 2) return { stream: events.slice(0, 2), hangUp: true };
        if (attempt === 3) return { stream: events.slice(2, 3) };
        await handler?.(request, match);
        return { stream: events.slice(3) };
      });
      const { code, err } = await cli(['runs', 'watch', runId], { env: env() });
      expect(code).to.equal(1);
      expect(resumed).to.deep.equal([undefined, undefined, 'cursor-1', 'cursor-2']);
      expect(lines(err).slice(0, 4)).to.deep.equal([
        '✓ completed a.pdf',
        '▸ running   b.pdf',
        '✓ completed b.pdf',
        '✗ failed    c.pdf',
      ]);
    });

    it('says that it is refused a stream, and asks for the run instead', async () => {
      const [first, second, end] = course;
      const states = [first, first, second, end];
      const waits: unknown[] = [];
      api.routes.set(`GET /api/v1/runs/${runId}`, ({ url }) => {
        waits.push(new URL(url, 'http://localhost').searchParams.get('wait'));
        return { body: { data: states.shift() } };
      });
      const full = {
        detail: 'The credential has 10 streams open already: close one first.',
        status: 429,
        code: 'rate_limited',
        request_id: 'r',
      };
      api.routes.set(`GET /api/v1/runs/${runId}/events`, () => ({
        status: 429,
        headers: { 'retry-after': '5' },
        body: full,
      }));
      const { code, err } = await cli(['runs', 'watch', runId], { env: env() });
      expect(code).to.equal(1);
      expect(lines(err).slice(0, 5)).to.deep.equal([
        'the server refuses one more stream of events for this key: the run is read again and again instead, without its steps',
        '✓ completed a.pdf',
        '▸ running   b.pdf',
        '✓ completed b.pdf',
        '✗ failed    c.pdf',
      ]);
      expect(waits).to.deep.equal([null, '25', '25', '25']);
      expect(api.requests.filter(({ url }) => url.endsWith('/events'))).to.have.length(1);
    });

    it('takes nothing back that the run had already reached', async () => {
      const [, state, end] = course;
      if (state === undefined || end === undefined) return expect.fail();
      api.course = [state, end];
      api.routes.set(`GET /api/v1/runs/${runId}/events`, () => {
        api.course = [end];
        return { stream: eventsOf(course) };
      });
      const { err } = await cli(['runs', 'watch', runId], { env: env() });
      expect(lines(err).slice(0, 4)).to.deep.equal([
        '✓ completed a.pdf',
        '▸ running   b.pdf',
        '✓ completed b.pdf',
        '✗ failed    c.pdf',
      ]);
    });

    it('shows on a terminal what a unit did last', async () => {
      const [first, , end] = course;
      if (first === undefined || end === undefined) return expect.fail();
      const step = (type: string, name: string, duration_ms: number) => ({
        type,
        data: { unit: 0, name, duration_ms },
      });
      const steps = [step('unit.file_read', 'a.pdf', 40), step('unit.model_called', 'anthropic/claude', 2345)];
      const ended = { type: 'run.failed', data: {} };
      api.course = [first];
      api.routes.set(`GET /api/v1/runs/${runId}/events`, () => {
        api.course = [end];
        return { stream: [...steps, ended].map((event, sequence) => ({ ...event, sequence })) };
      });
      const { err } = await cli(['runs', 'watch', runId], { env: { ...env(), NO_COLOR: '1' }, tty: true });
      expect(err)
        .to.include('▸ running   a.pdf  read a.pdf, 0.0 s\n')
        .and.include('▸ running   a.pdf  called anthropic/claude, 2.3 s\n');
    });

    it('prints the run and its documents as one JSON value, and progress beside it', async () => {
      const { code, out, err } = await cli(['runs', 'watch', runId, '--json'], { env: env() });
      expect(code).to.equal(1);
      expect(JSON.parse(out)).to.deep.equal({ run: course[2], documents: [documentOf(0), documentOf(1)] });
      expect(err).to.include('✗ failed');
    });

    it('leaves out a document that was moved to trash meanwhile', async () => {
      api.documents.delete(documentId(1));
      const { out } = await cli(['runs', 'watch', runId, '--json'], { env: env() });
      expect((JSON.parse(out) as { documents: unknown[] }).documents).to.deep.equal([documentOf(0)]);
    });

    it('draws the units in place on a terminal', async () => {
      const { err } = await cli(['runs', 'watch', runId], { env: { ...env(), NO_COLOR: '1' }, tty: true });
      expect(err).to.include('\x1b[3A\r\x1b[0J✓ completed a.pdf\n▸ running   b.pdf\n· queued    c.pdf\n');
    });

    it('ends with 130 at Ctrl-C and says that the run goes on', async () => {
      const interrupt = new AbortController();
      api.routes.set(`GET /api/v1/runs/${runId}`, () => {
        interrupt.abort();
        return new Promise(() => {});
      });
      const { code, err } = await cli(['runs', 'watch', runId], { env: env(), interrupt: interrupt.signal });
      expect({ code, err }).to.deep.equal({ code: 130, err: `The run goes on: portico runs watch ${runId}\n` });
    });

    it('tells of a run that is not there', async () => {
      api.routes.delete(`GET /api/v1/runs/${runId}`);
      const { code, err } = await cli(['runs', 'watch', runId], { env: env() });
      expect({ code, err }).to.deep.equal({
        code: 1,
        err: 'portico: There is no such run. (404 not_found)\n  request id: req-404\n',
      });
    });
  });

  describe('list', () => {
    it('shows a table, and how to go on', async () => {
      const runs = [summary({ status: 'failed', error: 'It is damaged.' }), summary({ status: 'completed' })];
      api.routes.set('GET /api/v1/runs', () => ({ body: { data: { runs, total: 57, offset: 20, limit: 2 } } }));
      const argv = [
        'runs',
        'list',
        '--agent',
        'Invoice reader',
        '--status',
        'failed',
        '--limit',
        '2',
        '--offset',
        '20',
      ];
      const { code, out, err } = await cli(argv, { env: env() });
      expect(code).to.equal(0);
      expect(out)
        .to.match(/^ID +STATUS +CREATED \(UTC\) +AGENT +ERROR\n/)
        .and.match(/failed {5}2026-11-20 09:30:00 {2}Invoice reader {2}It is damaged\.\n/);
      expect(err).to.equal('21 to 22 of 57; the next ones: --offset 22\n');
      expect(api.requests.at(-1)?.url).to.equal(`/api/v1/runs?agent_id=${agentId}&limit=2&offset=20&status=failed`);
    });

    it('says so where there are none', async () => {
      api.routes.set('GET /api/v1/runs', () => ({ body: { data: { runs: [], total: 0, offset: 0, limit: 20 } } }));
      expect(await cli(['runs', 'list'], { env: env() })).to.deep.equal({
        code: 0,
        out: 'There are no runs.\n',
        err: '',
      });
    });

    it('checks its flags', async () => {
      for (const flags of [
        ['--limit', '0'],
        ['--limit', '101'],
        ['--offset', '-1'],
        ['--offset', 'x'],
        ['--status', 'done'],
      ]) {
        expect(await cli(['runs', 'list', ...flags], { env: env() }), flags.join(' ')).to.include({ code: 2 });
      }
      expect(api.requests).to.have.length(0);
    });
  });

  it('shows what files were divided into, and which pages nobody reads', async () => {
    const part = {
      index: 0,
      name: 'invoice',
      file_name: 'mail.eml › a.pdf',
      pages: [1, 3],
      evidence: [],
      confidence: 0.9,
    };
    const parts = [
      { ...part, document_id: documentId(0), status: 'ready' },
      { ...part, index: 1, name: 'other', file_name: 'b.txt', pages: [], document_id: null, status: 'ignored' },
    ];
    const unassigned = [{ file_name: 'mail.eml › a.pdf', pages: [2, 4, 5, 6] }];
    const items = [item(0, 'completed'), item(1, 'failed', { part: { file_name: 'mail.eml › a.pdf', pages: [1, 3] } })];
    api.routes.set(`GET /api/v1/runs/${runId}`, () => ({ body: { data: detail({ parts, unassigned, items }) } }));
    const { out } = await cli(['runs', 'show', runId], { env: env() });
    expect(out).to.include(`invoice  ready  mail.eml › a.pdf, pages 1, 3  ${documentId(0)}`);
    expect(out).to.include('other  ignored  b.txt');
    expect(out).to.include('in no part: mail.eml › a.pdf, pages 2, 4–6');
    expect(out).to.match(/failed +mail\.eml › a\.pdf, pages 1, 3$/m);
  });

  it('shows one run', async () => {
    api.course = [detail({ status: 'failed', error: 'Why', items: [item(0, 'failed', { error: 'Why' })] })];
    const { code, out } = await cli(['runs', 'show', runId], { env: env() });
    expect(code).to.equal(0);
    expect(out).to.include('Invoice reader  failed').and.include('failed     a.pdf: Why');
    expect(JSON.parse((await cli(['runs', 'show', runId, '--json'], { env: env() })).out)).to.deep.equal(api.course[0]);
  });

  it('cancels a run', async () => {
    api.next(`POST /api/v1/runs/${runId}/cancel`, { body: { data: summary({ status: 'cancelled' }) } });
    expect(await cli(['runs', 'cancel', runId], { env: env() })).to.deep.equal({
      code: 0,
      out: 'The run is cancelled.\n',
      err: '',
    });
    const conflict = {
      detail: 'The run is completed: it cannot be cancelled any more.',
      status: 409,
      code: 'run_completed',
    };
    api.next(`POST /api/v1/runs/${runId}/cancel`, { status: 409, body: conflict });
    const { code, err } = await cli(['runs', 'cancel', runId], { env: env() });
    expect(code).to.equal(1);
    expect(err).to.include('cannot be cancelled any more. (409 run_completed)');
  });

  it('dismisses a failed run', async () => {
    const dismissed = summary({ status: 'failed' });
    const answer = { body: { data: dismissed } };
    const conflict = { detail: 'The run is running: it did not fail.', status: 409, code: 'conflict' };
    api.next(`POST /api/v1/runs/${runId}/dismiss`, answer, answer, { status: 409, body: conflict });
    const out = 'The run is dismissed: it waits for nobody any more.\n';
    expect(await cli(['runs', 'dismiss', runId], { env: env() })).to.deep.equal({ code: 0, out, err: '' });
    const asJson = await cli(['runs', 'dismiss', runId, '--json'], { env: env() });
    expect(JSON.parse(asJson.out)).to.deep.equal(dismissed);
    const { code, err } = await cli(['runs', 'dismiss', runId], { env: env() });
    expect(code).to.equal(1);
    expect(err).to.include('it did not fail. (409 conflict)');
  });

  it('takes nothing for an id that could lead elsewhere', async () => {
    for (const id of ['..', '../agents', 'x', `${runId}/cancel`])
      expect(await cli(['runs', 'show', id], { env: env() }), id).to.include({ code: 2 });
    expect(api.requests).to.have.length(0);
  });
});
