import { expect } from 'chai';
import { type Portico, portico } from '../../src/client/portico.ts';
import { printed } from '../support/program.ts';
import { aServer, type Server } from '../support/server.ts';

const amount = { type: ['number', 'null'] };
const text = { type: ['string', 'null'] };
const properties = { article: text, description: text, quantity: amount, unit_price: amount, amount };
const schema = { type: 'object', properties: { lines: { type: 'array', items: { type: 'object', properties } } } };

const HEADER = 'Article,Description,Quantity,Unit price,Amount';
const table = (rows: number) =>
  [HEADER, ...Array.from({ length: rows }, (_, at) => `A-${at + 1},Thing ${at + 1},2,3.50,7.00`)].join('\n');

describe('a table of many rows, in a real run', () => {
  let server: Server;
  let client: Portico;
  let agentId: string;
  before(async () => {
    server = await aServer({ defaults: true });
    await server.start();
    const agent = { name: 'Reader', workflow_type: 'document_extraction', model: 'offline', instructions: 'Read.' };
    const agents = [{ ...agent, document_schema: schema, review: 'when_flagged' }];
    const users = [{ email: 'rea@example.com', name: 'Rea', role: 'admin' }];
    const workspace = JSON.stringify({ workspace: 'rows', users, agents });
    const applied = await server.command(['apply', '-f', '-'], {}, workspace);
    expect(applied.code, applied.stderr).to.equal(0);
    const made = await server.command(['keys', 'create', '--user', 'rea@example.com', '--json']);
    client = portico({ baseUrl: server.baseUrl, apiKey: printed<{ readonly key: string }>(made).key });
    agentId = (await client.get('/api/v1/agents')).agents[0]?.id ?? '';
  });
  after(() => server.close());

  const runOf = async (rows: number) => {
    const files = await client.upload(agentId, [{ name: 'rows.csv', content: new Blob([table(rows)]) }]);
    const params = { path: { agent_id: agentId } };
    const { id } = await client.post('/api/v1/agents/{agent_id}/run', { params, body: { files } });
    return client.waitForRun(id, { waitSeconds: 100 });
  };

  it('is read to its last row, each value with its proof', async () => {
    const { documents = [], error } = await runOf(12_000);
    expect(error).to.equal(null);
    const [{ id } = { id: '' }] = documents;
    const document = await client.get('/api/v1/documents/{id}', { params: { path: { id } } });
    const { lines } = document.document_data as { readonly lines: readonly object[] };
    expect(lines.length).to.equal(12_000);
    expect(lines.at(-1)).to.deep.equal({
      article: 'A-12000',
      description: 'Thing 12000',
      quantity: 2,
      unit_price: 3.5,
      amount: 7,
    });
    expect(document.evidence?.['/lines/11999/amount']).to.deep.include({ support: 'normalized' });
    expect(document.coverage?.complete).to.equal(true);
  });

  it('fails with the reason where no document can hold its rows, instead of losing some', async () => {
    const { error } = await runOf(40_000);
    expect(error).to.contain('a table of 40,000 rows, and a document holds 200,000 values');
  });
});
