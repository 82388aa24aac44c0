import { expect } from 'chai';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { openWorld } from '../mcp/world.ts';
import { agentId, type FakeApi, fakeApi, KEY } from './fake-api.ts';
import { cli, lines } from './run-cli.ts';

/** What the versions have alike. */
const alike = {
  process: 'manual',
  review: 'never',
  checks: [],
  duplicate_key: [],
  required_values: null,
  einvoice: null,
  list_columns: [],
};

const definitions: readonly object[] = [
  {
    workflow_type: 'document_extraction',
    model: 'offline',
    instructions: `${'Read.\n'.repeat(8)}Dates are days.\nEnd.\n`,
    document_schema: { type: 'object', properties: { total: { type: 'number', maximum: 9.5 } } },
    system_of_record: null,
    tools: [{ http: { name: 'rate', url: '[secret]', headers: { Authorization: '[secret]' } } }],
    ...alike,
  },
  {
    workflow_type: 'document_extraction',
    model: 'openai/gpt-5',
    instructions: `${'Read.\n'.repeat(8)}Dates are ISO \${X}.\nEnd.\n`,
    document_schema: { type: 'object', properties: { total: { type: ['number', 'null'], maximum: 9.5 } } },
    system_of_record: null,
    tools: [{ http: { name: 'rate', url: '[secret]', headers: { Authorization: '[secret]' } } }, 'search_web'],
    ...alike,
  },
];

const changes = [
  [],
  ['/model', '/instructions'],
  ['/document_schema/properties/total/type', '/tools/0/http/headers/Authorization', '/tools/1'],
];

const summary = (version: number) => ({
  version,
  live: version === 3,
  created_at: `2026-11-2${version}T09:30:00.000Z`,
  created_by: version === 2 ? { id: agentId, name: 'Ada' } : null,
  changes: changes[version - 1],
});

