import { expect } from 'chai';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { anId } from '../support/builders.ts';
import { documentMaker } from './documents-made.ts';

const file = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: viewer }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: number } } }
    system_of_record: { connection: ledger, entity: public.bills, columns: { total: /total }, document_id_column: document_id }
    review: always
`;

interface Result {
  readonly id: string;
  readonly document: {
    readonly status: string;
    readonly review: { readonly status: string; readonly note: string | null };
  } | null;
  readonly error: { readonly status: number; readonly code: string; readonly revision?: number } | null;
}

describe('a batch of documents', () => {
  let world: World;
  let key: string;
  const make = documentMaker(
    () => world,
    () => key,
  );

  before(async () => {
    world = await openWorld({ workspace: file, env: { RATE_LIMIT_RUNS: '1000000' } });
    key = await world.key();
    await world.query('create table public.bills (document_id text unique, total numeric check (total < 1000))');
  });
  after(() => world.stop());

  const send = (body: object, as = key) =>
    callApi<{
      data: { results: readonly Result[] };
      code?: string;
      required_scope?: string;
      errors?: readonly { path: string }[];
    }>(world.baseUrl, as, '/documents/batch', { body });
  const batch = async (action: string, items: readonly object[], note: string | null = null) => {
    const { status, text, body } = await send({ action, items, note });
    expect(status, text).to.equal(200);
    return body.data.results;
  };
  const outcomes = (results: readonly Result[]) =>
    results.map(({ document, error }) =>
      error ? `${error.status} ${error.code}` : `${document?.status} ${document?.review.status}`,
    );
  const many = async (...totals: readonly number[]) => {
    const made: string[] = [];
    for (const total of totals) made.push(await make('Reader', { data: { total } }));
    return made;
  };
  const query = async (text: string, ...values: readonly unknown[]) =>
    (await world.composition.database.pool.query(text, [...values])).rows;
  const first = (id: string) => ({ id, revision: 1 });

  it('approves, processes and deletes each document on its own, in the order of the items', async () => {
    const [one = '', refused = '', two = ''] = await many(1, 5000, 2);
    const approved = await batch('approve', [one, refused, two].map(first), 'Seen.');
    expect(approved.map(({ id }) => id)).to.deep.equal([one, refused, two]);
    expect(outcomes(approved)).to.deep.equal(Array(3).fill('ready approved'));
    expect(approved[0]?.document?.review.note).to.equal('Seen.');
    expect(approved[0]?.document, 'what may be long').to.not.have.any.keys('document_data', 'evidence');
    expect(outcomes(await batch('process', [one, refused, two].map(first)))).to.deep.equal([
      'processed approved',
      'error approved',
      'processed approved',
    ]);
    const rows = await query('select document_id from public.bills where document_id = any($1)', [one, refused, two]);
    expect(rows).to.have.length(2);
    const again = await batch('process', [first(one), first(anId()), first(two)]);
    expect(outcomes(again)).to.deep.equal(['409 document_processed', '404 not_found', '409 document_processed']);
    expect(outcomes(await batch('trash', [first(refused)]))).to.deep.equal(['trashed approved']);
    expect(outcomes(await batch('trash', [first(refused)])), 'twice is once').to.deep.equal(['trashed approved']);
  });

  it('touches no revision but the one that the client read, by any action', async () => {
    const [id = '', other = ''] = await many(1, 2);
    for (const action of ['approve', 'reject', 'process', 'trash']) {
      const [result] = await batch(action, [{ id, revision: 2 }]);
      expect(result?.error, action).to.include({ status: 412, code: 'revision_changed', revision: 1 });
    }
    const mixed = await batch('reject', [{ id, revision: 7 }, first(other)], 'Not ours.');
    expect(outcomes(mixed)).to.deep.equal(['412 revision_changed', 'ready rejected']);
    expect(outcomes(await batch('process', [first(id), first(other)]))).to.deep.equal([
      '409 review_required',
      '409 review_rejected',
    ]);
    const [stored] = await query('select status, review_status from documents where id = $1', id);
    expect(stored).to.include({ status: 'ready', review_status: 'pending' });
  });

  it('asks for the scope of its action, before anything is done', async () => {
    const [id = ''] = await many(1);
    const [reviews, writes] = [
      await world.key({ scopes: ['documents:review'] }),
      await world.key({ scopes: ['runs:write', 'runs:read'] }),
    ];
    for (const [as, action, scope] of [
      [writes, 'approve', 'documents:review'],
      [writes, 'reject', 'documents:review'],
      [reviews, 'process', 'runs:write'],
      [reviews, 'trash', 'runs:write'],
    ] as const) {
      const { status, body } = await send({ action, items: [first(id)] }, as);
      expect([status, body.code, body.required_scope], action).to.deep.equal([403, 'missing_scope', scope]);
    }
    const viewer = await world.key({ email: 'bob@example.com' });
    expect((await send({ action: 'approve', items: [first(id)] }, viewer)).body.code).to.equal('viewer');
    expect((await send({ action: 'approve', items: [first(id)] }, reviews)).status).to.equal(200);
    expect((await send({ action: 'trash', items: [first(id)] }, writes)).status).to.equal(200);
  });

  it('refuses a document that is there twice, more than a hundred, and none', async () => {
    const id = anId();
    const { status, body } = await send({ action: 'trash', items: [first(anId()), first(id), first(id)] });
    expect([status, body.errors?.map(({ path }) => path)]).to.deep.equal([400, ['body.items[2].id']]);
    for (const items of [[], Array.from({ length: 101 }, () => first(anId())), [{ id }]])
      expect((await send({ action: 'trash', items })).status).to.equal(400);
    expect((await send({ action: 'reopen', items: [first(id)] })).status).to.equal(400);
  });
});
