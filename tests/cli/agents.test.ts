import { expect } from 'chai';
import { type FakeApi, fakeApi, KEY } from './fake-api.ts';
import { cli, lines } from './run-cli.ts';

const id = (last: number) => `0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e0${last}`;
const mcpUrl = (last: number) => `https://portico.example/api/v1/agents/${id(last)}/mcp`;

const agent = (last: number, name: string, fields: object = {}) => ({
  id: id(last),
  name,
  description: 'Reads invoices',
  workflow_type: 'assistant',
  posts: false,
  mcp_url: mcpUrl(last),
  ...fields,
});

/** As programs write what they fill in themselves. */
const filledIn = (name: string) => `\${${name}}`;

describe('portico agents list', () => {
  let api: FakeApi;
  beforeEach(async () => {
    api = await fakeApi();
  });
  afterEach(() => api.close());

  const list = (agents: readonly object[], ...more: readonly string[]) => {
    api.next('GET /api/v1/agents', { body: { data: { agents } } });
    return cli(['agents', 'list', ...more], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY } });
  };

  it('prints each agent, where its tools are, and a command to paste', async () => {
    const { code, out, err } = await list([
      agent(1, 'Invoice reader', { workflow_type: 'document_extraction' }),
      agent(2, 'Zoë', { description: '' }),
    ]);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(lines(out)).to.deep.equal([
      'ID                                    NAME            DESCRIPTION',
      `${id(1)}  Invoice reader  Reads invoices`,
      `${id(2)}  Zoë`,
      '',
      'AGENT           MCP URL',
      `Invoice reader  ${mcpUrl(1)}`,
      `Zoë             ${mcpUrl(2)}`,
      '',
      'Use the tools of Zoë in Claude Code (without the header, it signs you in by the browser):',
      '',
      `  claude mcp add --transport http zoe ${mcpUrl(2)} --header "X-API-Key: $PORTICO_API_KEY"`,
      '',
      'Other programs: portico agents list --mcp claude|cursor|vscode prints the file that they read.',
    ]);
  });

  it('prints the file that a program reads, with every agent and without the key', async () => {
    const agents = [
      agent(1, 'Invoice reader'),
      agent(2, 'invoice READER'),
      agent(3, '請求書'),
      agent(4, 'A name that is far too long to be kept'),
    ];
    const names = ['invoice_reader', 'invoice_reader_2', 'agent', 'a_name_that_is_far_t'];
    const files = {
      claude: (url: string) => ({ type: 'http', url, headers: { 'X-API-Key': filledIn('PORTICO_API_KEY') } }),
      cursor: (url: string) => ({ url, headers: { 'X-API-Key': filledIn('env:PORTICO_API_KEY') } }),
      vscode: (url: string) => ({ type: 'http', url, headers: { 'X-API-Key': filledIn('input:portico-api-key') } }),
    };
    for (const [program, entry] of Object.entries(files)) {
      const { code, out, err } = await list(agents, '--mcp', program);
      expect({ code, err }, program).to.deep.equal({ code: 0, err: '' });
      const { mcpServers, servers } = JSON.parse(out) as Record<string, object>;
      expect(mcpServers ?? servers, program).to.deep.equal(
        Object.fromEntries(names.map((name, index) => [name, entry(mcpUrl(index + 1))])),
      );
      expect(out).to.not.include(KEY);
    }
    const { inputs } = JSON.parse((await list([], '--mcp', 'vscode')).out) as { inputs: readonly object[] };
    expect(inputs).to.deep.equal([
      { type: 'promptString', id: 'portico-api-key', description: 'Portico API key', password: true },
    ]);
  });

  it('gives the shell nothing to run, whatever a server answers', async () => {
    const { out } = await list([agent(1, '$(reboot)\u001b[2J', { mcp_url: "http://x/'; $(reboot) `id` \u001b[2J" })]);
    expect(out).to.include(`http reboot_2j 'http://x/'\\''; $(reboot) \`id\` \\u001b[2J' --header`);
    expect(out).to.not.include('\u001b');
  });

  it('prints for programs what the server answers', async () => {
    const agents = [agent(1, 'Invoice reader', { new_field: 1 })];
    const { code, out } = await list(agents, '--json');
    expect({ code, value: JSON.parse(out) as object }).to.deep.equal({ code: 0, value: { agents } });
  });

  it('says so where there is none, and where it is asked wrongly', async () => {
    expect(await list([])).to.include({ code: 0, out: 'There is no agent that you can see.\n' });
    const unknown = await list([], '--mcp', 'emacs');
    expect(unknown.code).to.equal(2);
    expect(unknown.err).to.include('Allowed choices are claude, cursor, vscode');
    expect((await list([], '--mcp', 'cursor', '--json')).code).to.equal(2);
  });
});
