import { expect } from 'chai';
import { operations } from '../../src/adapters/http/operations.ts';
import { Sealer } from '../../src/composition/modules/system.ts';
import { Maintenance } from '../../src/composition/modules/worker.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { documentMaker } from './documents-made.ts';

const workspace = `
workspace: acme
users: [{ email: ada@example.com, name: Ada, role: admin }]
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
  - { name: away, type: postgresql, url: "postgres://nobody:none@127.0.0.1:1/none" }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: number } } }
    review: always
    system_of_record: { connection: ledger, entity: public.bills, columns: { total: /total }, document_id_column: document_id }
  - name: Away
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: number } } }
    system_of_record: { connection: away, entity: public.bills, columns: { total: /total }, document_id_column: document_id }
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help. }
`;

interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly etag: string | null;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects
  readonly body: any;
}

describe('an Idempotency-Key', () => {
  let world: World;
  let key: string;
  before(async () => {
    world = await openWorld({ workspace, env: { RATE_LIMIT_RUNS: '1000000' } });
    key = await world.key();
    await world.query('create table public.bills (document_id uuid, total numeric)');
  });
  after(() => world.stop());

  const make = documentMaker(
    () => world,
    () => key,
  );
  const rows = async (sql: string) => (await world.composition.database.pool.query(sql)).rows;
  const post = async (
    path: string,
    once: string | null,
    { body, headers = {}, as = key }: { body?: unknown; headers?: Record<string, string>; as?: string } = {},
  ): Promise<Answer> => {
    const answer = await fetch(`${world.baseUrl}/api/v1${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': as,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(once !== null && { 'idempotency-key': once }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type') === 'application/json';
    return {
      status: answer.status,
      replayed: answer.headers.get('idempotency-replayed') === 'true',
      etag: answer.headers.get('etag'),
      text,
      body: isJson ? JSON.parse(text) : null,
    };
  };
  const newRun = async (once: string | null = null) =>
    (await post(`/agents/${world.agentId('Clerk')}/run`, once, { body: { user_message: 'Hello' } })).body.data
      .id as string;
  const countKeys = async () => (await rows('select count(*)::int from api_keys'))[0].count as number;

  it('is taken by every operation that the contract names', () => {
    expect(operations.filter(({ idempotent }) => idempotent !== null).map(({ id }) => id)).to.have.members([
      'createRun',
      'cancelRun',
      'createUploadUrls',
      'processDocument',
      'reviewDocument',
      'decideApproval',
      'rehearseDocument',
      'restoreDocument',
      'rereadDocument',
      'dismissRun',
      'batchDocuments',
      'createKey',
      'rotateKey',
      'continueThread',
      'createSnapshot',
      'insertRecord',
      'updateRecord',
      'rehearseRecord',
    ]);
  });

  it('answers the same request again with the first answer, byte for byte, and does nothing more', async () => {
    const id = await make('Reader', { data: { total: 12 } });
    const tag =
      (await fetch(`${world.baseUrl}/api/v1/documents/${id}`, { headers: { 'x-api-key': key } })).headers.get('etag') ??
      '';
    const approve = { body: { decision: 'approve' }, headers: { 'if-match': tag } };
    const review = await post(`/documents/${id}/review`, 'k', approve);
    expect([review.status, review.replayed]).to.deep.equal([200, false]);
    const processed = await post(`/documents/${id}`, 'k');
    expect([processed.status, processed.replayed, processed.body.data.status]).to.deep.equal([200, false, 'processed']);
    expect(await post(`/documents/${id}/review`, 'k', approve)).to.deep.equal({ ...review, replayed: true });
    for (const same of ['k', '"k"'])
      expect(await post(`/documents/${id}`, same)).to.deep.equal({ ...processed, replayed: true });
    expect((await post(`/documents/${id}`, 'other')).body.code).to.equal('document_processed');
    expect(await rows('select total::text from bills')).to.deep.equal([{ total: '12' }]);
  });

  it('starts one run, whether or not it stands in quotes', async () => {
    const id = await newRun('"a-run"');
    expect(await newRun('a-run')).to.equal(id);
    await post(`/runs/${id}/cancel`, null);
  });

  it('is of its operation, its credential and its request', async () => {
    const [one, other] = [await newRun('shared'), await newRun()];
    expect((await post(`/runs/${one}/cancel`, 'shared')).status).to.equal(200);
    const reused = await post(`/runs/${other}/cancel`, 'shared');
    expect([reused.status, reused.body.code]).to.deep.equal([400, 'idempotency_key_reused']);
    expect((await post(`/runs/${other}/cancel`, 'shared', { as: await world.key() })).replayed).to.equal(false);
    const upload = (fileName: string) => ({ body: { files: [{ file_name: fileName, content_type: 'text/plain' }] } });
    const path = `/agents/${world.agentId('Reader')}/upload-urls`;
    const first = await post(path, 'shared', upload('a.txt'));
    expect(await post(path, 'shared', upload('a.txt'))).to.deep.equal({ ...first, replayed: true });
    expect((await post(path, 'shared', upload('b.txt'))).body.code).to.equal('idempotency_key_reused');
    expect((await post(path, null, upload('a.txt'))).text).to.not.equal(first.text);
  });

  it('has to be 1 to 255 visible ASCII characters, with or without quotes around them', async () => {
    const id = await newRun();
    for (const bad of ['a b', '""', `"${'a'.repeat(256)}"`, 'a'.repeat(256), '"a b"', 'a, b']) {
      const { status, body } = await post(`/runs/${id}/cancel`, bad);
      expect([status, body.errors?.[0].path], bad).to.deep.equal([400, 'headers.idempotency-key']);
    }
    for (const good of [`"${'a'.repeat(255)}"`, '"', 'a"b', '"a\\"b"'])
      expect((await post(`/runs/${id}/cancel`, good)).status, good).to.equal(200);
    expect((await post(`/runs/${id}/cancel`, 'a"b')).replayed).to.equal(true);
  });

  it('shows a new key once, and keeps no secret', async () => {
    const before = await countKeys();
    const made = await post('/keys', 'k', { body: { name: 'Laptop' } });
    expect(made.status).to.equal(201);
    const again = await post('/keys', 'k', { body: { name: 'Laptop' } });
    expect(again).to.deep.include({ status: 201, replayed: true });
    expect(again.body.data).to.deep.equal({ ...made.body.data, key: null });
    expect(await countKeys()).to.equal(before + 1);
    const rotated = await post(`/keys/${made.body.data.id}/rotate`, 'k');
    expect((await post(`/keys/${made.body.data.id}/rotate`, 'k')).body.data).to.deep.equal({
      ...rotated.body.data,
      key: null,
    });
    expect(await countKeys()).to.equal(before + 2);
    const sealer = world.composition.container.get(Sealer);
    for (const { answer } of await rows('select answer from idempotent_requests where answer is not null')) {
      expect(answer).to.not.match(/upload_url|document_data|Laptop/);
      for (const secret of [made.body.data.key, rotated.body.data.key])
        expect(sealer.open(answer)).to.not.include(secret);
    }
  });

  it('repeats a refusal, but not one that passes', async () => {
    const id = await newRun();
    await world.query(`update runs set status = 'completed', completed_at = now() where id = $1`, [id]);
    const refused = await post(`/runs/${id}/cancel`, 'k');
    expect([refused.status, refused.body.code, refused.replayed]).to.deep.equal([409, 'run_completed', false]);
    await world.query(`update runs set status = 'queued', completed_at = null where id = $1`, [id]);
    const again = await post(`/runs/${id}/cancel`, 'k');
    expect([again.status, again.body.code, again.body.detail, again.replayed]).to.deep.equal([
      409,
      'run_completed',
      refused.body.detail,
      true,
    ]);
    expect((await post(`/runs/${id}/cancel`, 'another')).status).to.equal(200);

    const document = await make('Away', { data: { total: 1 } });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { status, body, replayed } = await post(`/documents/${document}`, 'k2');
      expect([status, body.code, replayed]).to.deep.equal([500, 'upstream_unavailable', false]);
    }
    expect(await rows(`select 1 from idempotent_requests where key = 'k2'`)).to.deep.equal([]);
  });

  it('lets one of many at the same time work, and gives its answer to all', async () => {
    const before = await countKeys();
    const all = await Promise.all(
      Array.from({ length: 12 }, () => post('/keys', 'at-once', { body: { name: 'One' } })),
    );
    expect(new Set(all.map(({ body }) => body.data.id)).size).to.equal(1);
    expect(all.filter(({ replayed }) => !replayed)).to.have.length(1);
    expect(await countKeys()).to.equal(before + 1);
  });

  describe('of a message', () => {
    const messages = async (thread: string) =>
      (await rows(`select count(*)::int from messages where conversation_id = '${thread}'`))[0].count;
    const aThread = async () => {
      const id = await make('Reader', { data: { total: 3 } });
      return (await rows(`select conversation_id from documents where id = '${id}'`))[0].conversation_id as string;
    };
    const events = { accept: 'text/event-stream' };

    it('sends it once, as an answer or as a stream', async () => {
      const thread = await aThread();
      const path = `/threads/${thread}/messages`;
      const said = { body: { message: 'Hello' } };
      const stream = await post(path, 'k', { ...said, headers: events });
      const count = await messages(thread);
      const again = await post(path, 'k', said);
      expect([again.status, again.replayed]).to.deep.equal([200, true]);
      expect(again.body.data).to.deep.include({ conversation_id: thread, error: null });
      const streamed = await post(path, '"k"', { ...said, headers: events });
      expect(streamed.replayed).to.equal(true);
      const framesOf = (text: string) => text.split('\n\n').filter((frame) => /event: (message|done)\n/.test(frame));
      expect(framesOf(streamed.text).map((frame) => frame.replace(': open\n', ''))).to.deep.equal(
        framesOf(stream.text).map((frame) => frame.replace(': open\n', '')),
      );
      expect(await messages(thread)).to.equal(count);
      expect((await post(path, 'k', { body: { message: 'Bye' } })).body.code).to.equal('idempotency_key_reused');
    });

    it('is not sent again where the server died while it was: nobody knows what became of it', async () => {
      const thread = await aThread();
      const path = `/threads/${thread}/messages`;
      const said = { body: { message: 'Hello' } };
      await post(path, 'k1', said);
      await world.query(`update idempotent_requests set answer = null, lease_expires_at = now() where key = 'k1'`);
      const count = await messages(thread);
      const again = await post(path, 'k1', said);
      expect([again.status, again.body.code]).to.deep.equal([500, 'outcome_unknown']);
      expect(await messages(thread)).to.equal(count);
    });

    it('is a new attempt after a refusal with Retry-After', async () => {
      const thread = await aThread();
      const path = `/threads/${thread}/messages`;
      const busy = `update conversations set status = 'responding', lease_expires_at = now() + interval '1 minute' where id = $1`;
      await world.query(busy, [thread]);
      expect((await post(path, 'k3', { body: { message: 'Hello' } })).body.code).to.equal('conversation_busy');
      await world.query(`update conversations set status = 'idle' where id = $1`, [thread]);
      expect(await post(path, 'k3', { body: { message: 'Hello' } })).to.deep.include({ status: 200, replayed: false });
    });
  });

  it('of an operation that may be repeated does it again where the server died', async () => {
    const id = await newRun();
    await post(`/runs/${id}/cancel`, 'k4');
    await world.query(`update idempotent_requests set answer = null, lease_expires_at = now() where key = 'k4'`);
    expect(await post(`/runs/${id}/cancel`, 'k4')).to.deep.include({ status: 200, replayed: false });
    expect(await post(`/runs/${id}/cancel`, 'k4')).to.deep.include({ status: 200, replayed: true });
  });

  it('is forgotten after a day, by itself', async () => {
    const [old, id] = [await newRun(), await newRun()];
    await post(`/runs/${old}/cancel`, 'k5');
    await world.query(`update idempotent_requests set created_at = now() - interval '25 hours' where key = 'k5'`);
    expect(await post(`/runs/${id}/cancel`, 'k5')).to.deep.include({ status: 200, replayed: false });
    await world.query(`update idempotent_requests set created_at = now() - interval '25 hours'`);
    const { container } = world.composition;
    const cleanup = container.get(Maintenance);
    cleanup.start();
    while ((await rows('select 1 from idempotent_requests')).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await cleanup.stop();
  });
});
