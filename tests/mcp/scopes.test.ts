import { expect } from 'chai';
import { documentMaker } from '../http/documents-made.ts';
import { wordsOf } from '../oauth/browser.ts';
import { type OAuthClient, oauthClient, type Registered } from '../oauth/client.ts';
import { openWorld, type World } from '../oauth/world.ts';
import { calling, modern, rawClient, request } from './client.ts';
import { fixtureServer } from './fixture-server.ts';

const agentsAt = (system: string) => `
  - name: Clerk
    description: Reads bills.
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { number: { type: string }, total: { type: number } } }
    review: always
    tools:
      - documents
      - search_web
      - { connection: erp, write: true }
      - { database: books }
      - { agent: Invoice reader }
      - { mcp: { name: lab, url: "${system}/mcp", allow_hosts: ["${new URL(system).host}"] } }
      - { http: { name: read_it, method: GET, url: "${system}/x" } }
      - { http: { name: send_it, method: POST, url: "${system}/x" } }
connections:
  - { name: erp, type: sqlserver, url: "mssql://reader:secret@127.0.0.1:1/none" }
  - { name: ledger, type: postgresql, url: "postgres://reader:secret@127.0.0.1:1/none" }
databases:
  - { id: books, name: Books, connection: ledger, schemas: [public] }
`;

const reads = [
  'list_documents',
  'get_document',
  'search_web',
  'erp_list_entities',
  'erp_list_records',
  'books_list_tables',
  'books_describe_table',
  'books_query',
  'lab_look_up',
  'read_it',
  'get_run',
];
const writes = [
  'rehearse_document',
  'process_document',
  'erp_insert_record',
  'erp_update_record',
  'run_invoice_reader',
  'lab_add',
  'send_it',
  'start_run',
  'upload_file',
];
const decides = ['review_document'];

