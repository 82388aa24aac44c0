import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { runWorker } from '../../src/application/worker/run-worker.ts';
import { RunChanges, RunQueue } from '../../src/composition/modules/postgres.ts';
import { Ids } from '../../src/composition/modules/system.ts';
import { RunWork, RunWorker } from '../../src/composition/modules/worker.ts';
import { email } from '../fixtures/text/files.ts';
import { sendToApi } from '../support/api.ts';
import { anId } from '../support/builders.ts';
import { bundleOf, simplePaper } from '../support/bundles.ts';
import { aPlace, serveHere } from '../support/here.ts';
import { quiet } from '../support/log.ts';
import { type ShownRun, untilRead } from './divided-runs.ts';

const schema =
  '{ type: object, properties: { number: { type: [string, "null"] }, total: { type: [number, "null"] } } }';
const reader = (name: string, more = '') => `
  - name: ${name}
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: ${schema}
    required_values: []
    review: when_flagged${more}`;

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:${reader(
  'Invoice reader',
  `
    system_of_record: { connection: ledger, entity: public.bills, columns: { total: /total }, document_id_column: document_id }`,
)}${reader('Order reader', '\n    visible_to: [ada@example.com]')}
  - name: Post room
    workflow_type: document_routing
    model: offline
    instructions: Divide what comes in.
    parts:
      - { name: invoice, agent: Invoice reader, description: Invoices of suppliers }
      - { name: order, agent: Order reader, description: Orders }
