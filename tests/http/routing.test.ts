import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { sendToApi } from '../support/api.ts';
import { bundleOf, simplePaper } from '../support/bundles.ts';
import { aPlace, serveHere } from '../support/here.ts';

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

export interface ShownPart {
  readonly index: number;
  readonly name: string;
  readonly file_name: string;
  readonly pages: readonly number[];
  readonly evidence: readonly { page: number; quote: string; boxes: readonly unknown[] }[];
  readonly confidence: number | null;
  readonly document_id: string | null;
  readonly status: string;
}

export interface ShownRun {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly items: readonly { index: number; status: string; document_ids: readonly string[] }[];
  readonly documents: readonly { id: string; agent_version: number; model: string }[];
  readonly parts: readonly ShownPart[];
  readonly unassigned: readonly { file_name: string; pages: readonly number[] }[];
}

describe('runs that divide files', function () {
  this.timeout(120_000);
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

  const ended = async (id: string) => {
    for (;;) {
      const found = await shown(id);
      const isOver = !['queued', 'running'].includes(found.run.status);
      if (isOver && found.run.parts.every(({ status }) => status !== 'reading')) return found;
      await sleep(50);
    }
  };

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
    expect(run.items.map(({ index, status }) => [index, status])).to.deep.equal([
      [0, 'completed'],
      [1, 'completed'],
      [2, 'completed'],
      [3, 'completed'],
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
});
