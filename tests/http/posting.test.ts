import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { postingWorker, type PostingWorker as Worker } from '../../src/application/worker/posting-worker.ts';
import { postingSettings } from '../../src/composition/config.ts';
import { DocumentPosting } from '../../src/composition/modules/documents.ts';
import { DocumentRepository, PostingQueue } from '../../src/composition/modules/postgres.ts';
import { PostingWorker } from '../../src/composition/modules/worker.ts';
import { UNDO_SECONDS } from '../../src/domain/document.ts';
import { randomOf } from '../resilience/traffic.ts';
import { callApi, sendToApi } from '../support/api.ts';
import { commitProxy } from '../support/commit-proxy.ts';
import { aPlace, serveHere } from '../support/here.ts';
import { quiet } from '../support/log.ts';
import { eventually } from '../support/until.ts';
import { wayTo } from '../support/way.ts';
import { documentMaker } from './documents-made.ts';

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly revision: number;
  readonly document_data: { readonly total: number };
  readonly processed_at: string | null;
  readonly review: { readonly status: string; readonly decided_at: string };
  readonly posting: {
    readonly automatic: boolean;
    readonly by: string | null;
    readonly next_attempt_at: string | null;
    readonly failed_attempts: number;
    readonly failing_since: string | null;
    readonly last_error: string | null;
  };
}

const agent = (name: string, rest: string, connection = 'ledger') => `
  - name: ${name}
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: number } } }
    system_of_record: { connection: ${connection}, entity: public.bills, columns: { total: /total }, document_id_column: document_id }
    ${rest}`;

const file = (changing = agent('Changing', 'process: automatic')) => `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
  - { name: fickle, type: postgresql, url: "\${FICKLE_URL}" }
agents:${agent('Touchless', 'process: automatic')}${agent('Manual', 'process: manual')}${agent('Reviewed', 'process: automatic\n    review: always')}
${agent('Fickle', 'process: automatic', 'fickle')}${changing}
`;

const COMMIT = Buffer.from('commit\0');

