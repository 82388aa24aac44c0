import { expect } from 'chai';
import fc from 'fast-check';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { anId } from '../support/builders.ts';

interface Page {
  readonly documents: readonly { readonly id: string; readonly name: string; readonly values: unknown }[];
  readonly next: string | null;
}

const file = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: viewer }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    list_columns: [/supplier/name, /total, /a~1b]
    document_schema:
      type: object
      properties:
        supplier: { type: object, properties: { name: { type: string } } }
        total: { type: number }
        a/b: { type: string }
  - name: Plain
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema:
      type: object
      properties:
        number: { type: string }
        lines: { type: array, items: { type: object, properties: { amount: { type: number } } } }
        buyer: { type: object, properties: { city: { type: [string, "null"] }, vat: { type: string } } }
        total: { type: number }
        paid: { type: boolean }
        due: { type: string }
  - { name: Hidden, workflow_type: document_extraction, model: offline, instructions: Hide., list_columns: [/a], document_schema: { type: object, properties: { a: { type: string } } }, visible_to: [ada@example.com] }
`;

describe('the order of a list of documents', () => {
  let world: World;
  let key: string;

  before(async () => {
    world = await openWorld({ workspace: file, env: { RATE_LIMIT_RUNS: '1000000' } });
    key = await world.key();
  });
  after(() => world.stop());
  beforeEach(() => world.query('delete from documents'));

  const call = (query: Record<string, string>, as = key) =>
    callApi<{ data: Page; errors?: readonly { path: string; message: string }[] }>(
      world.baseUrl,
      as,
      `/documents?${new URLSearchParams(query)}`,
    );
  /** `data` is JSON text, so that digits stay what they are. */
  const store = async (agent: string, name: string, data: string | null) => {
    const body = { user_message: 'read' };
    const started = await callApi<{ data: { id: string } }>(world.baseUrl, key, `/agents/${world.agentId(agent)}/run`, {
      body,
    });
    const conversation = anId();
    await world.query(
      `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) select $2, workspace_id, agent_id, id, user_id, 'idle' from runs where id = $1`,
      [started.body.data.id, conversation],
    );
    await world.query(
      `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data)
       select gen_random_uuid(), r.workspace_id, r.id, r.agent_id, $2, $3, 'ready', $4::json from runs r where r.id = $1`,
      [started.body.data.id, conversation, name, data],
    );
  };
  const all = async (query: Record<string, string>) => {
    const found: string[] = [];
    let after: string | null = null;
    do {
      const { status, text, body } = await call({ ...query, ...(after !== null && { after }) });
      expect(status, text).to.equal(200);
      found.push(...body.data.documents.map(({ name }) => name));
      after = body.data.next;
    } while (after !== null);
    return found;
  };

  it('shows the values of the columns, or of the first five scalars of the schema', async () => {
    await store('Reader', 'one', '{"supplier":{"name":"Meyer"},"total":12345678901234567890.10,"a/b":null}');
    await store('Plain', 'two', '{"number":"7","buyer":{"city":"Ulm"},"total":1,"paid":false,"lines":[]}');
    await store('Plain', 'three', null);
    const { text, body } = await call({});
    expect(text).to.match(/"\/total" ?: ?12345678901234567890\.10/);
    const values = Object.fromEntries(body.data.documents.map((each) => [each.name, each.values]));
    expect(values.one).to.have.property('/supplier/name', 'Meyer');
    expect(values.one).to.have.property('/a~1b', null);
    const plain = { '/number': '7', '/buyer/city': 'Ulm', '/buyer/vat': null, '/total': 1, '/paid': false };
    expect(values.two).to.deep.equal(plain);
    expect(values.three).to.deep.equal({
      '/number': null,
      '/buyer/city': null,
      '/buyer/vat': null,
      '/total': null,
      '/paid': null,
    });
  });

  it('is exact for numbers, by code point for texts, and leaves what is absent to the end in both directions', async () => {
    const totals = [
      '9007199254740993',
      '9007199254740992',
      '-1',
      '10',
      '9',
      'null',
      '1e400',
      '"a"',
      '"Z"',
      '"\\ue000"',
      '"😀"',
      'true',
      'false',
      '{}',
    ];
    for (const [index, total] of totals.entries()) await store('Reader', String(index), `{"total":${total}}`);
    const agent_id = world.agentId('Reader');
    const numbers = ['2', '4', '3', '1', '0', '6'];
    const texts = ['8', '7', '9', '10'];
    const ascending = await all({ agent_id, order_by: '/total', limit: '3' });
    expect(ascending.slice(0, -2)).to.deep.equal([...numbers, ...texts, '12', '11']);
    expect(ascending.slice(-2).toSorted()).to.deep.equal(['13', '5']);
    const descending = await all({ agent_id, order_by: '/total', order_direction: 'desc', limit: '4' });
    expect(descending.slice(0, -2)).to.deep.equal([...numbers, ...texts, '12', '11'].toReversed());
    expect(descending.slice(-2)).to.deep.equal(ascending.slice(-2).toReversed());
    const oldest = await all({ agent_id, order_direction: 'asc', limit: '5' });
    expect(oldest).to.deep.equal((await all({ agent_id, limit: '5' })).toReversed());
    expect(await all({ agent_id, order_by: '/total', q: 'a', limit: '1' })).to.deep.equal(['7']);
  });

  it('repeats and skips nothing, whatever the values are', async () => {
    const values = ['1', '1.0', '"x"', '"x"', 'null', 'true'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...values), { maxLength: 9 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('asc', 'desc'),
        async (given, limit, direction) => {
          await world.query('delete from documents');
          for (const [index, value] of given.entries()) await store('Reader', String(index), `{"total":${value}}`);
          const found = await all({
            agent_id: world.agentId('Reader'),
            order_by: '/total',
            order_direction: direction,
            limit: String(limit),
          });
          expect(found.toSorted()).to.deep.equal(given.map((_, index) => String(index)).toSorted());
        },
      ),
      { numRuns: 6 },
    );
  });

  it('refuses an order that the agent does not have, and a cursor of another one', async () => {
    const agent_id = world.agentId('Reader');
    for (let n = 0; n < 3; n += 1) await store('Reader', String(n), `{"total":${n}}`);
    const cursorOf = async (query: Record<string, string>) =>
      (await call({ ...query, limit: '1' })).body.data.next ?? '';
    const [usual, byTotal] = [await cursorOf({}), await cursorOf({ agent_id, order_by: '/total' })];
    const hostile = (...parts: readonly string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const id = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e4f';
    const refused: readonly (readonly [Record<string, string>, string])[] = [
      [{ order_by: '/total' }, 'query.order_by'],
      [{ agent_id, order_by: '/nothing' }, 'query.order_by'],
      [{ agent_id, order_by: 'total' }, 'query.order_by'],
      [{ agent_id: id, order_by: '/a' }, 'query.order_by'],
      [{ agent_id, order_direction: 'up' }, 'query.order_direction'],
      [{ agent_id, order_by: '/total', after: usual }, 'query.after'],
      [{ agent_id, after: byTotal }, 'query.after'],
      [{ agent_id, order_by: '/total', order_direction: 'desc', after: byTotal }, 'query.after'],
      [{ agent_id, order_by: '/supplier/name', after: byTotal }, 'query.after'],
      [{ agent_id, order_by: '/total', after: hostile('/total', 'asc', '1', id, '{"a":1}') }, 'query.after'],
      [
        { agent_id, order_by: '/total', after: hostile('/total', 'asc', '1', "x'; drop table runs", '1') },
        'query.after',
      ],
    ];
    for (const [query, path] of refused) {
      const { status, body } = await call(query);
      expect([status, body.errors?.[0]?.path], JSON.stringify(query)).to.deep.equal([400, path]);
    }
    for (const value of ['1e99999', '"\\u0000"', '"\\ud800"', 'null'])
      expect(
        (await call({ agent_id, order_by: '/total', after: hostile('/total', 'asc', '1', id, value) })).status,
      ).to.equal(200);
    const bob = await world.key({ email: 'bob@example.com' });
    expect((await call({ agent_id: world.agentId('Hidden'), order_by: '/a' }, bob)).status).to.equal(400);
  });
});
