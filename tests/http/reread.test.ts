import { expect } from 'chai';
import { type RunWorker, runWorker } from '../../src/application/worker/run-worker.ts';
import { DocumentRepository, RunChanges, RunQueue } from '../../src/composition/modules/postgres.ts';
import { Ids } from '../../src/composition/modules/system.ts';
import { RunWork } from '../../src/composition/modules/worker.ts';
import { beginDelivery } from '../../src/domain/document.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { anId } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { eventually } from '../support/until.ts';

const schema = '{ type: object, properties: { number: { type: string }, total: { type: number } } }';
const agent = (name: string, more = '') => `
  - name: ${name}
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: ${schema}
    duplicate_key: [/number]
    required_values: []
    review: when_flagged${more}`;

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
  - { email: vic@example.com, name: Vic, role: viewer }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:${agent(
  'Reader',
  `
    system_of_record: { connection: ledger, entity: public.bills, columns: { number: /number }, document_id_column: document_id }`,
)}${agent('Other')}${agent('Hidden', '\n    visible_to: [ada@example.com]')}
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help. }
`;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects
  readonly body: any;
}

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly as?: string;
  readonly once?: string;
}

describe('reading the files of a document again', () => {
  let world: World;
  let key: string;
  let worker: RunWorker;
  before(async () => {
    world = await openWorld({ workspace, env: { RATE_LIMIT_RUNS: '1000000' } });
    key = await world.key();
    await world.query('create table public.bills (document_id uuid primary key, number text)');
    work();
  });
  after(async () => {
    await worker.stop(1000);
    await world.stop();
  });

  const work = () => {
    const { container } = world.composition;
    const [queue, changes] = [container.get(RunQueue), container.get(RunChanges)];
    const use = { queue, changes, runWork: container.get(RunWork), ids: container.get(Ids), log: quiet };
    worker = runWorker({ ...use, settings: { concurrency: 4, leaseSeconds: 15 } });
    worker.start();
  };

  const call = async (path: string, { body, method, as = key, once }: Sent = {}): Promise<Answer> => {
    const answer = await fetch(`${world.baseUrl}/api/v1${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        'x-api-key': as,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(once !== undefined && { 'idempotency-key': once }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
  };
  const codeOf = ({ status, body }: Answer) => [status, body.code];

  const upload = async (name: string, content: string | Uint8Array<ArrayBuffer>, type = 'text/plain') => {
    const path = `/agents/${world.agentId('Reader')}/upload-urls`;
    const { body } = await call(path, { body: { files: [{ file_name: name, content_type: type }] } });
    const { upload_url: url, headers, file_key, file_name, content_type } = body.data.files[0];
    expect((await fetch(url, { method: 'PUT', headers, body: content })).ok).to.equal(true);
    return { file_key, file_name, content_type };
  };
  const ended = async (runId: string) => {
    let run = (await call(`/runs/${runId}?wait=25`)).body.data;
    while (['queued', 'running'].includes(run.status)) run = (await call(`/runs/${runId}?wait=25`)).body.data;
    return run;
  };
  /** A run of these files as one unit; its document. */
  const read = async (...files: readonly object[]) => {
    const body = { files, process_together: true, user_message: 'Book it.' };
    const run = await ended((await call(`/agents/${world.agentId('Reader')}/run`, { body })).body.data.id);
    return run.documents[0].id as string;
  };
  const reread = (id: string, options: Sent & { readonly agent?: string } = {}) =>
    call(`/documents/${id}/reread`, {
      body: options.agent === undefined ? {} : { agent_id: world.agentId(options.agent) },
      ...options,
    });
  const shown = async (id: string) => (await call(`/documents/${id}`)).body.data;
  const trashed = async () =>
    (await call('/documents?status=trashed&limit=100')).body.data.documents.map(({ id }: { id: string }) => id);
  const eventsOf = async (runId: string) =>
    (await call(`/events?run_id=${runId}&limit=100`)).body.data.events.map(({ type }: { type: string }) => type);
  /** Nothing works on the queue meanwhile. */
  const queued = async (id: string, agentName?: string) => {
    await worker.stop(1000);
    const { body } = await reread(id, { ...(agentName && { agent: agentName }) });
    return body.data.id as string;
  };
  let bills = 0;
  const aBill = () => `Number: A-${++bills}\nTotal: 12`;

  it('makes a run of the same files and message, whose document takes the place of the one before', async () => {
    const files = [await upload('a.txt', aBill()), await upload('b.txt', 'Remarks: none')];
    const id = await read(...files);
    const before = await shown(id);
    const answer = await reread(id);
    expect(answer.status, answer.text).to.equal(200);
    const { id: runId } = answer.body.data;
    expect(answer.headers.get('location')).to.equal(`${world.baseUrl}/api/v1/runs/${runId}`);
    const run = await ended(runId);
    expect(run).to.deep.include({ status: 'completed', files, process_together: true, user_message: 'Book it.' });
    expect(run.documents).to.have.length(1);
    const after = await shown(run.documents[0].id);
    expect(after.document_data).to.deep.equal(before.document_data);
    expect(after).to.deep.include({ status: 'ready', agent_id: before.agent_id, duplicates: [] });
    expect(after.review, 'no duplicate of the one before').to.deep.include({ status: 'not_required', reasons: [] });
    expect((await call(`/documents/${id}`)).status).to.equal(404);
    expect(await trashed()).to.include(id);
    expect((await eventsOf(before.run_id)).filter((type: string) => type.startsWith('document.'))).to.deep.equal([
      'document.ready',
      'document.trashed',
    ]);
    expect((await call(`/documents/${id}/restore`, { method: 'POST' })).body.data).to.include({ status: 'ready' });
    const copies = [
      { document_id: after.id, reason: 'key' },
      { document_id: after.id, reason: 'file' },
    ];
    expect((await shown(id)).duplicates, 'both are there again').to.have.deep.members(copies);
  });

  it('goes by another agent than the file was uploaded to, and again after that', async () => {
    const id = await read(await upload('a.txt', aBill()));
    const [first] = (await ended((await reread(id, { agent: 'Other' })).body.data.id)).documents;
    expect(await shown(first.id)).to.include({ agent_id: world.agentId('Other'), status: 'ready' });
    const [second] = (await ended((await reread(first.id)).body.data.id)).documents;
    expect(await shown(second.id)).to.include({ agent_id: world.agentId('Other'), status: 'ready' });
    expect(await trashed()).to.include.members([id, first.id]);
  });

  it('leaves the document as it is where the run fails or is cancelled, and shows no second one', async () => {
    const id = await read(await upload('broken.pdf', new TextEncoder().encode('%PDF-1.7 no'), 'application/pdf'));
    const before = await shown(id);
    expect(before.status).to.equal('error');
    const run = await ended((await reread(id)).body.data.id);
    expect([run.status, run.documents]).to.deep.equal(['failed', []]);
    expect(run.error).to.equal(before.error);
    expect(await shown(id)).to.deep.equal(before);
    expect((await eventsOf(run.id)).filter((type: string) => type.startsWith('document.'))).to.deep.equal([
      'document.trashed',
    ]);
    const cancelled = await queued(id);
    expect((await call(`/runs/${cancelled}/cancel`, { method: 'POST' })).status).to.equal(200);
    work();
    expect(await shown(id)).to.deep.equal(before);
  });

  it('keeps both where the one before is posted meanwhile: each is a duplicate of the other', async () => {
    const id = await read(await upload('a.txt', aBill()));
    const run = await queued(id);
    expect((await call(`/documents/${id}`, { method: 'POST' })).body.data.status).to.equal('processed');
    work();
    const [copy] = (await ended(run)).documents;
    const { review } = await shown(copy.id);
    expect([review.status, review.reasons.map(({ code }: { code: string }) => code)]).to.deep.equal([
      'pending',
      ['duplicate', 'duplicate'],
    ]);
    expect(await shown(id)).to.include({ status: 'processed' });
  });

  it('is refused where the document is not there, is under way or posted, or has no file that is kept', async () => {
    const id = await read(await upload('a.txt', aBill()));
    const [bob, vic] = [await world.key({ email: 'bob@example.com' }), await world.key({ email: 'vic@example.com' })];
    expect(codeOf(await reread(anId()))).to.deep.equal([404, 'not_found']);
    expect(codeOf(await reread(id, { as: vic }))).to.deep.equal([403, 'viewer']);
    const reads = await world.key({ scopes: ['runs:read'] });
    expect(codeOf(await reread(id, { as: reads }))).to.deep.equal([403, 'missing_scope']);
    for (const [agentId, as] of [
      [anId(), key],
      [world.agentId('Clerk'), key],
      [world.agentId('Hidden'), bob],
    ] as const) {
      const refused = await call(`/documents/${id}/reread`, { as, body: { agent_id: agentId } });
      expect([...codeOf(refused), refused.body.errors[0].path]).to.deep.equal([
        400,
        'invalid_request',
        'body.agent_id',
      ]);
    }
    const { documents } = await ended(
      (await call(`/agents/${world.agentId('Reader')}/run`, { body: { user_message: aBill() } })).body.data.id,
    );
    const without = await reread(documents[0].id);
    expect([...codeOf(without), without.body.detail]).to.deep.equal([
      409,
      'conflict',
      'The document was not read from a file: it cannot be read again.',
    ]);
    const repository = world.composition.container.get(DocumentRepository);
    await repository.update(id, (document, now) => beginDelivery(document, now, new Date(now.getTime() + 60_000)));
    expect(codeOf(await reread(id))).to.deep.equal([409, 'document_busy']);
    await world.query(`update documents set status = 'ready', attempted_revision = null where id = $1`, [id]);
    expect((await call(`/documents/${id}`, { method: 'POST' })).body.data.status).to.equal('processed');
    expect(codeOf(await reread(id))).to.deep.equal([409, 'document_processed']);
    await call(`/documents/${id}`, { method: 'DELETE' });
    expect(codeOf(await reread(id))).to.deep.equal([404, 'not_found']);
  });

  it('starts one run under a key, also once the document is in the trash', async () => {
    const id = await read(await upload('a.txt', aBill()));
    const first = await reread(id, { once: 'again' });
    await ended(first.body.data.id);
    await eventually(async () => (await trashed()).includes(id));
    const second = await reread(id, { once: 'again' });
    expect([second.status, second.text, second.headers.get('idempotency-replayed')]).to.deep.equal([
      200,
      first.text,
      'true',
    ]);
    expect(second.headers.get('location')).to.equal(first.headers.get('location'));
    expect(codeOf(await reread(id, { once: 'again', agent: 'Other' }))).to.deep.equal([400, 'idempotency_key_reused']);
  });
});