describe('documents that the workers post', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let server: Awaited<ReturnType<typeof serveHere>>;
  let way: Awaited<ReturnType<typeof wayTo>>;
  let fickle: Awaited<ReturnType<typeof commitProxy>>;
  let idOf: Awaited<ReturnType<typeof server.apply>>;
  let key: string;
  let variables: Record<string, string>;
  let worker: Worker;

  before(async () => {
    place = await aPlace();
    const direct = place.settings.DATABASE_URL;
    way = await wayTo(direct);
    const { hostname, port } = new URL(direct);
    fickle = await commitProxy({ host: hostname, port: Number(port), commit: COMMIT }, 'done, and cut', { dark: true });
    const byProxy = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(fickle.port) }).href;
    variables = { LEDGER_URL: way.url, FICKLE_URL: byProxy };
    server = await serveHere({ ...place.settings, RATE_LIMIT_RUNS: '1000000' });
    idOf = await server.apply(file(), variables);
    key = await server.key('ada@example.com');
    // It would take a document twice: that it never gets one twice is the server's doing.
    await sql('create table public.bills (document_id uuid, total numeric check (total > 0))');
    worker = server.container.get(PostingWorker);
    worker.start();
  });
  after(async () => {
    await worker.stop(1000);
    await server.stop();
    way.close();
    fickle.close();
    await place.remove();
  });

  const sql = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await server.composition.database.pool.query<Row>(text, [...values])).rows;
  const call = <Data>(
    path: string,
    request: { method?: string; body?: object; headers?: Record<string, string> } = {},
  ) => callApi<{ data: Data; code?: string }>(server.url, key, path, request);
  const shown = async (id: string) => (await call<Shown>(`/documents/${id}`)).body.data;
  const bills = (id: string) => sql<{ total: string }>('select total::text from bills where document_id = $1', [id]);
  const statusIs = (id: string, status: string) => eventually(async () => (await shown(id)).status === status);
  const newDocument = documentMaker(
    () => ({ baseUrl: server.url, composition: server.composition, agentId: (name) => idOf('agents', name) }),
    () => key,
  );
  const total = (value: number) => ({ data: { total: value } });
  const tagOf = async (id: string) => (await sendToApi(server.url, key, `/documents/${id}`)).headers.get('etag') ?? '';
  const review = async (id: string, decision: string) =>
    call(`/documents/${id}/review`, { body: { decision }, headers: { 'if-match': await tagOf(id) } });

  /** As another process has it. */
  const anotherWorker = () => {
    const { container } = server;
    return postingWorker({
      queue: container.get(PostingQueue),
      posting: container.get(DocumentPosting),
      documents: container.get(DocumentRepository),
      log: quiet,
      settings: postingSettings,
    });
  };

  it('come into the system of record once they are ready, and say so in lists and in the log', async () => {
    const id = await newDocument('Touchless', total(12.5));
    await statusIs(id, 'processed');
    expect(await bills(id)).to.deep.equal([{ total: '12.5' }]);
    const { posting } = await shown(id);
    expect(posting).to.deep.equal({
      automatic: true,
      by: 'policy',
      next_attempt_at: null,
      failed_attempts: 0,
      failing_since: null,
      last_error: null,
    });
    const { documents } = (await call<{ documents: Shown[] }>(`/documents?agent_id=${idOf('agents', 'Touchless')}`))
      .body.data;
    expect(documents.find((each) => each.id === id)?.posting).to.deep.equal(posting);
    const { events } = (
      await call<{ events: { document_id: string; data: Shown }[] }>('/events?types=document.processed&limit=100')
    ).body.data;
    expect(events.find((event) => event.document_id === id)?.data.posting).to.deep.equal(posting);
  });

  it('are those of agents that say so: others wait until they are posted', async () => {
    const [manual, automatic] = [await newDocument('Manual'), await newDocument('Touchless')];
    await statusIs(automatic, 'processed');
    expect(await shown(manual)).to.include({ status: 'ready' });
    expect((await call<Shown>(`/documents/${manual}`, { method: 'POST' })).body.data.posting).to.include({
      automatic: false,
      by: 'client',
    });
  });

  it('wait for their approval, and ten seconds more in which it may be taken back', async () => {
    const [approved, reopened, trashed, restored] = [
      await newDocument('Reviewed'),
      await newDocument('Reviewed'),
      await newDocument('Reviewed'),
      await newDocument('Reviewed'),
    ] as const;
    expect(await shown(approved)).to.deep.include({ status: 'ready' });
    expect((await shown(approved)).posting.next_attempt_at).to.equal(null);
    for (const id of [reopened, trashed, restored, approved])
      expect((await review(id, 'approve')).status).to.equal(200);
    const { review: decision, posting } = await shown(approved);
    const after = Date.parse(posting.next_attempt_at ?? '') - Date.parse(decision.decided_at);
    expect(after).to.equal(UNDO_SECONDS * 1000);
    expect((await review(reopened, 'reopen')).status).to.equal(200);
    for (const id of [trashed, restored]) await call(`/documents/${id}`, { method: 'DELETE' });
    await statusIs(approved, 'processed');
    const held = Date.parse((await shown(approved)).processed_at ?? '') - Date.parse(decision.decided_at);
    expect(held).to.be.at.least(UNDO_SECONDS * 1000);
    expect(await bills(approved)).to.have.length(1);
    expect((await shown(reopened)).review.status).to.equal('pending');
    for (const id of [reopened, trashed, restored]) expect(await bills(id)).to.deep.equal([]);
    await call(`/documents/${restored}/restore`, { method: 'POST' });
    await statusIs(restored, 'processed');
    expect(await bills(trashed)).to.deep.equal([]);
  });

  it('wait for a person where the system refuses them', async () => {
    const id = await newDocument('Touchless', total(-1));
    await statusIs(id, 'error');
    const { error, posting } = await shown(id);
    expect(error).to.match(/bills_total_check/);
    expect(posting).to.include({ by: 'policy', next_attempt_at: null, last_error: null });
  });

  it('are posted by themselves once what the system refused is corrected, and approved where it has to be', async () => {
    const [free, reviewed] = [await newDocument('Touchless', total(-1)), await newDocument('Reviewed', total(-1))];
    await review(reviewed, 'approve');
    const correct = async (id: string) => {
      await statusIs(id, 'error');
      const patch = [{ op: 'replace', path: '/total', value: 7 }];
      const headers = { 'if-match': await tagOf(id) };
      return (await call<Shown>(`/documents/${id}`, { method: 'PATCH', body: { patch }, headers })).body.data;
    };
    expect(await correct(free)).to.include({ status: 'ready', error: null, revision: 2 });
    expect(await correct(reviewed)).to.deep.nested.include({ status: 'ready', 'posting.next_attempt_at': null });
    await review(reviewed, 'approve');
    for (const id of [free, reviewed]) {
      await statusIs(id, 'processed');
      expect(await bills(id)).to.deep.equal([{ total: '7' }]);
    }
    type Told = { events: { type: string; document_id: string | null }[] };
    const { events } = (await call<Told>('/events?types=document.*&limit=1000')).body.data;
    expect(events.flatMap(({ type, document_id: of }) => (of === free ? type : []))).to.deep.equal([
      'document.ready',
      'document.error',
      'document.changed',
      'document.processed',
    ]);
  });

  it('are none of a run that is a trial, and these go to the trash by themselves', async () => {
    const id = await newDocument('Touchless', total(3), undefined, true);
    const { status, posting } = await shown(id);
    expect(status).to.equal('ready');
    expect(posting).to.include({ automatic: false, next_attempt_at: null });
    const documents = server.container.get(DocumentRepository);
    expect(await documents.trashTried(), 'it is looked at').to.equal(0);
    await sql(
      "update runs set created_at = created_at - interval '1 hour' where id = (select run_id from documents where id = $1)",
      [id],
    );
    expect(await documents.trashTried()).to.equal(1);
    expect((await call(`/documents/${id}`)).status).to.equal(404);
    expect(await bills(id)).to.deep.equal([]);
    const { events } = (
      await call<{ events: { type: string; document_id: string }[] }>('/events?types=document.*&limit=1000')
    ).body.data;
    expect(events.flatMap(({ type, document_id: of }) => (of === id ? type : []))).to.deep.equal([
      'document.ready',
      'document.trashed',
    ]);
  });

  it('are posted again and again while the system is out of reach, and once when it is back', async () => {
    way.cut();
    const ids = [await newDocument('Touchless', total(1)), await newDocument('Touchless', total(2))];
    const failed = async () => (await Promise.all(ids.map(shown))).filter(({ posting }) => posting.failed_attempts > 0);
    await eventually(async () => (await failed()).length > 0);
    const [first] = await failed();
    expect(first).to.include({ status: 'ready', error: null });
    const { posting } = first as Shown;
    expect(posting).to.include({ by: 'policy' });
    expect(posting.last_error).to.match(/ledger/);
    expect(Date.parse(posting.next_attempt_at ?? '') - Date.parse(posting.failing_since ?? '')).to.be.within(
      3900,
      6100,
    );
    way.goOn();
    for (const id of ids) await statusIs(id, 'processed');
    for (const [index, id] of ids.entries()) expect(await bills(id)).to.deep.equal([{ total: String(index + 1) }]);
    expect((await shown((first as Shown).id)).posting).to.include({ next_attempt_at: null, last_error: null });
  });

  it('are left to a person when the day is over', async () => {
    way.cut();
    const id = await newDocument('Touchless');
    await eventually(async () => (await shown(id)).posting.failed_attempts > 0);
    await sql(`update documents set post_failing_since = now() - interval '25 hours', post_at = now() where id = $1`, [
      id,
    ]);
    await eventually(async () => (await shown(id)).posting.next_attempt_at === null);
    const { status, posting } = await shown(id);
    expect(status).to.equal('ready');
    expect(posting.last_error).to.match(/ledger/);
    way.goOn();
    expect((await call<Shown>(`/documents/${id}`, { method: 'POST' })).body.data).to.include({ status: 'processed' });
    expect(await bills(id)).to.have.length(1);
  });

  it('are left to a person where it is not known whether the row was written, who then finds it', async () => {
    const id = await newDocument('Fickle');
    await eventually(async () => (await shown(id)).posting.last_error !== null);
    const { status, posting } = await shown(id);
    expect(status).to.equal('ready');
    expect(posting.next_attempt_at).to.equal(null);
    await server.apply(file(), { ...variables, FICKLE_URL: place.settings.DATABASE_URL });
    expect((await call<Shown>(`/documents/${id}`, { method: 'POST' })).body.data.posting).to.include({
      by: 'client',
      last_error: null,
    });
    expect(await bills(id)).to.have.length(1);
  });

  it('are taken over from a worker that died, before its row was written or after it', async () => {
    way.cut();
    const [before, behind] = [await newDocument('Touchless', total(1)), await newDocument('Touchless', total(2))];
    const lost = `update documents set status = 'processing', posted_by = 'policy', attempted_revision = revision, fence = fence + 1,
      post_at = now() + interval '1 second', lease_expires_at = now() where id = any ($1)`;
    await eventually(async () => {
      await sql(`${lost} and status = 'ready'`, [[before, behind]]);
      return (await shown(before)).status === 'processing' && (await shown(behind)).status === 'processing';
    });
    await sql('insert into bills values ($1, 2)', [behind]);
    way.goOn();
    await server.container.get(DocumentRepository).recoverDeliveries();
    for (const id of [before, behind]) await statusIs(id, 'processed');
    for (const id of [before, behind]) expect(await bills(id)).to.have.length(1);
  });

  it('are not said to be undone where the system of record answered and that could not be stored, and are posted once', async () => {
    await sql(`create function stuck() returns trigger language plpgsql as $$ begin
      if new.status in ('processed', 'error') then raise exception 'canceling statement' using errcode = '57014'; end if; return new; end $$`);
    await sql('create trigger stuck before update on documents for each row execute function stuck()');
    const [written, refused] = [await newDocument('Manual', total(4)), await newDocument('Manual', total(-4))];
    const said = await Promise.all(
      [written, refused].map(async (id) => {
        const { status, body } = await call<Shown>(`/documents/${id}`, { method: 'POST' });
        return [status, body];
      }),
    );
    const automatic = await newDocument('Touchless', total(5));
    await eventually(async () => (await bills(automatic)).length > 0);
    await sleep(500);
    await sql('drop trigger stuck on documents; drop function stuck');
    for (const [index, words] of [/is in its system of record/, /has refused the document/].entries()) {
      const [status, body] = said[index] ?? [];
      expect(status).to.equal(500);
      expect(body).to.include({ code: 'outcome_unknown' }).and.to.have.property('detail').that.matches(words);
    }
    await sql(
      `update documents set lease_expires_at = now(), post_at = case when id = $1 then now() end where status = 'processing'`,
      [automatic],
    );
    await server.container.get(DocumentRepository).recoverDeliveries();
    await statusIs(automatic, 'processed');
    for (const id of [written, refused]) await call(`/documents/${id}`, { method: 'POST' });
    for (const [id, status] of [
      [written, 'processed'],
      [refused, 'error'],
    ] as const)
      expect(await shown(id)).to.include({ status });
    for (const id of [written, automatic]) expect(await bills(id)).to.have.length(1);
  });

  it('are handed back by a worker that stops, for the next one', async () => {
    const client = await server.composition.database.pool.connect();
    await client.query('begin; lock table public.bills in access exclusive mode');
    const id = await newDocument('Touchless', total(3));
    await statusIs(id, 'processing');
    await worker.stop(0);
    const [stopped] = await sql<{ status: string; attempted: number | null; isDue: boolean; failures: number }>(
      'select status, attempted_revision as attempted, post_at <= now() as "isDue", post_failures as failures from documents where id = $1',
      [id],
    );
    expect(stopped).to.deep.equal({ status: 'ready', attempted: null, isDue: true, failures: 0 });
    await client.query('rollback');
    client.release();
    worker = anotherWorker();
    worker.start();
    await statusIs(id, 'processed');
    expect(await bills(id)).to.deep.equal([{ total: '3' }]);
  });

  it('are those of their own version, and go where the live one posts to', async () => {
    idOf = await server.apply(file(agent('Changing', 'process: manual')), variables);
    const [own, later] = [await newDocument('Changing', {}, 1), await newDocument('Changing', {}, 2)];
    await statusIs(own, 'processed');
    expect(await shown(later)).to.include({ status: 'ready' });
    expect((await shown(later)).posting.automatic).to.equal(false);
    const aimless = agent('Changing', '').replace(/ {4}system_of_record.*\n/, '');
    idOf = await server.apply(file(aimless), variables);
    const stuck = await newDocument('Changing', {}, 1);
    await eventually(async () => (await shown(stuck)).posting.last_error !== null);
    expect((await shown(stuck)).posting).to.include({
      next_attempt_at: null,
      last_error: 'The agent of this document has no system of record.',
    });
    expect(await shown(stuck)).to.include({ status: 'ready' });
  });

  it('may be corrected, posted or trashed at the same moment: what is there is the revision that is shown, once', async () => {
    const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));
    console.log(`    seed: TEST_SEED=${seed}`);
    const random = randomOf(seed);
    const [{ id: workspaceId }] = (await sql<{ id: string }>('select id from workspaces')) as [{ id: string }];
    const posting = server.container.get(DocumentPosting);
    const terms = { retry: { firstSeconds: 1, chance: 0.5 }, signal: new AbortController().signal };
    way.cut();
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await newDocument('Touchless', total(7)));
    way.goOn();
    const beside = [
      (id: string) => call(`/documents/${id}`, { method: 'POST' }),
      (id: string) => call(`/documents/${id}`, { method: 'DELETE' }),
      async (id: string) =>
        call(`/documents/${id}`, {
          method: 'PATCH',
          body: { patch: [{ op: 'replace', path: '/total', value: 8 }] },
          headers: { 'if-match': await tagOf(id) },
        }),
    ];
    await Promise.all(
      ids.map(async (id, index) => {
        const policy = sleep(random() * 20).then(() => posting.processByPolicy(workspaceId, id, terms).catch(() => {}));
        const person = sleep(random() * 20).then(() => beside[index % beside.length]?.(id));
        await Promise.all([policy, person]);
      }),
    );
    await eventually(async () =>
      (await Promise.all(ids.map((id) => call<Shown>(`/documents/${id}`)))).every(
        ({ status, body }) => status === 404 || body.data.status === 'processed',
      ),
    );
    for (const id of ids) {
      const { status, body } = await call<Shown>(`/documents/${id}`);
      const rows = await bills(id);
      if (status === 404) expect(rows.length).to.be.at.most(1);
      else expect(rows).to.deep.equal([{ total: String(body.data.document_data.total) }]);
    }
  });
});
