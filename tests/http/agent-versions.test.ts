import { expect } from 'chai';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { cli } from '../cli/run-cli.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';

interface Definition {
  readonly description?: string;
  readonly instructions?: string;
  readonly token?: string;
  readonly currency?: string;
  readonly tools?: string;
  readonly rules?: string;
}

const READER = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e4f';
const secrets = ['hush-token', 'hush-other', 'hush-query', 'hush-body'];

const file = ({
  description = 'Reads.',
  instructions = 'Read it.',
  token = 'hush-token',
  currency = 'string',
  tools = '',
  rules = '',
}: Definition = {}) => `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
databases:
  - { id: books, name: Books, connection: ledger, schemas: [public] }
agents:
  - id: ${READER}
    name: Reader
    description: ${description}
    workflow_type: document_extraction
    model: offline
    instructions: ${instructions}
    document_schema: { type: object, properties: { total: { type: number, maximum: 12345678901234567890.1 }, currency: { type: ${currency} } } }
    system_of_record: { connection: ledger, entity: public.entries, columns: { total: /total }, document_id_column: document_id }
    tools:
      - http:
          name: rate
          method: POST
          url: https://rates.example.com/hush-query
          headers: { Authorization: "Bearer ${token}" }
          body: { key: hush-body }
          input_schema: { type: object }
      ${tools}
    ${rules}
  - { name: Hidden, workflow_type: assistant, model: offline, instructions: Hide., visible_to: [bob@example.com] }
`;

interface Version {
  readonly version: number;
  readonly live: boolean;
  readonly created_at: string;
  readonly created_by: { readonly id: string; readonly name: string } | null;
  readonly changes: readonly string[];
  readonly definition?: Record<string, unknown>;
}

