import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { RemoteTools } from '../../src/application/ports/tools.ts';
import { DoctorService } from '../../src/composition/modules/doctor.ts';
import { ConnectionRepository } from '../../src/composition/modules/postgres.ts';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { sendToApi } from '../support/api.ts';
import { listen } from '../support/listen.ts';
import { calling, modern, rawClient } from './client.ts';
import { openWorld, type World } from './world.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: vic@example.com, name: Vic, role: viewer }
  - { email: max@example.com, name: Max, role: member }
connections:
  - { name: erp, type: sqlserver, url: "mssql://reader:secret@127.0.0.1:1/none" }
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
databases:
  - { id: books, name: Books, connection: ledger, schemas: [public] }
agents:
  - name: Clerk
    workflow_type: assistant
    model: offline
    instructions: Help.
    tools:
      - search_web
      - { connection: erp, write: true }
      - { database: books }
      - { mcp: { url: "https://lab.example/mcp" } }
      - { agent: Reader }
${methods.map((method) => `      - { http: { name: ${method.toLowerCase()}_it, method: ${method}, url: "\${SYSTEM}/x", allow_hosts: ["\${HOST}"] } }`).join('\n')}
  - { name: Reader, workflow_type: assistant, model: offline, instructions: Read. }
`;

/** A system behind the http tools, which remembers what it was asked. */
const system = async () => {
  const asked: string[] = [];
  const { port, stop } = await listen((req, res) => {
    asked.push(String(req.method));
    res.setHeader('connection', 'close').end('fine');
  });
  return { asked, host: `127.0.0.1:${port}`, close: stop };
};

const annotations = { title: 'x', destructive: false, idempotent: true, openWorld: true };
const remote: RemoteTools = {
  list: async () =>
    [true, false].map((readOnly) => ({
      name: readOnly ? 'look_up' : 'book',
      description: '',
      inputSchema: { type: 'object' },
      outputSchema: null,
      annotations: { ...annotations, readOnly },
    })),
  call: async (_, { name }) => ({ text: `${name} done`, isError: false }),
};

interface Row {
  readonly tool: string;
  readonly input?: object;
}

const row = { entity: 'dbo.t', values: { a: 1 } };
const reads: readonly Row[] = [
  { tool: 'search_web', input: { query: 'coffee' } },
  { tool: 'erp_list_entities' },
  { tool: 'erp_list_records', input: { entity: 'dbo.t' } },
  { tool: 'books_list_tables' },
  { tool: 'books_describe_table', input: { table: 'entries' } },
  { tool: 'books_query', input: { query: 'select 1' } },
  { tool: 'look_up' },
  { tool: 'get_it' },
  { tool: 'head_it' },
];
const writes: readonly Row[] = [
  { tool: 'erp_insert_record', input: row },
  { tool: 'erp_update_record', input: { ...row, key_column: 'id', key_value: 1 } },
  { tool: 'book' },
  { tool: 'run_reader', input: { message: 'Hello' } },
  ...methods.slice(2).map((method) => ({ tool: `${method.toLowerCase()}_it` })),
];
const all = [...reads, ...writes];

const REFUSED = /Not run: this tool may write, send or start something, and the user may only read\./;

describe('tools for those who may only read', () => {
  let world: World;
  let behind: Awaited<ReturnType<typeof system>>;
  before(async () => {
    behind = await system();
    const variables = { SYSTEM: `http://${behind.host}`, HOST: behind.host };
    world = await openWorld({
      workspace,
      variables,
      remote,
      env: { CONNECTION_TIMEOUT_SECONDS: '2', RATE_LIMIT_RUNS: '1000' },
    });
  });
  after(async () => {
    await world.stop();
    await behind.close();
  });

  /** What each tool answered over the tool endpoint. */
  const overMcp = async (email: string, era: 'handshake' | 'modern') => {
    const send = rawClient(world.mcpUrl(), await world.key({ email }));
    const answers = new Map<string, { readonly text: string; readonly isError: boolean }>();
    for (const { tool, input = {} } of all) {
      const { message, headers } = modern('tools/call', { name: tool, arguments: input });
      const { body } = await (era === 'modern' ? send(message, { headers }) : send(calling(tool, input)));
      answers.set(tool, { text: body.result.content[0]?.text ?? '', isError: body.result.isError === true });
    }
    return answers;
  };

  const http = async (email: string, path: string, body?: object) =>
    sendToApi(world.baseUrl, await world.key({ email }), path, { body });

  const command = ({ tool, input = {} }: Row) => `/${tool} ${JSON.stringify(input)}`;

  /** Runs that a member begins, one for each tool: tool → run. */
  const beginRuns = async () => {
    const begun = new Map<string, string>();
    for (const each of all) {
      const answer = await http('max@example.com', `/agents/${world.agentId('Clerk')}/run`, {
        user_message: command(each),
      });
      const { data } = (await answer.json()) as { readonly data: { readonly id: string } };
      begun.set(each.tool, data.id);
    }
    return begun;
  };

  /** What each tool answered there, once the runs are over. */
  const answersOf = async (begun: ReadonlyMap<string, string>) => {
    const answers = new Map<string, string>();
    for (const [tool, id] of begun) {
      for (let tries = 0; !answers.has(tool); tries += 1) {
        expect(tries, `the run of ${tool} ends`).to.be.lessThan(600);
        const { rows } = await world.composition.database.pool.query(
          `select m.content from messages m join run_units u on u.conversation_id = m.conversation_id join runs r on r.id = u.run_id
           where r.id = $1 and m.role = 'tool' and r.status in ('completed', 'failed')`,
          [id],
        );
        if (rows.length > 0) answers.set(tool, rows[0].content);
        else await sleep(50);
      }
    }
    return answers;
  };

  for (const era of ['handshake', 'modern'] as const) {
    it(`only read over the tool endpoint (${era})`, async () => {
      behind.asked.length = 0;
      const answers = await overMcp('vic@example.com', era);
      for (const { tool } of reads) expect(answers.get(tool)?.text, tool).not.to.match(REFUSED);
      for (const { tool } of writes) {
        expect(answers.get(tool)?.text, tool).to.match(REFUSED);
        expect(answers.get(tool)?.isError, tool).to.equal(true);
      }
      expect(behind.asked).to.deep.equal(['GET', 'HEAD']);
    });
  }

  it('say of each connection whether a tool writes through it', async () => {
    const all = await world.composition.container.get(ConnectionRepository).all();
    expect(all.map(({ name, isWritten }) => [name, isWritten])).to.deep.equal([
      ['erp', true],
      ['ledger', false],
    ]);
  });

  it('are named by doctor where it is open whether they may write on the word of what was read', async () => {
    const open = (await world.composition.container.get(DoctorService).tools()).filter(({ detail }) =>
      detail.startsWith('a decision is open'),
    );
    expect(open.map(({ name, status }) => [name, status])).to.deep.equal([['tools of acme/Clerk', 'warn']]);
    const [, tools = ''] = / by (.*?)\. /.exec(open[0]?.detail ?? '') ?? [];
    expect(tools.split(', ')).to.have.members(writes.map(({ tool }) => tool));
  });

  it('do everything for a member over the tool endpoint', async () => {
    behind.asked.length = 0;
    const answers = await overMcp('max@example.com', 'handshake');
    for (const [tool, { text }] of answers) expect(text, tool).not.to.match(REFUSED);
    expect(behind.asked).to.deep.equal([...methods]);
  });

  it('only read in the run of a user who has become a viewer, and do everything in that of a member', async () => {
    behind.asked.length = 0;
    const begun = await beginRuns();
    await world.query(`update users set role = 'viewer' where email = 'max@example.com'`);
    const worker = world.composition.container.get(RunWorker);
    worker.start();
    try {
      const answers = await answersOf(begun);
      for (const { tool } of reads) expect(answers.get(tool), tool).not.to.match(REFUSED);
      for (const { tool } of writes) expect(answers.get(tool), tool).to.match(REFUSED);
      expect(behind.asked.toSorted()).to.deep.equal(['GET', 'HEAD']);
      await world.query(`update users set role = 'member' where email = 'max@example.com'`);
      behind.asked.length = 0;
      for (const [tool, text] of await answersOf(await beginRuns())) expect(text, tool).not.to.match(REFUSED);
      expect(behind.asked.toSorted()).to.deep.equal(methods.toSorted());
    } finally {
      await worker.stop(1000);
    }
  });

  it('are out of reach in a conversation, for a key without the scope too', async () => {
    behind.asked.length = 0;
    const { rows } = await world.composition.database.pool.query('select id from conversations limit 1');
    const path = `/threads/${rows[0].id}/messages`;
    for (const each of all)
      expect((await http('vic@example.com', path, { message: command(each) })).status, each.tool).to.equal(403);
    const headers = {
      'x-api-key': await world.key({ email: 'max@example.com', scopes: ['agents:read', 'runs:read'] }),
    };
    const sent = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"message":"/post_it {}"}',
    };
    expect((await fetch(`${world.baseUrl}/api/v1${path}`, sent)).status).to.equal(403);
    expect(behind.asked).to.deep.equal([]);
  });
});