describe('portico agents versions, show, diff and publish', () => {
  let api: FakeApi;
  let published: number;

  beforeEach(async () => {
    api = await fakeApi();
    published = 4;
    const versions = `/api/v1/agents/${agentId}/versions`;
    api.routes.set(`GET ${versions}`, ({ url }) => {
      const { searchParams } = new URL(url, api.url);
      const from =
        searchParams.get('after') === null ? 3 : Number(searchParams.get('after')?.replace('cursor-', '')) - 1;
      const limit = Math.min(Number(searchParams.get('limit')), 2);
      const numbers = [3, 2, 1].filter((version) => version <= from).slice(0, limit);
      const last = numbers.at(-1) ?? 1;
      return { body: { data: { versions: numbers.map(summary), next: last > 1 ? `cursor-${last}` : null } } };
    });
    api.routes.set(`GET ${versions}/([123])`, (_request, [, version]) => ({
      body: { data: { ...summary(Number(version)), definition: definitions[version === '1' ? 0 : 1] } },
    }));
    api.routes.set(`POST ${versions}/([123])/publish`, (_request, [, version]) => ({
      body: { data: { ...summary(Number(version)), version: published, live: true, definition: definitions[0] } },
    }));
  });
  afterEach(() => api.close());

  const agents = (argv: readonly string[], options: { readonly tty?: boolean } = {}) =>
    cli(['agents', ...argv], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY }, ...options });

  it('lists versions page by page', async () => {
    const first = await agents(['versions', 'invoice reader']);
    expect(first.code).to.equal(0);
    expect(lines(first.out)).to.deep.equal([
      'VERSION  LIVE  CREATED (UTC)        FROM              CHANGES',
      `3        live  2026-11-23 09:30:00  workspace file    ${changes[2]?.join(', ')}`,
      '2              2026-11-22 09:30:00  published by Ada  /model, /instructions',
    ]);
    expect(first.err).to.equal('older ones: --after cursor-2\n');
    const second = await agents(['versions', agentId, '--after', 'cursor-2', '--limit', '1']);
    expect(lines(second.out).slice(1)).to.deep.equal(['1              2026-11-21 09:30:00  workspace file']);
    expect(second.err).to.equal('');
    expect(JSON.parse((await agents(['versions', agentId, '--json'])).out)).to.have.property('next', 'cursor-2');
  });

  it('shows the live definition, or that of a version, in words that a workspace file takes', async () => {
    const live = await agents(['show', 'Invoice reader']);
    expect(live.code).to.equal(0);
    expect(lines(live.out)).to.deep.equal([
      '# Invoice reader, version 3, the live one: 2026-11-23 09:30:00 UTC, workspace file',
      'workflow_type: document_extraction',
      'model: openai/gpt-5',
      'instructions: |',
      ...Array.from({ length: 8 }, () => '  Read.'),
      `  Dates are ISO $\${X}.`,
      '  End.',
      'document_schema:',
      '  type: object',
      '  properties:',
      '    total:',
      '      type:',
      '        - number',
      '        - "null"',
      '      maximum: 9.5',
      'system_of_record: null',
      'tools:',
      '  - http:',
      '      name: rate',
      '      url: "[secret]"',
      '      headers:',
      '        Authorization: "[secret]"',
      '  - search_web',
      'process: manual',
      'review: never',
      'checks: []',
      'duplicate_key: []',
      'required_values: null',
      'einvoice: null',
      'list_columns: []',
    ]);
    expect(live.err).to.equal('What may be a secret is shown as [secret].\n');
    const second = await agents(['show', 'Invoice reader', '--version', '2']);
    expect(lines(second.out)[0]).to.equal('# Invoice reader, version 2: 2026-11-22 09:30:00 UTC, published by Ada');
    expect(JSON.parse((await agents(['show', 'Invoice reader', '--version', '1', '--json'])).out)).to.deep.equal({
      ...summary(1),
      definition: definitions[0],
    });
  });

  it('shows what differs, field by field, and names the secrets among it', async () => {
    const { code, out, err } = await agents(['diff', 'Invoice reader', '1']);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(lines(out)).to.deep.equal([
      'Invoice reader: version 1 → version 3 (live)',
      '',
      'model',
      '  @@ -1,1 +1,1 @@',
      '  -offline',
      '  +openai/gpt-5',
      '',
      'instructions',
      '  @@ -6,5 +6,5 @@',
      '   Read.',
      '   Read.',
      '   Read.',
      '  -Dates are days.',
      `  +Dates are ISO \${X}.`,
      '   End.',
      '',
      'document_schema',
      '  @@ -1,5 +1,7 @@',
      '   type: object',
      '   properties:',
      '     total:',
      '  -    type: number',
      '  +    type:',
      '  +      - number',
      '  +      - "null"',
      '       maximum: 9.5',
      '',
      'tools',
      '  @@ -3,3 +3,4 @@',
      '       url: "[secret]"',
      '       headers:',
      '         Authorization: "[secret]"',
      '  +- search_web',
      '',
      'secrets, which are not shown',
      '  /tools/0/http/headers/Authorization',
    ]);
    const back = await agents(['diff', 'Invoice reader', '3', '1']);
    expect(lines(back.out)[0]).to.equal('Invoice reader: version 3 (live) → version 1');
    expect(lines(back.out)).to.include('  -openai/gpt-5').and.include('  /tools/0/http/headers/Authorization');
  });

  it('shows where nothing differs but a secret, and where nothing does', async () => {
    expect(lines((await agents(['diff', 'Invoice reader', '2', '3'])).out)).to.deep.equal([
      'Invoice reader: version 2 → version 3 (live)',
      '',
      'secrets, which are not shown',
      '  /tools/0/http/headers/Authorization',
    ]);
    expect((await agents(['diff', 'Invoice reader', '2', '2'])).out).to.equal(
      'Nothing differs between version 2 and version 2 of Invoice reader.\n',
    );
  });

  it('prints differences for programs', async () => {
    const { out } = await agents(['diff', 'Invoice reader', '1', '2', '--json']);
    const { differences, ...rest } = JSON.parse(out) as { differences: readonly object[] };
    expect(rest).to.deep.equal({ agent_id: agentId, from: 1, to: 2, secrets: [] });
    expect(differences).to.deep.include({ path: '/model', from: 'offline', to: 'openai/gpt-5' });
    expect(differences).to.deep.include({ path: '/tools/1', to: 'search_web' });
  });

  it('gives a terminal nothing to obey, colours what differs, and shows the end of a line where that is all', async () => {
    definitionOf(1, { instructions: 'a\u001b[2J\r\nb' });
    definitionOf(2, { instructions: 'a\u001b[2J\nb' });
    definitionOf(3, { instructions: 'a\u001b[2J\nb\n' });
    expect(lines((await agents(['diff', agentId, '1', '2'])).out).slice(4)).to.deep.equal([
      '  -a\\u001b[2J\\r',
      '  +a\\u001b[2J',
      '   b',
    ]);
    expect(lines((await agents(['diff', agentId, '2', '3'])).out).slice(4)).to.deep.equal([
      '   a\\u001b[2J',
      '  -b',
      '  \\ No newline at end of file',
      '  +b',
    ]);
    expect((await agents(['show', agentId])).out).to.not.include('\u001b');
    const { out } = await agents(['diff', agentId, '2', '3'], { tty: true });
    expect(out).to.include('\u001b[31m-b\u001b[39m').and.include('\u001b[32m+b\u001b[39m');
  });

  const definitionOf = (version: number, more: object) =>
    api.next(
      `GET /api/v1/agents/${agentId}/versions/${version}`,
      ...Array.from({ length: 9 }, () => ({
        body: { data: { ...summary(version), definition: { ...definitions[0], tools: [], ...more } } },
      })),
    );

  it('publishes a version, and says what becomes of that', async () => {
    const { code, out, err } = await agents(['publish', 'Invoice reader', '1']);
    expect({ code, out }).to.deep.equal({
      code: 0,
      out: 'Version 4 of Invoice reader is the live one, with the definition of version 1.\n',
    });
    expect(err).to.equal(
      'The workspace file is as it was: the next `portico apply` makes its definition the live one again.\n',
    );
    expect(api.requests.at(-1)).to.include({ method: 'POST', url: `/api/v1/agents/${agentId}/versions/1/publish` });
    published = 3;
    expect(await agents(['publish', 'Invoice reader', '3'])).to.deep.equal({
      code: 0,
      out: 'Version 3 of Invoice reader is the live one already.\n',
      err: '',
    });
    expect(JSON.parse((await agents(['publish', 'Invoice reader', '3', '--json'])).out)).to.include({
      version: 3,
      live: true,
    });
  });

  it('says in a line what is wrong', async () => {
    const forbidden = {
      detail: 'Only an administrator may do this.',
      status: 403,
      code: 'admin_only',
      request_id: 'r',
    };
    api.next(`POST /api/v1/agents/${agentId}/versions/1/publish`, { status: 403, body: forbidden });
    const refused = await agents(['publish', 'Invoice reader', '1']);
    expect(refused.code).to.equal(1);
    expect(refused.err).to.match(/^portico: Only an administrator may do this. \(403 admin_only\)/);
    expect((await agents(['show', 'Invoice reader', '--version', '7'])).err).to.include('(404 not_found)');
    expect((await agents(['versions', 'Nobody'])).err).to.equal(
      'portico: there is no agent "Nobody": you can see Invoice reader\n',
    );
    for (const argv of [
      ['show', 'Invoice reader', '--version', '0'],
      ['diff', 'Invoice reader', 'x'],
      ['publish', 'Invoice reader'],
    ]) {
      expect((await agents(argv)).code, argv.join(' ')).to.equal(2);
    }
  });
});

