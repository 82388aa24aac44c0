import { expect } from 'chai';
import fc from 'fast-check';
import { rowWriter } from '../../src/adapters/connectors/sql/writer.ts';
import { sqlserver } from '../../src/adapters/connectors/sqlserver/dialect.ts';
import type { Run, Statement } from '../../src/adapters/connectors/sqlserver/session.ts';
import { writing } from '../../src/adapters/connectors/sqlserver/transaction.ts';
import type { Connector } from '../../src/application/ports/connectors.ts';
import { Connectors } from '../../src/composition/modules/outside.ts';
import { compareNumbers, jsonNumber } from '../../src/domain/json-number.ts';
import { modern, rawClient } from '../mcp/client.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { listen } from '../support/listen.ts';

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
connections:
  - { name: erp, type: sqlserver, url: "mssql://sa:secret@127.0.0.1:1/none" }
agents:
  - name: Clerk
    workflow_type: assistant
    model: offline
    instructions: Help.
    tools:
      - { connection: erp, write: true }
      - { http: { name: post_it, method: POST, url: "\${SYSTEM}/x", allow_hosts: ["\${HOST}"], body: { a: "{a}", b: 9007199254740993 }, input_schema: { properties: { a: { type: number } } } } }
`;

const column = (name: string, key: number | null) => ({
  schema_name: 'dbo',
  table_name: 'bills',
  is_view: 0,
  column_name: name,
  base_type: 'decimal',
  declared_type: 'decimal',
  is_clr: false,
  max_length: 17,
  precision: 38,
  scale: 10,
  is_nullable: 1,
  default_definition: null,
  collation_name: null,
  key_ordinal: key,
});

/** Digits of a decimal(38,10), in one of the forms of JSON. */
const digits = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 1n, max: 10n ** 28n - 1n }),
    fc.stringMatching(/^\d{0,10}$/),
    fc.boolean(),
  )
  .map(([sign, whole, fraction, plain]) => {
    if (plain) return `${sign}${whole}${fraction && `.${fraction}`}`;
    const [first, ...rest] = `${whole}${fraction}`;
    return `${sign}${first}${rest.length > 0 ? `.${rest.join('')}` : ''}e${`${whole}`.length - 1}`;
  });

/** A system behind the http tool, which remembers what it was sent. */
const system = async () => {
  const bodies: string[] = [];
  const { port, stop } = await listen(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    bodies.push(body);
    res.setHeader('connection', 'close').end('fine');
  });
  return { bodies, host: `127.0.0.1:${port}`, close: stop };
};

describe('numbers on their way into a database', () => {
  let world: World;
  let behind: Awaited<ReturnType<typeof system>>;
  let key: string;
  let connection: string;
  let written: Statement[] = [];

  const query: Run = async <R extends object>(statement: Statement) => {
    const { text } = statement;
    if (text.includes('@portico_rows')) written.push(statement);
    const rows = text.includes('@portico_rows')
      ? [{ affected: 1 }]
      : text.startsWith('select top (2) 1 as found')
        ? [{ found: 1 }]
        : [column('id', 1), column('total', null)];
    return rows as unknown as readonly R[];
  };

  before(async () => {
    behind = await system();
    world = await openWorld({ workspace, variables: { SYSTEM: `http://${behind.host}`, HOST: behind.host } });
    const connectors = world.composition.container.get(Connectors) as { open(...given: unknown[]): Connector };
    connectors.open = () =>
      ({
        writer: rowWriter(sqlserver, async (write) => (await write(writing(query))).make()),
      }) as Partial<Connector> as Connector;
    key = await world.key();
    const { rows } = await world.composition.database.pool.query('select id from connections');
    connection = rows[0].id;
  });
  after(async () => {
    await world.stop();
    await behind.close();
  });

  const http = async (method: string, path: string, body: string) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(`${world.baseUrl}/api/v1${path}`, { method, headers, body });
    const text = await response.text();
    expect(response.ok, text).to.equal(true);
    return text;
  };
  const called = async (raw: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await rawClient(world.mcpUrl(), key)(undefined, { raw, headers });
    expect(answer.body.result, answer.text).to.be.an('object').that.does.not.include({ isError: true });
  };
  const overMcp = (tool: string, input: string) =>
    called(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${input}}}`);
  const overModernMcp = (tool: string, input: string) => {
    const { message, headers } = modern('tools/call', { name: tool, arguments: 'INPUT' });
    return called(JSON.stringify(message).replace('"INPUT"', input), headers);
  };
  const inConversation = async (tool: string, input: string) => {
    const { rows } = await world.composition.database.pool.query(
      `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status, created_at, updated_at)
       select gen_random_uuid(), a.workspace_id, a.id, null, u.id, 'idle', now(), now()
       from agents a join users u on u.workspace_id = a.workspace_id limit 1 returning id`,
    );
    const text = await http(
      'POST',
      `/threads/${rows[0].id}/messages`,
      JSON.stringify({ message: `/${tool} ${input}` }),
    );
    expect(text).to.not.match(/Error: /);
    return text;
  };

  const insert = (text: string) => `{"entity":"dbo.bills","values":{"total":${text}}}`;
  const update = (text: string) =>
    `{"entity":"dbo.bills","key_column":"id","key_value":${text},"values":{"total":${text}}}`;

  const doors: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
    'POST records': (text) => http('POST', `/connections/${connection}/records`, insert(text)),
    'PATCH records': (text) => http('PATCH', `/connections/${connection}/records`, update(text)),
    'the tool endpoint': (text) => overMcp('erp_insert_record', insert(text)),
    'the tool endpoint, as it is today': (text) => overModernMcp('erp_update_record', update(text)),
    'a conversation': (text) => inConversation('erp_update_record', update(text)),
  };
  for (const [door, pass] of Object.entries(doors))
    it(`keep every digit by way of ${door}`, async () => {
      await fc.assert(
        fc.asyncProperty(digits, async (text) => {
          written = [];
          await pass(text);
          const values = written.flatMap(({ parameters }) => parameters.map(({ value }) => String(value)));
          expect(values).to.have.length(/PATCH|today|conversation/.test(door) ? 2 : 1);
          for (const value of values)
            expect(compareNumbers(jsonNumber(value), jsonNumber(text)), `${value} for ${text}`).to.equal(0);
        }),
        { numRuns: 25, examples: [['9007199254740993'], ['123456789012345.6789'], ['-9.007199254740993e15']] },
      );
    });

  it('keep every digit through an http tool, with those of its own body', async () => {
    for (const pass of [overMcp, overModernMcp, inConversation]) {
      behind.bodies.length = 0;
      await pass('post_it', '{"a":123456789012345678.25}');
      expect(behind.bodies).to.deep.equal(['{"a":123456789012345678.25,"b":9007199254740993}']);
    }
  });

  it('are shown in a conversation as they were sent', async () => {
    const text = await inConversation('erp_insert_record', insert('9007199254740993'));
    expect(text).to.include('"arguments":{"entity":"dbo.bills","values":{"total":9007199254740993}}');
  });
});