describe('the scopes of a token for an agent', () => {
  let lab: Awaited<ReturnType<typeof fixtureServer>>;
  let world: World;
  let oauth: OAuthClient;
  let client: Registered;
  let key: string;
  let url: string;
  before(async () => {
    lab = await fixtureServer();
    world = await openWorld({ agents: agentsAt(lab.baseUrl), env: { RATE_LIMIT_RUNS: '1000000' } });
    oauth = oauthClient(world.baseUrl);
    client = await oauth.registered();
    key = await world.key('ada@example.com');
    url = world.mcpUrl(world.agent('Clerk'));
  });
  after(async () => {
    await world.stop();
    await lab.stop();
  });

  const make = documentMaker(
    () => ({ baseUrl: world.baseUrl, composition: world.composition, agentId: world.agent }),
    () => key,
  );

  const tokenFor = (scope: string | null) => oauth.granted(client, { resource: url, scope });
  const sender = async (scope: string | null) => {
    const { access_token: token } = await tokenFor(scope);
    const send = rawClient(url);
    return (...[message, { headers = {}, ...more } = {}]: Parameters<typeof send>) =>
      send(message, { ...more, headers: { authorization: `Bearer ${token}`, ...headers } });
  };
  const listed = async (scope: string | null) => {
    const send = await sender(scope);
    const { body } = await send(request('tools/list'));
    const { message, headers } = modern('tools/list');
    const { body: newest } = await send(message, { headers });
    const names = body.result.tools.map(({ name }) => name);
    expect(newest.result.tools.map(({ name }) => name)).to.deep.equal(names);
    return names.filter((name) => !name.startsWith('lab_') || ['lab_add', 'lab_look_up'].includes(name));
  };

  const rows: readonly (readonly [scope: string | null, granted: string, tools: readonly string[]])[] = [
    ['agent:tools', 'agent:tools', [...reads, ...writes, ...decides]],
    ['runs:read agent:tools openid', 'agent:tools', [...reads, ...writes, ...decides]],
    // Clients ask for what the metadata names; one that reads no metadata asks for nothing.
    [null, 'agent:tools', [...reads, ...writes, ...decides]],
    ['openid claudeai', 'agent:tools', [...reads, ...writes, ...decides]],
    ['runs:read', 'runs:read', reads],
    ['runs:write', 'runs:write', writes],
    ['documents:review', 'documents:review', decides],
    ['runs:read documents:review', 'runs:read documents:review', [...reads, ...decides]],
    ['agents:read', 'agents:read', []],
  ];
  for (const [scope, granted, tools] of rows)
    it(`${scope ?? 'none'}: lists the tools that it grants, and no others`, async () => {
      expect((await tokenFor(scope)).scope).to.equal(granted);
      expect(await listed(scope)).to.have.members(tools);
    });

  it('are named where a client looks for them', async () => {
    const challenge = (await rawClient(url)(request('tools/list'))).headers.get('www-authenticate') ?? '';
    expect(challenge).to.match(/, scope="agent:tools"/);
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    expect(await (await fetch(metadata)).json()).to.deep.include({ resource: url, scopes_supported: ['agent:tools'] });
    const server = await (await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`)).json();
    expect(server).to.deep.include({
      scopes_supported: ['agents:read', 'runs:read', 'runs:write', 'documents:review', 'agent:tools'],
    });
  });

  it('are what the user reads before allowing them, and afterwards', async () => {
    const wordsFor = async (scope: string) => {
      const { visit } = await oauth.asked(client, { resource: url, scope });
      return wordsOf(visit);
    };
    expect(await wordsFor('agent:tools')).to.include('Use all tools of the agent Clerk, with the rights you have');
    const some = await wordsFor('runs:read documents:review');
    expect(some).to.include('Use the tools of the agent Clerk that read: runs, documents, systems and the web');
    expect(some).to.include('Approve and reject documents of the agent Clerk').and.not.include('all tools');
    await tokenFor('runs:write');
    const grants = await oauth.of('ada@example.com').open(`${world.baseUrl}/oauth/grants`);
    expect(wordsOf(grants)).to.include('Use the tools of the agent Clerk that write, send or start something');
  });

  it('bound what a call may do: it says which scope is missing', async () => {
    const id = await make('Clerk', { data: { number: 'A-1', total: 12 } });
    const decide = { document_id: id, revision: 1, decision: 'approve' };
    const reader = await sender('runs:read');
    const refused = async (send: typeof reader, name: string, input: object, scope: string) => {
      const { body } = await send(calling(name, input));
      expect(body.result, name).to.deep.include({ isError: true });
      expect(body.result.content[0]?.text, name).to.include(`needs the scope ${scope}`);
    };
    await refused(reader, 'review_document', decide, 'documents:review');
    await refused(reader, 'run_invoice_reader', { message: 'Hello' }, 'runs:write');
    await refused(reader, 'lab_add', { a: 1, b: 2 }, 'runs:write');
    await refused(await sender('agents:read'), 'get_document', { document_id: id }, 'runs:read');
    const review = await sender('documents:review');
    await refused(review, 'get_document', { document_id: id }, 'runs:read');
    await refused(review, 'process_document', { document_id: id }, 'runs:write');
    await refused(await sender('runs:write'), 'review_document', decide, 'documents:review');
    expect(await world.query('select status from runs where user_message = $1', ['Hello'])).to.deep.equal([]);
    const { body: read } = await reader(calling('get_document', { document_id: id, pointer: '/review/status' }));
    expect(read.result.content[0]?.text).to.include('"value":"pending"');
    const { body: decided } = await review(calling('review_document', { ...decide, decision: 'reject' }));
    expect(decided.result.content[0]?.text).to.include('"review":"rejected"');
  });

  it('stay what they were when the token is renewed', async () => {
    const { refresh_token: token } = await tokenFor('runs:read');
    const { body } = await oauth.refresh(client, token);
    expect(body.scope).to.equal('runs:read');
    const wider = await oauth.refresh<object>(client, body.refresh_token, { scope: 'runs:read documents:review' });
    expect(wider.body).to.include({ error: 'invalid_scope' });
  });
});