describe('the versions of an agent', () => {
  let world: World;
  let key: string;
  let agent: string;

  beforeEach(async () => {
    world = await openWorld({ workspace: file() });
    key = await world.key();
    agent = world.agentId('Reader');
  });
  afterEach(() => world.stop());

  const apply = async (definition: Definition = {}) => {
    const spec = readWorkspaceFile(file(definition), { LEDGER_URL: 'postgresql://ledger.example/db' });
    const changes = await world.composition.container
      .get(WorkspaceService)
      .apply(spec, { dryRun: false, prune: false });
    return changes.find(({ kind, name }) => kind === 'agents' && name === 'Reader');
  };
  const call = <T>(path: string, { body, as = key }: { body?: unknown; as?: string } = {}) =>
    callApi<T>(world.baseUrl, as, path, { body });
  const list = async (query = '') =>
    (await call<{ data: { versions: Version[]; next: string | null } }>(`/agents/${agent}/versions${query}`)).body.data;
  const get = (version: number | string) => call<{ data: Version }>(`/agents/${agent}/versions/${version}`);
  const publish = (version: number, as = key) =>
    call<{ data: Version; code?: string }>(`/agents/${agent}/versions/${version}/publish`, { body: {}, as });

  it('are made by apply where something of the definition changed, each with what changed', async () => {
    await apply();
    await apply({ description: 'Reads well.' });
    expect((await list()).versions.map(({ version, changes }) => [version, changes])).to.deep.equal([[1, []]]);
    await apply({ instructions: 'Read it twice.', token: 'hush-other' });
    await apply({ instructions: 'Read it twice.', token: 'hush-other' });
    await apply({ instructions: 'Read it twice.', token: 'hush-other', currency: 'number', tools: '- search_web' });
    const { versions, next } = await list();
    expect(next).to.equal(null);
    expect(versions.map(({ created_at, ...version }) => version)).to.deep.equal([
      { version: 3, live: true, created_by: null, changes: ['/document_schema/properties/currency/type', '/tools/1'] },
      { version: 2, live: false, created_by: null, changes: ['/instructions', '/tools/0/http/headers/Authorization'] },
      { version: 1, live: false, created_by: null, changes: [] },
    ]);
  });

  it('show their definition as the workspace file has it, without its secrets', async () => {
    const { status, text, body } = await get(1);
    expect(status).to.equal(200);
    expect(text)
      .to.include('12345678901234567890.1')
      .and.not.match(new RegExp(secrets.join('|')));
    const { document_schema: _, ...definition } = body.data.definition ?? {};
    expect(definition).to.deep.equal({
      workflow_type: 'document_extraction',
      model: 'offline',
      instructions: 'Read it.',
      system_of_record: {
        connection: 'ledger',
        entity: 'public.entries',
        columns: { total: '/total' },
        document_id_column: 'document_id',
      },
      tools: [
        {
          http: {
            name: 'rate',
            description: '',
            method: 'POST',
            input_schema: { type: 'object' },
            allow_hosts: [],
            url: '[secret]',
            headers: { Authorization: '[secret]' },
            body: '[secret]',
          },
        },
      ],
      process: 'manual',
      review: 'never',
      checks: [],
      duplicate_key: [],
      required_values: null,
      einvoice: null,
      list_columns: ['/total', '/currency'],
    });
    await world.query(
      `update agents set tools = replace(tools::text, '"sealed":"', '"sealed":"x')::json where id = $1`,
      [agent],
    );
    const unreadable = await get(2);
    expect(unreadable.body.data.definition?.tools, 'sealed with another key').to.have.nested.property(
      '[0].http.url',
      '[secret]',
    );
    expect(unreadable.text).not.to.include('sealed');
    expect(unreadable.body.data.changes).to.include('/tools/0/http/url');
  });

  it('have the checks and the key of their documents, each change of which is another version', async () => {
    const rules = (rule: string) =>
      `checks: [{ name: sum, rule: "${rule}", message: Wrong. }]\n    duplicate_key: [/total]\n    required_values: [/total]\n    list_columns: []`;
    await apply({ rules: rules('document.total > 0') });
    expect((await apply({ rules: rules('document.total > 0') }))?.action).to.equal('keep');
    await apply({ rules: rules('document.total > 1') });
    const { versions } = await list();
    expect(versions.map(({ changes }) => changes)).to.deep.equal([
      ['/checks/0/rule'],
      ['/checks/0', '/duplicate_key/0', '/required_values', '/list_columns/0', '/list_columns/1'],
      [],
    ]);
    expect((await get(2)).body.data.definition).to.deep.include({
      checks: [{ name: 'sum', rule: 'document.total > 0', when: null, message: 'Wrong.' }],
      duplicate_key: ['/total'],
      required_values: ['/total'],
      einvoice: null,
      list_columns: [],
    });
    await world.query(
      `update agents set checks = replace(checks::text, 'document.total', 'document.sum')::json where id = $1`,
      [agent],
    );
    await apply({ rules: rules('document.total > 2') });
    const { status, body } = await call<{ detail: string }>(`/agents/${agent}/versions/4/publish`, { body: {} });
    expect([status, body.detail]).to.deep.equal([
      409,
      'Version 4 would not work any more: checks[0].rule: names the field sum, which the document_schema does not have (at character 10).',
    ]);
    expect((await publish(2)).body.data).to.include({ version: 6, live: true });
  });

  it('have the review as the file has it: a word, or who approves beside it', async () => {
    await apply({ rules: 'review: always' });
    await apply({ rules: 'review: { when: always, by: client }' });
    await apply({ rules: 'review: { when: always, by: person }' });
    await apply({ rules: 'review: { when: always, by: other_person }' });
    const { versions } = await list();
    expect(versions.map(({ changes }) => changes)).to.deep.equal([['/review/by'], ['/review'], ['/review'], []]);
    const reviews = await Promise.all(
      [1, 2, 3].map(async (version) => (await get(version)).body.data.definition?.review),
    );
    expect(reviews).to.deep.equal(['never', 'always', { when: 'always', by: 'person' }]);
    expect((await publish(3)).body.data.definition?.review).to.deep.equal({ when: 'always', by: 'person' });
    expect((await list()).versions[0]).to.deep.include({ version: 5, live: true, changes: ['/review/by'] });
  });

  it('are listed page by page', async () => {
    for (const instructions of ['b', 'c', 'd', 'e']) await apply({ instructions });
    const seen: number[] = [];
    const changes: (readonly string[])[] = [];
    let next: string | null = null;
    do {
      const page = await list(`?limit=2${next === null ? '' : `&after=${next}`}`);
      seen.push(...page.versions.map(({ version }) => version));
      changes.push(...page.versions.map((version) => version.changes));
      next = page.next;
    } while (next !== null);
    expect(seen).to.deep.equal([5, 4, 3, 2, 1]);
    expect(changes).to.deep.equal([['/instructions'], ['/instructions'], ['/instructions'], ['/instructions'], []]);
    for (const after of ['x', '2', '', 'YWZ0ZXIgMA']) {
      const answer = await call<{ errors: { path: string }[] }>(`/agents/${agent}/versions?after=${after}`);
      expect([answer.status, answer.body.errors?.[0]?.path], after).to.deep.equal([400, 'query.after']);
    }
  });

  it('are there for those who see the agent, and are 404 for others', async () => {
    for (const [path, status] of [
      [`/agents/${world.agentId('Hidden')}/versions`, 404],
      [`/agents/${world.agentId('Hidden')}/versions/1`, 404],
      [`/agents/${agent}/versions/2`, 404],
      [`/agents/${agent}/versions/${2 ** 31}`, 404],
      [`/agents/${agent}/versions/${2 ** 53 - 1}`, 404],
      [`/agents/${agent}/versions/0`, 400],
      [`/agents/${agent}/versions/x`, 400],
    ] as const) {
      expect((await call(path)).status, path).to.equal(status);
    }
    expect((await call(`/agents/${world.agentId('Hidden')}/versions/1/publish`, { body: {} })).status).to.equal(404);
    expect((await publish(2)).status).to.equal(404);
  });

  it('name no connection, database, agent or host to those who do not see them', async () => {
    const secret = `
      - { connection: vault }
      - { database: vaulted }
      - { agent: Hidden }
      - { mcp: { name: lab, url: "https://lab.internal/mcp", allow_hosts: [lab.internal] } }`;
    const only = 'visible_to: [ada@example.com]';
    const withVault = (text: string) =>
      text
        .replace(
          'databases:',
          `  - { name: vault, type: postgresql, url: "postgresql://vault.example/db", ${only} }\ndatabases:\n  - { id: vaulted, name: V, connection: vault, ${only} }`,
        )
        .replace('visible_to: [bob@example.com]', only)
        .replace(
          'connection: ledger, entity: public.entries, columns: { total: /total }',
          'connection: vault, entity: deep.hoard, columns: { gold: /total }',
        );
    const spec = readWorkspaceFile(withVault(file({ tools: secret.trim() })), {
      LEDGER_URL: 'postgresql://ledger.example/db',
    });
    await world.composition.container.get(WorkspaceService).apply(spec, { dryRun: false, prune: false });
    const newest = (await list()).versions[0]?.version ?? 0;
    const mine = await get(newest);
    for (const word of ['vault', 'vaulted', 'Hidden', 'lab.internal', 'deep.hoard', 'gold'])
      expect(mine.text, word).to.include(word);
    const bob = await world.key({ email: 'bob@example.com' });
    const texts = [
      (await call(`/agents/${agent}/versions/${newest}`, { as: bob })).text,
      (await call(`/agents/${agent}/versions`, { as: bob })).text,
    ];
    for (const text of texts) expect(text).not.to.match(/vault|Hidden|lab\.internal|hoard|gold/);
    const { body } = await call<{ data: Version }>(`/agents/${agent}/versions/${newest}`, { as: bob });
    expect(body.data.definition?.system_of_record).to.include({ connection: '[hidden]', entity: '[hidden]' });
    expect(body.data.definition?.tools)
      .to.deep.include({ connection: '[hidden]', write: false })
      .and.deep.include({ agent: '[hidden]' });
    expect(body.data.changes)
      .to.include('/system_of_record')
      .and.not.satisfy((all: string[]) => all.some((each) => /^\/system_of_record\//.test(each)));
  });

  it('are published by administrators: an older definition becomes the newest version, which new runs have', async () => {
    await apply({ instructions: 'Read it twice.', token: 'hush-other' });
    const refused = await publish(1, await world.key({ email: 'bob@example.com' }));
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'admin_only']);
    const { status, body } = await publish(1);
    expect(status).to.equal(200);
    expect(body.data).to.deep.include({
      version: 3,
      live: true,
      changes: ['/instructions', '/tools/0/http/headers/Authorization'],
    });
    expect(body.data.created_by).to.include({ name: 'Ada' });
    expect(body.data.definition).to.deep.equal((await get(1)).body.data.definition);
    expect((await publish(1)).body.data.version, 'a second time').to.equal(3);
    expect((await publish(3)).body.data.version, 'the live one').to.equal(3);
    expect((await list()).versions.map(({ version, live }) => [version, live])).to.deep.equal([
      [3, true],
      [2, false],
      [1, false],
    ]);
    const run = await call<{ data: object }>(`/agents/${agent}/run`, { body: { user_message: 'Total: 12' } });
    expect(run.body.data).to.include({ agent_version: 3, model: 'offline' });
  });

  it('are refused in plain words where they would not work any more, and change nothing', async () => {
    const tools =
      '- { connection: ledger }\n      - { database: books }\n      - { agent: Hidden }\n      - search_web';
    await apply({ tools });
    await world.query(`update agents set model = 'anthropic/claude' where id = $1`, [agent]);
    await world.query(
      `update agents set tools = replace(tools::text, '"sealed":"', '"sealed":"x')::json where id = $1`,
      [agent],
    );
    const spec = readWorkspaceFile(file({ instructions: 'Read it twice.' }), {
      LEDGER_URL: 'postgresql://ledger.example/db',
    });
    const agents = spec.agents
      .filter(({ name }) => name !== 'Hidden')
      .map((each) => ({ ...each, systemOfRecord: null }));
    const { container } = world.composition;
    const left = { ...spec, connections: [], databases: [], agents };
    await container.get(WorkspaceService).apply(left, { dryRun: false, prune: true });
    const live = (await list()).versions[0]?.version;
    const { status, body } = await call<{ code: string; detail: string }>(`/agents/${agent}/versions/3/publish`, {
      body: {},
    });
    expect([status, body.code]).to.deep.equal([409, 'conflict']);
    const connection = 'names ledger, which is not among the connections';
    const reasons = [
      'model: anthropic/claude needs ANTHROPIC_API_KEY',
      `system_of_record.connection: ${connection}`,
      `tools[1].connection: ${connection}`,
      'tools[2].database: names books, which is not among the databases',
      'tools[3].agent: names Hidden, which is not among the agents',
    ];
    expect(body.detail).to.equal(`Version 3 would not work any more: ${reasons.join('; ')}.`);
    const sealed = await call<{ detail: string }>(`/agents/${agent}/versions/4/publish`, { body: {} });
    expect(sealed.body.detail).to.include('tools[0]: was sealed with another ENCRYPTION_KEY');
    expect((await list()).versions[0]).to.include({ version: live, live: true });
    const env = { PORTICO_URL: world.baseUrl, PORTICO_API_KEY: key };
    const { code, err } = await cli(['agents', 'publish', 'Reader', '3'], { env });
    expect(code).to.equal(1);
    expect(err).to.match(
      /^portico: Version 3 would not work any more: model: anthropic\/claude needs ANTHROPIC_API_KEY; .* \(409 conflict\)\n/,
    );
  });

  it('are published one after the other where two ask at the same moment, one definition once', async () => {
    await apply({ instructions: 'b' });
    await apply({ instructions: 'c' });
    const numbers = async (...versions: readonly number[]) =>
      (await Promise.all(versions.map((version) => publish(version)))).map(({ status, body }) => {
        expect(status, JSON.stringify(body)).to.equal(200);
        return body.data.version;
      });
    expect(await numbers(1, 1, 1, 1)).to.deep.equal([4, 4, 4, 4]);
    expect((await numbers(2, 3)).toSorted()).to.deep.equal([5, 6]);
    const { versions } = await list();
    expect(versions.map(({ version, live }) => [version, live])).to.deep.equal([
      [6, true],
      ...[5, 4, 3, 2, 1].map((version) => [version, false]),
    ]);
    const definitions = await Promise.all(
      [5, 6].map(async (version) => (await get(version)).body.data.definition?.instructions),
    );
    expect(definitions.toSorted()).to.deep.equal(['b', 'c']);
  });

  it('give way to the file: applying it again makes its definition the newest version', async () => {
    const definition = { instructions: 'Read it twice.', token: 'hush-other' };
    await apply(definition);
    await publish(1);
    expect((await apply(definition))?.action).to.equal('change');
    const [newest] = (await list()).versions;
    expect(newest).to.deep.include({
      version: 4,
      live: true,
      created_by: null,
      changes: ['/instructions', '/tools/0/http/headers/Authorization'],
    });
    expect((await get(4)).body.data.definition).to.deep.equal((await get(2)).body.data.definition);
    expect((await apply(definition))?.action).to.equal('keep');
  });

  it('outlast an agent that is removed and comes back', async () => {
    const remove = async () => {
      const spec = readWorkspaceFile(file(), { LEDGER_URL: 'postgresql://ledger.example/db' });
      await world.composition.container
        .get(WorkspaceService)
        .apply({ ...spec, agents: spec.agents.filter(({ id }) => id !== READER) }, { dryRun: false, prune: true });
      expect((await get(1)).status).to.equal(404);
    };
    await remove();
    await apply();
    expect((await list()).versions.map(({ version }) => version)).to.deep.equal([1]);
    await remove();
    await apply({ instructions: 'Read it twice.' });
    const { versions } = await list();
    expect(versions.map(({ version, changes }) => [version, changes])).to.deep.equal([
      [2, ['/instructions']],
      [1, []],
    ]);
    expect((await get(2)).body.data.definition).to.include({ instructions: 'Read it twice.' });
    await remove();
    await apply({ instructions: 'Read it twice.' });
    expect((await list()).versions.length, 'its secrets are sealed as they were').to.equal(2);
  });

  it('can be asked for by a run, and one that is not there is an error of its input', async () => {
    await apply({ instructions: 'Read it twice.' });
    const create = (agentVersion?: unknown) =>
      call<{ data: { id: string }; errors: unknown }>(`/agents/${agent}/run`, {
        body: { user_message: 'Total: 12', agent_version: agentVersion },
      });
    for (const [asked, bound] of [
      [undefined, 2],
      [1, 1],
      [2, 2],
    ]) {
      const { status, body } = await create(asked);
      expect(status).to.equal(200);
      expect(body.data).to.include({ agent_version: bound });
      expect((await call<{ data: object }>(`/runs/${body.data.id}`)).body.data).to.include({ agent_version: bound });
    }
    for (const asked of [0, -1, 1.5, '1', 2 ** 31, 2 ** 53 - 1, 2 ** 53])
      expect((await create(asked)).status, String(asked)).to.equal(400);
    const { status, body } = await create(3);
    expect(status).to.equal(400);
    expect(body.errors).to.deep.equal([
      { path: 'body.agent_version', message: 'must be a version of the agent, from 1 to 2' },
    ]);
    expect((await call<{ data: { total: number } }>('/runs')).body.data.total).to.equal(3);
  });
});
