import { expect } from 'chai';
import { DocumentRepository, RunQueue } from '../../src/composition/modules/postgres.ts';
import { trash } from '../../src/domain/document.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { anId, finished } from '../support/builders.ts';

const agent = (name: string, more = '') => `
  - { name: ${name}, workflow_type: document_extraction, model: offline, instructions: Read., document_schema: { type: object }${more} }`;

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
  - { email: vic@example.com, name: Vic, role: viewer }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:${agent('Poster', ', system_of_record: { connection: ledger, entity: public.bills, columns: { total: /total }, document_id_column: document_id }')}${agent('Reader')}${agent('Hidden', ', visible_to: [ada@example.com]')}
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help. }
`;

const MOST = 100;

interface Item {
  readonly id: string;
  readonly name: string;
}

describe('what waits for a person', () => {
  let world: World;
  let [key, bobs, vics] = ['', '', ''];
  before(async () => {
    world = await openWorld({ workspace, env: { RATE_LIMIT_RUNS: '1000000' } });
    [key, bobs, vics] = (await Promise.all(
      ['ada', 'bob', 'vic'].map((name) => world.key({ email: `${name}@example.com` })),
    )) as [string, string, string];
  });
  after(() => world.stop());
  beforeEach(() => world.query('truncate documents, runs cascade'));

  const call = (path: string, as = key, method?: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects
    callApi<any>(world.baseUrl, as, path, method ? { method } : {});
  const queue = () => world.composition.container.get(RunQueue);
  const counts = async (as = key) => (await call('/work', as)).body.data;
  const failedRuns = async (as = key) => (await call('/work/failed-runs', as)).body.data.runs.map(({ id }: Item) => id);
  const none = { needs_review: 0, failed_documents: 0, failed_runs: 0, ready_to_post: 0, approvals: 0 };

  const leased = async (agentName: string) => {
    const path = `/agents/${world.agentId(agentName)}/run`;
    const { body } = await callApi<{ data: Item }>(world.baseUrl, key, path, { body: { user_message: 'Read' } });
    const [work] = await queue().lease('test', 1, 60);
    if (work?.run.id !== body.data.id) throw new Error('another run waits');
    return work.lease;
  };
  const aDocument = async (agentName: string, review: 'not_required' | 'pending' | 'approved' = 'not_required') => {
    const [lease, documentId] = [await leased(agentName), anId()];
    await queue().beginUnit(lease, { index: 0, conversationId: anId(), documentId, documentName: 'a.txt' });
    await queue().finishUnit(lease, 0, { status: 'completed', document: finished({ reviewStatus: review }) });
    await queue().finish(lease, { event: 'complete' });
    return documentId;
  };
  const failed = { status: 'failed', code: 'model_error', error: 'It did not answer.' } as const;
  const aFailure = async (agentName: string, hasDocument: boolean) => {
    const [lease, documentId] = [await leased(agentName), anId()];
    const documentName = hasDocument ? 'bad.pdf' : null;
    await queue().beginUnit(lease, { index: 0, conversationId: anId(), documentId, documentName });
    await queue().finishUnit(lease, 0, failed);
    await queue().finish(lease, {
      event: 'fail',
      reason: { code: failed.code, message: failed.error },
      error: failed.error,
    });
    return { runId: lease.runId, documentId };
  };
  const copies = (id: string, count: number) =>
    world.query(
      `insert into documents (id, name, workspace_id, run_id, agent_id, conversation_id, status, review_status)
       select gen_random_uuid(), 'copy', workspace_id, run_id, agent_id, conversation_id, status, review_status from documents, generate_series(1, ${count}) where id = $1`,
      [id],
    );
  const ready = async (query = '', as = key) =>
    (await call(`/documents?ready_to_post=true${query}`, as)).body.data.documents.map(({ id }: Item) => id);

  it('is counted by kind, of the agents that the user sees, each thing once', async () => {
    expect(await counts()).to.deep.equal(none);
    await aDocument('Poster', 'pending');
    await aDocument('Hidden', 'pending');
    await aDocument('Poster', 'approved');
    await aDocument('Poster');
    await aDocument('Reader', 'approved');
    const bad = await aFailure('Reader', true);
    const message = await aFailure('Clerk', false);
    const all = { needs_review: 2, failed_documents: 1, failed_runs: 1, ready_to_post: 2, approvals: 0 };
    expect(await counts()).to.deep.equal(all);
    expect(await counts(bobs), 'one agent less').to.deep.equal({ ...all, needs_review: 1 });
    expect(await failedRuns(), 'the run of a bad file is not there beside it').to.deep.equal([message.runId]);
    await world.composition.container.get(DocumentRepository).update(bad.documentId, trash);
    expect([await counts(), await failedRuns()]).to.deep.equal([{ ...all, failed_documents: 0 }, [message.runId]]);
    expect((await call('/work', await world.key({ scopes: ['agents:read'] }))).status).to.equal(403);
  });

  it('is counted up to a hundred of a kind', async () => {
    const [posted, reviewed] = [await aDocument('Poster'), await aDocument('Reader', 'pending')];
    await copies(posted, MOST);
    await copies(reviewed, MOST - 2);
    expect(await counts()).to.include({ ready_to_post: MOST, needs_review: MOST - 1 });
  });

  it('has what is ready to post, newest first and by pages, until it is posted or its agent posts no more', async () => {
    const [approved, free] = [await aDocument('Poster', 'approved'), await aDocument('Poster')];
    await aDocument('Poster', 'pending');
    await aDocument('Reader', 'approved');
    const hidden = await aDocument('Hidden');
    expect(await ready()).to.deep.equal([free, approved]);
    expect(await ready(`&agent_id=${world.agentId('Poster')}&q=a`)).to.deep.equal([free, approved]);
    expect(await ready(`&agent_id=${world.agentId('Reader')}`)).to.deep.equal([]);
    const first = (await call('/documents?ready_to_post=true&limit=1')).body.data;
    expect(first.documents.map(({ id }: Item) => id)).to.deep.equal([free]);
    expect(await ready(`&limit=1&after=${first.next}`)).to.deep.equal([approved]);
    expect((await call('/documents?ready_to_post=false')).body.data.documents).to.have.length(5);
    await world.query('create table if not exists public.bills (document_id uuid, total numeric)');
    expect((await call(`/documents/${free}`, key, 'POST')).body.data.status).to.equal('processed');
    expect(await ready()).to.deep.equal([approved]);
    expect(await counts()).to.include({ ready_to_post: 1 });
    await world.query(`update documents set agent_id = $2 where id = $1`, [hidden, world.agentId('Poster')]);
    expect(await ready('', bobs)).to.deep.equal([hidden, approved]);
    const { agents } = (await call('/agents')).body.data;
    expect(Object.fromEntries(agents.map(({ name, posts }: Item & { posts: boolean }) => [name, posts]))).to.deep.equal(
      {
        Clerk: false,
        Hidden: false,
        Poster: true,
        Reader: false,
      },
    );
  });

  it('loses a failed run that is dismissed, for everybody, and no other run', async () => {
    const { runId } = await aFailure('Clerk', false);
    const dismiss = (id: string, as = key) => call(`/runs/${id}/dismiss`, as, 'POST');
    expect(await failedRuns(bobs)).to.deep.equal([runId]);
    expect((await dismiss(runId, vics)).body.code).to.equal('viewer');
    expect((await dismiss(anId())).status).to.equal(404);
    for (let times = 0; times < 2; times++) {
      const { status, body } = await dismiss(runId);
      expect([status, body.data.id, body.data.status]).to.deep.equal([200, runId, 'failed']);
    }
    expect([await failedRuns(), await failedRuns(bobs), await counts()]).to.deep.equal([[], [], none]);
    await aDocument('Reader');
    const completed = (await call('/runs?status=completed')).body.data.runs[0].id;
    expect([(await dismiss(completed)).status, (await dismiss(completed)).body.code]).to.deep.equal([409, 'conflict']);
  });
});