`;

describe('runs that divide files', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let server: Awaited<ReturnType<typeof serveHere>>;
  let idOf: Awaited<ReturnType<typeof server.apply>>;
  let key: string;

  before(async () => {
    place = await aPlace();
    server = await serveHere({ ...place.settings, RATE_LIMIT_RUNS: '1000000' });
    const url = place.settings.DATABASE_URL;
    idOf = await server.apply(workspace, { LEDGER_URL: url });
    await server.composition.database.pool.query(
      'create table public.bills (document_id uuid primary key, total numeric)',
    );
    key = await server.key('ada@example.com');
    server.container.get(RunWorker).start();
  });
  after(async () => {
    await server.container.get(RunWorker).stop(1000);
    await server.stop();
    await place.remove();
  });

  const call = async <T>(path: string, sent: Parameters<typeof sendToApi>[3] = {}, as = key) => {
    const answer = await sendToApi(server.url, as, path, sent);
    const body = JSON.parse(await answer.text()) as { data: T; code?: string; errors?: { path: string }[] };
    return { status: answer.status, headers: answer.headers, body };
  };

  const start = async (files: readonly { name: string; type: string; data: Uint8Array }[], agent = 'Post room') => {
    const id = idOf('agents', agent);
    const asked = files.map(({ name, type }) => ({ file_name: name, content_type: type }));
    const { body } = await call<{ files: { upload_url: string; headers: Record<string, string> }[] }>(
      `/agents/${id}/upload-urls`,
      { body: { files: asked } },
    );
    for (const [index, { upload_url: url, headers }] of body.data.files.entries())
      await fetch(url, { method: 'PUT', headers, body: files[index]?.data as Uint8Array<ArrayBuffer> });
    const run = await call<ShownRun>(`/agents/${id}/run`, { body: { files: body.data.files } });
    return run.body.data.id;
  };

  const shown = async (id: string, as = key) => {
    const { body, headers } = await call<ShownRun>(`/runs/${id}`, {}, as);
    return { run: body.data, etag: headers.get('etag') ?? '' };
  };

  const ended = (id: string) => untilRead(() => shown(id));

  const pdf = (data: Uint8Array, name = 'bundle.pdf') => ({ name, type: 'application/pdf', data });

  /** Two invoices whose pages are mixed, a blank page, an order. */
  const mixed = async () => {
    const documents = [
      await simplePaper('Invoice', 'RE-71', { pages: 2, total: '10.00' }),
      await simplePaper('Invoice', 'RE-72', { pages: 2, supplier: 'Marlow Cheese Ltd', total: '20.00' }),
      await simplePaper('Order', 'PO-1', { total: '30.00' }),
    ];
    return bundleOf(documents, [
      { of: 0, page: 1 },
      { of: 1, page: 1 },
      { of: 0, page: 2 },
      { of: 1, page: 2 },
      { of: null, page: 1 },
      { of: 2, page: 1 },
    ]);
  };

  const partsOf = ({ parts }: ShownRun) => parts.map(({ name, pages, status }) => [name, pages, status]);
  const data = async (id: string | null) => (await call<{ document_data: unknown }>(`/documents/${id}`)).body.data;

  it('put each page into one part, which its agent reads as a unit of the same run', async () => {
    const { run } = await ended(await start([pdf(await mixed())]));
    expect(run.error).to.equal(null);
    expect(run.status).to.equal('completed');
    expect(partsOf(run)).to.deep.equal([
      ['invoice', [1, 3], 'ready'],
      ['invoice', [2, 4], 'ready'],
      ['order', [6], 'ready'],
    ]);
    expect(run.unassigned).to.deep.equal([{ file_name: 'bundle.pdf', pages: [5] }]);
    expect(run.items.map(({ index, status, part }) => [index, status, part])).to.deep.equal([
      [0, 'completed', null],
      [1, 'completed', { file_name: 'bundle.pdf', pages: [1, 3] }],
      [2, 'completed', { file_name: 'bundle.pdf', pages: [2, 4] }],
      [3, 'completed', { file_name: 'bundle.pdf', pages: [6] }],
    ]);
    const [first] = run.parts;
    expect(first?.evidence[0]).to.deep.include({ page: 1, quote: 'Invoice number: RE-71' });
    expect(first?.evidence[0]?.boxes).to.have.length(1);
    const { data: second } = (await call<Record<string, unknown>>(`/documents/${run.parts[1]?.document_id}`)).body;
    expect(second).to.deep.include({
      run_id: run.id,
      agent_id: idOf('agents', 'Invoice reader'),
      name: 'bundle.pdf, pages 2, 4',
    });
    expect(second.document_data).to.deep.include({ total: 20 });
    expect((second.evidence as Record<string, unknown>)['/total']).to.deep.include({
      page: 4,
      file_name: 'bundle.pdf',
    });
    expect(second.duplicates).to.deep.equal([]);
    expect((second.review as { status: string }).status).to.equal('not_required');
  });

  it('read two documents again and no third when a boundary is moved', async () => {
    const id = await start([pdf(await mixed(), 'moved.pdf')]);
    const { run, etag } = await ended(id);
    const body = {
      parts: [
        { name: 'invoice', file_name: 'moved.pdf', pages: [3, 1, 4] },
        { name: 'invoice', file_name: 'moved.pdf', pages: [2] },
        { name: 'order', file_name: 'moved.pdf', pages: [6] },
      ],
    };
    const third = await call<unknown>(`/documents/${run.parts[2]?.document_id}`);
    const changed = await call<ShownRun>(`/runs/${id}/parts`, { method: 'PATCH', headers: { 'if-match': etag }, body });
    expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
    expect(changed.body.data.status).to.equal('completed');
    expect(changed.body.data.parts[2]).to.deep.equal(run.parts[2]);
    expect(changed.body.data.parts[0]).to.deep.include({
      pages: [1, 3, 4],
      status: 'reading',
      confidence: null,
      evidence: [],
    });
    const { run: after } = await ended(id);
    expect(partsOf(after)).to.deep.equal([
      ['invoice', [1, 3, 4], 'ready'],
      ['invoice', [2], 'ready'],
      ['order', [6], 'ready'],
    ]);
    expect(after.status).to.equal('completed');
    expect((await call<unknown>(`/documents/${run.parts[2]?.document_id}`)).body).to.deep.equal(third.body);
    for (const part of [0, 1]) {
      expect((await call(`/documents/${run.parts[part]?.document_id}`)).status).to.equal(404);
      expect(await data(after.parts[part]?.document_id ?? null)).to.deep.include({ run_id: id, revision: 1 });
    }
    expect(after.documents).to.have.length(3);
    expect((await call(`/runs/${id}/parts`, { method: 'PATCH', headers: { 'if-match': etag }, body })).status).to.equal(
      412,
    );
    expect((await call(`/runs/${id}/parts`, { method: 'PATCH', body })).status).to.equal(428);
  });

  const change = (id: string, etag: string, parts: unknown, as = key) =>
    call<ShownRun>(`/runs/${id}/parts`, { method: 'PATCH', headers: { 'if-match': etag }, body: { parts } }, as);
  const asked = ({ parts }: ShownRun) => parts.map(({ name, file_name, pages }) => ({ name, file_name, pages }));

  it('refuse parts that cannot be, with every fault', async () => {
    const { run, etag } = await ended(await start([pdf(await mixed(), 'a.pdf')]));
    const wrong = [
      { name: 'letter', file_name: 'a.pdf', pages: [1] },
      { name: 'order', file_name: 'b.pdf', pages: [1] },
      { name: 'order', file_name: 'a.pdf', pages: [] },
      { name: 'order', file_name: 'a.pdf', pages: [1, 7] },
    ];
    const refused = await change(run.id, etag, wrong);
    expect(refused.status).to.equal(400);
    expect(refused.body.errors?.map(({ path }) => path)).to.deep.equal([
      'body.parts[0].name',
      'body.parts[1].file_name',
      'body.parts[2].pages',
      'body.parts[3].pages[0]',
      'body.parts[3].pages[1]',
    ]);
    expect((await shown(run.id)).etag).to.equal(etag);
  });

  it('keep a part whose document is processed, and refuse to change it', async () => {
    const { run } = await ended(await start([pdf(await mixed(), 'p.pdf')]));
    const [first, second, third] = run.parts;
    expect((await call(`/documents/${first?.document_id}`, { method: 'POST' })).status).to.equal(200);
    const { etag } = await shown(run.id);
    const refused = await change(run.id, etag, [{ name: 'invoice', file_name: 'p.pdf', pages: [1] }]);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'part_processed']);
    expect((await shown(run.id)).etag).to.equal(etag);
    const moved = [...asked(run).slice(0, 2), { name: 'order', file_name: 'p.pdf', pages: [5, 6] }];
    expect((await change(run.id, etag, moved)).status).to.equal(200);
    const { run: after } = await ended(run.id);
    expect(after.parts[0]?.document_id).to.equal(first?.document_id);
    expect(after.parts[1]?.document_id).to.equal(second?.document_id);
    expect(after.parts[2]?.document_id).not.to.equal(third?.document_id);
    expect(after.unassigned).to.deep.equal([]);
  });

  it('are another matter for runs of other agents, for other workspaces, and for who does not see an agent', async () => {
    const plain = await ended(await start([pdf(await simplePaper('Invoice', 'RE-1'), 'i.pdf')], 'Invoice reader'));
    expect(plain.run.parts).to.deep.equal([]);
    const refused = await change(plain.run.id, plain.etag, []);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'conflict']);

    const { run, etag } = await ended(await start([pdf(await mixed(), 's.pdf')]));
    const bob = await server.key('bob@example.com');
    const seen = (await shown(run.id, bob)).run;
    expect(seen.parts.map(({ document_id: id }) => id !== null)).to.deep.equal([true, true, false]);
    expect(seen.documents).to.have.length(2);
    const shownTo = async (key?: string) => JSON.stringify((await shown(run.id, key)).run);
    const { body } = await call<{ conversation_id: string }>(`/documents/${run.parts[2]?.document_id}`);
    expect(await shownTo()).to.include(body.data.conversation_id);
    expect(await shownTo(bob), 'of the hidden part').not.to.include(body.data.conversation_id);
    expect((await call(`/documents/${run.parts[2]?.document_id}`, {}, bob)).status).to.equal(404);
    await server.apply('workspace: other\nusers: [{ email: eve@example.com, name: Eve, role: admin }]\n');
    const eve = await server.key('eve@example.com');
    expect((await change(run.id, etag, [], eve)).status).to.equal(404);
    const scoped = await server.key('ada@example.com', ['runs:read', 'runs:write']);
    expect((await change(run.id, etag, [], scoped)).status).to.equal(403);
  });

  it('make pages that nobody reads a reason for review', async () => {
    const letter = await simplePaper('Postcard', 'none', { supplier: 'Greetings from the seaside' });
    const documents = [await simplePaper('Invoice', 'RE-5'), letter];
    const bundle = await bundleOf(documents, [
      { of: 0, page: 1 },
      { of: null, page: 1, words: 'Trennblatt' },
      { of: 1, page: 1 },
    ]);
    const { run, etag } = await ended(await start([pdf(bundle, 'u.pdf')]));
    expect(partsOf(run)).to.deep.equal([['invoice', [1], 'ready']]);
    expect(run.unassigned).to.deep.equal([{ file_name: 'u.pdf', pages: [2, 3] }]);
    const review = async (id: string | null | undefined) =>
      (await call<{ review: { status: string; reasons: { code: string; message: string }[] } }>(`/documents/${id}`))
        .body.data.review;
    const found = await review(run.parts[0]?.document_id);
    expect(found.status).to.equal('pending');
    expect(found.reasons.filter(({ code }) => code === 'unassigned_pages')).to.deep.equal([
      { code: 'unassigned_pages', pointer: null, message: 'Nobody reads u.pdf, page 3: it is in no part.' },
    ]);
    const all = [...asked(run), { name: 'order', file_name: 'u.pdf', pages: [3] }];
    expect((await change(run.id, etag, all)).status).to.equal(200);
    const { run: after, etag: later } = await ended(run.id);
    expect((await review(after.parts[0]?.document_id)).reasons.map(({ code }) => code)).not.to.include(
      'unassigned_pages',
    );
    expect(after.parts[0]?.document_id).to.equal(run.parts[0]?.document_id);
    expect((await change(run.id, later, asked(run))).status).to.equal(200);
    expect((await review(after.parts[0]?.document_id)).reasons.map(({ code }) => code)).to.include('unassigned_pages');
  });

  /** An invoice, a page that is of no kind, and what the review of the invoice says. */
  const withStray = async (name: string) => {
    const letter = await simplePaper('Postcard', 'none', { supplier: 'Greetings from the seaside' });
    const documents = [await simplePaper('Invoice', 'RE-5', { total: '5.00' }), letter];
    const bundle = await bundleOf(documents, [
      { of: 0, page: 1 },
      { of: 1, page: 1 },
    ]);
    const found = await ended(await start([pdf(bundle, name)]));
    expect(partsOf(found.run)).to.deep.equal([['invoice', [1], 'ready']]);
    const all = [...asked(found.run), { name: 'order', file_name: name, pages: [2] }];
    return { ...found, documentId: found.run.parts[0]?.document_id ?? '', all };
  };
  const documentOf = async (id: string) => {
    const { body, headers } = await call<{
      review: { status: string; reasons: { code: string }[] };
      document_data: Record<string, unknown>;
    }>(`/documents/${id}`);
    const { status, reasons } = body.data.review;
    const codes = reasons.map(({ code }) => code);
    return { etag: headers.get('etag') ?? '', data: body.data.document_data, review: [status, ...codes] };
  };

  it('wait for no review any more once the pages are in parts that were in none, unless a person is awaited', async () => {
    const { run, etag, documentId, all } = await withStray('s1.pdf');
    expect((await documentOf(documentId)).review).to.deep.equal(['pending', 'unassigned_pages']);
    expect((await change(run.id, etag, all)).status).to.equal(200);
    expect((await documentOf(documentId)).review).to.deep.equal(['not_required']);
    const { etag: later } = await ended(run.id);
    expect((await change(run.id, later, asked(run))).status).to.equal(200);
    expect((await documentOf(documentId)).review).to.deep.equal(['pending', 'unassigned_pages']);
    const types = 'document.review_required';
    const { events } = (await call<{ events: { document_id: string }[] }>(`/events?run_id=${run.id}&types=${types}`))
      .body.data;
    expect(events.map(({ document_id: of }) => of)).to.deep.equal([documentId, documentId]);

    for (const decision of ['reject', 'reopen'])
      await call(`/documents/${documentId}/review`, {
        body: { decision, note: 'Where is the rest?' },
        headers: { 'if-match': (await documentOf(documentId)).etag },
      });
    expect((await change(run.id, (await shown(run.id)).etag, all)).status).to.equal(200);
    expect((await documentOf(documentId)).review).to.deep.equal(['pending']);
  });

  it('are judged by the parts that there are when they are ready, also if these change while they are read', async () => {
    const { run, etag, all } = await withStray('s2.pdf');
    const pool = server.composition.database.pool;
    const lock = await pool.connect();
    try {
      // What the unit stores first waits for this.
      await lock.query('begin');
      await lock.query('select from agents where id = $1 for update', [idOf('agents', 'Order reader')]);
      const renamed = [{ name: 'order', file_name: 's2.pdf', pages: [1] }];
      const changed = await change(run.id, etag, renamed);
      expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
      for (
        const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into conversations%'`;
        ;
      )
        if ((await pool.query(waits)).rows.length > 0) break;
        else await sleep(20);
      const again = await change(run.id, (await shown(run.id)).etag, [...renamed, ...all.slice(1)]);
      expect(again.status, JSON.stringify(again.body)).to.equal(200);
    } finally {
      await lock.query('rollback');
      lock.release();
    }
    const { run: after } = await ended(run.id);
    expect(partsOf(after)).to.deep.equal([
      ['order', [1], 'ready'],
      ['order', [2], 'ready'],
    ]);
    for (const { document_id: id } of after.parts)
      expect((await documentOf(id ?? '')).review).to.not.include('unassigned_pages');
  });

  it('divide a mail into its text and what is attached to it first', async () => {
    const attached = [
      { name: 'one.pdf', type: 'application/pdf', data: await simplePaper('Invoice', 'RE-8', { total: '8.00' }) },
      { name: 'two.pdf', type: 'application/pdf', data: await mixed() },
    ];
    const mail = email('Dear all, please find our papers attached.', attached);
    const { run } = await ended(await start([{ name: 'mail.eml', type: 'message/rfc822', data: mail }]));
    expect(run.parts.map(({ name, file_name, pages, status }) => [name, file_name, pages, status])).to.deep.equal([
      ['invoice', 'mail.eml › one.pdf', [1], 'ready'],
      ['invoice', 'mail.eml › two.pdf', [1, 3], 'ready'],
      ['invoice', 'mail.eml › two.pdf', [2, 4], 'ready'],
      ['order', 'mail.eml › two.pdf', [6], 'ready'],
    ]);
    expect(run.unassigned).to.deep.equal([
      { file_name: 'mail.eml', pages: [] },
      { file_name: 'mail.eml › two.pdf', pages: [5] },
    ]);
    expect(await data(run.parts[0]?.document_id ?? null)).to.deep.include({
      document_data: { number: 'RE-8', total: 8 },
    });
    const { files } = (
      await call<{ files: { file_name: string; pages: unknown[] }[] }>(`/documents/${run.parts[1]?.document_id}/files`)
    ).body.data;
    expect(files.map(({ file_name, pages }) => [file_name, pages.length])).to.deep.equal([['two.pdf', 2]]);
  });

  it('read a file once, however many parts it has', async () => {
    const { run } = await ended(await start([pdf(await mixed(), 'once.pdf')]));
    const { events } = (
      await call<{ events: { type: string }[] }>(`/events?run_id=${run.id}&types=unit.file_read&limit=100`)
    ).body.data;
    expect(events).to.have.length(1);
  });

  it('go on with the parts that are stored when a worker is lost before it has read them', async () => {
    await server.container.get(RunWorker).stop(1000);
    const id = await start([pdf(await mixed(), 'lost.pdf')]);
    const queue = server.container.get(RunQueue);
    const [work] = await queue.lease('lost', 1, 2);
    if (work?.run.id !== id) throw new Error('the run cannot be leased');
    await queue.beginUnit(work.lease, { index: 0, conversationId: anId(), documentId: anId(), documentName: null });
    const reader = { agentId: idOf('agents', 'Invoice reader'), agentVersion: 1 };
    // Other parts than the model would find, so that it shows if it is asked again.
    const parts = [
      [1, 2],
      [3, 4, 6],
    ].map((pages) => ({
      name: 'invoice',
      fileName: 'lost.pdf',
      pages,
      evidence: [],
      confidence: 1,
      fileIndex: 0,
      reader,
    }));
    const file = { fileName: 'lost.pdf', fileIndex: 0, pages: 6, blank: [5] };
    await queue.divide(work.lease, 0, { files: [file], parts });
    await sleep(2500);
    const { container } = server;
    const worker = runWorker({
      queue,
      changes: container.get(RunChanges),
      runWork: container.get(RunWork),
      ids: container.get(Ids),
      log: quiet,
      settings: { concurrency: 4, leaseSeconds: 15 },
    });
    worker.start();
    const { run } = await ended(id);
    await worker.stop(1000);
    expect(partsOf(run)).to.deep.equal([
      ['invoice', [1, 2], 'ready'],
      ['invoice', [3, 4, 6], 'ready'],
    ]);
    expect([run.status, run.items.length]).to.deep.equal(['completed', 3]);
    const { events } = (
      await call<{ events: { type: string }[] }>(`/events?run_id=${id}&types=unit.file_read&limit=100`)
    ).body.data;
    expect(events).to.have.length(1);
  });
});