describe('the versions of an agent on a server', () => {
  const begin = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
  - name: Reader
`;
  const definition = `
    workflow_type: document_extraction
    model: offline
    instructions: "Read \tit.\\nLeave $\${X} and 'x: #y' as they are.\\n\\n- \\e \\u202e\\n"
    document_schema:
      type: object
      properties: { total: { type: number, maximum: 12345678901234567890.1 }, code: { enum: [null, "null", "1e3", "", yes, "~"] } }
    tools: [search_web]
`;

  it('are printed as a workspace file takes them, so that what was published can be written back', async () => {
    const world = await openWorld({ workspace: begin + definition, env: { OPENAI_API_KEY: 'unused' } });
    const env = { PORTICO_URL: world.baseUrl, PORTICO_API_KEY: await world.key() };
    const agents = async (...argv: readonly string[]) => {
      const ended = await cli(['agents', ...argv], { env });
      expect(ended.code, ended.err).to.equal(0);
      return ended.out;
    };
    const apply = async (text: string) => {
      const changes = await world.composition.container
        .get(WorkspaceService)
        .apply(readWorkspaceFile(text, {}), { dryRun: false, prune: false });
      return changes.find(({ kind }) => kind === 'agents')?.action;
    };
    try {
      expect(await apply(begin + definition.replace('offline', 'openai/gpt-5').replace('Read', 'Look'))).to.equal(
        'change',
      );
      expect(lines(await agents('diff', 'Reader', '1'))).to.include('  +openai/gpt-5');
      expect(await agents('publish', 'Reader', '1')).to.equal(
        'Version 3 of Reader is the live one, with the definition of version 1.\n',
      );
      expect(await agents('diff', 'Reader', '1')).to.equal(
        'Nothing differs between version 1 and version 3 of Reader.\n',
      );
      const shown = await agents('show', 'Reader', '--version', '1');
      expect(shown).to.include('12345678901234567890.1').and.not.include('\u202e');
      expect(await apply(begin + shown.replaceAll(/^/gm, '    '))).to.equal('keep');
      expect(lines(await agents('versions', 'Reader'))[1]).to.match(
        /^3 +live +\S+ \S+ +published by Ada +\/model, \/instructions$/,
      );
    } finally {
      await world.stop();
    }
  });
});
