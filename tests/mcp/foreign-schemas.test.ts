import { Readable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { z } from 'zod';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { mcpTools } from '../../src/adapters/tools/mcp.ts';
import { ToolService } from '../../src/composition/modules/conversations.ts';
import { DoctorService } from '../../src/composition/modules/doctor.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { cli } from '../cli/run-cli.ts';
import { callApi } from '../support/api.ts';

import { listen } from '../support/listen.ts';
import { calling, rawClient, request } from './client.ts';
import { openWorld, type World } from './world.ts';

/** As its users write one, with schemas as the SDK makes them. */
const shop = () => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  const line = z.object({ sku: z.string().min(1), count: z.number().int().positive() });
  server.registerTool(
    'order',
    {
      description: 'Orders.',
      inputSchema: {
        customer: z.string().describe('Who orders.'),
        lines: z.array(line).min(1),
        place: z.tuple([z.number(), z.number()]).optional(),
        mode: z.enum(['now', 'later']).default('now'),
        note: z.string().nullable().optional(),
        more: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      },
      outputSchema: { ordered: z.number() },
    },
    async ({ lines }) => {
      const ordered = lines.reduce((sum, { count }) => sum + count, 0);
      return { content: [{ type: 'text', text: String(ordered) }], structuredContent: { ordered } };
    },
  );
  server.registerTool('greet', { inputSchema: {} }, async () => ({ content: [{ type: 'text', text: 'Hello.' }] }));
  return server;
};

interface Listed {
  readonly data: {
    readonly tools: readonly { name: string }[];
    readonly left_out: readonly { tool: string; reason: string }[];
  };
}

const drafts = {
  '04': 'http://json-schema.org/draft-04/schema#',
  '06': 'http://json-schema.org/draft-06/schema#',
  '07': 'http://json-schema.org/draft-07/schema#',
};
const limited = { type: 'object', properties: { n: { type: 'number', exclusiveMaximum: 5 } } };

/** What other servers list, good and bad. */
const listed = [
  {
    name: 'draft_04',
    inputSchema: { $schema: drafts['04'], type: 'object', properties: { n: { maximum: 5, exclusiveMaximum: true } } },
  },
  { name: 'draft_06', inputSchema: { $schema: drafts['06'], ...limited } },
  { name: 'draft_07', inputSchema: { $schema: drafts['07'], ...limited } },
  { name: 'draft_2019', inputSchema: { $schema: 'https://json-schema.org/draft/2019-09/schema', ...limited } },
  { name: 'draft_2020', inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...limited } },
  { name: 'draft_none', inputSchema: limited },
  {
    name: 'odd_output',
    inputSchema: { type: 'object', properties: { n: { maximum: 4 } } },
    outputSchema: { type: 'array' },
  },
  { name: 'draft_03', inputSchema: { $schema: 'http://json-schema.org/draft-03/schema#', type: 'object' } },
  { name: 'outside', inputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } },
  { name: 'a_list', inputSchema: { type: 'array' } },
  { name: 'no_schema' },
  { description: 'has no name', inputSchema: { type: 'object' } },
];
const usable = ['draft_04', 'draft_06', 'draft_07', 'draft_2019', 'draft_2020', 'draft_none', 'odd_output'];

const museum = () => {
  const { server } = new McpServer({ name: 'museum', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: listed as never }));
  server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [{ type: 'text', text: 'fine' }] }));
  return server;
};

const serving = (make: () => McpServer | Server) =>
  listen(async (asked, answer) => {
    const server = make();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    answer.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(asked, answer);
  });

describe('the tools of servers that others write', () => {
  let servers: readonly Awaited<ReturnType<typeof serving>>[];
  let world: World;
  let key: string;
  let workspace: string;
  before(async () => {
    servers = [await serving(shop), await serving(museum)];
    const entry = (name: string, { baseUrl }: { readonly baseUrl: string }) =>
      `{ mcp: { name: ${name}, url: "${baseUrl}/mcp", allow_hosts: ["${new URL(baseUrl).host}"] } }`;
    const [first, second] = servers;
    if (!first || !second) throw new Error('they do not listen');
    workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
agents:
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help., tools: [${entry('shop', first)}, ${entry('museum', second)}] }
  - { name: Cut off, workflow_type: assistant, model: offline, instructions: Help., tools: [{ mcp: { url: "http://127.0.0.1:1/mcp", allow_hosts: ["127.0.0.1:1"] } }] }
`;
    world = await openWorld({
      workspace,
      remote: mcpTools({ outbound: safeOutbound({ allowedHosts: [] }), version: '1.0.0' }),
    });
    key = await world.key();
  });
  after(async () => {
    await world.stop();
    for (const { stop } of servers) await stop();
  });

  it('are offered as the TypeScript SDK describes them, and checked by that', async () => {
    const send = rawClient(world.mcpUrl(), key);
    const { tools } = (await send(request('tools/list'))).body.result;
    const order = tools.find(({ name }) => name === 'shop_order');
    expect(order?.inputSchema.$schema, 'what the SDK writes').to.match(/draft-07/);
    expect(tools.map(({ name }) => name)).to.include('shop_greet');
    const call = async (input: object) => {
      const { body } = await send(calling('shop_order', input));
      return `${body.result.isError ?? false} ${body.result.content[0]?.text}`;
    };
    const lines = [
      { sku: 'a', count: 2 },
      { sku: 'b', count: 3 },
    ];
    expect(await call({ customer: 'Ada', lines, place: [1, 2], note: null, more: { a: 1 } })).to.equal('false 5');
    const wrong = await call({ customer: 'Ada', lines: [{ sku: '', count: 0 }], place: [1, 'x'], mode: 'never' });
    expect(wrong).to.match(/^true The arguments of shop_order are not valid:/);
    for (const place of [
      '/lines/0/sku must',
      '/lines/0/count must be more than 0',
      '/place/1 must be a number',
      '/mode must be one of',
    ])
      expect(wrong).to.include(place);
  });

  for (const name of usable)
    it(`are offered in every draft: ${name}`, async () => {
      const { body } = await rawClient(world.mcpUrl(), key)(calling(`museum_${name}`, { n: 5 }));
      expect(body.result.content[0]?.text).to.match(/\/n must be (less than 5|at most 4)/);
      const { body: fine } = await rawClient(world.mcpUrl(), key)(calling(`museum_${name}`, { n: 4 }));
      expect(fine.result.content[0]?.text).to.equal('fine');
    });

  it('are named, with the reason, where they cannot be offered', async () => {
    const why: readonly (readonly [tool: string, reason: RegExp])[] = [
      [
        'mcp museum draft_03',
        /^cannot be offered: \$schema is ".*draft-03.*": the drafts 04, 06, 07, 2019-09 and 2020-12 are known/,
      ],
      [
        'mcp museum outside',
        /^cannot be offered: \$ref "https:\/\/example.com\/a.json" leads to nothing in this schema/,
      ],
      ['mcp museum a_list', /^cannot be offered: its input is not an object$/],
      ['mcp museum no_schema', /^cannot be offered: it does not say what its input is$/],
      ['mcp museum', /^cannot be offered: it has no name$/],
    ];
    const { body } = await callApi<Listed>(world.baseUrl, key, `/agents/${world.agentId('Clerk')}/tools`);
    const named = body.data.tools.map(({ name }) => name);
    expect(named).to.have.members(['shop_greet', 'shop_order', ...usable.map((name) => `museum_${name}`)]);
    expect(body.data.left_out.map(({ tool }) => tool)).to.have.members(why.map(([tool]) => tool));
    const examined = (await world.composition.container.get(DoctorService).tools()).filter(
      ({ name, status }) => name === 'tools of acme/Clerk' && status === 'fail',
    );
    const { container } = world.composition;
    const operator = { workspaces: container.get(WorkspaceService), tools: container.get(ToolService) };
    const { out } = await cli(['apply', '-f', '-', '--dry-run', '--json'], {
      operator,
      stdin: Readable.from([workspace]),
    });
    const applied = JSON.parse(out).left_out as readonly { agent: string; tool: string; reason: string }[];
    for (const [tool, reason] of why) {
      expect(body.data.left_out.find((each) => each.tool === tool)?.reason, tool).to.match(reason);
      expect(applied.find((each) => each.agent === 'Clerk' && each.tool === tool)?.reason, tool).to.match(reason);
      expect(
        examined.some(({ detail }) => detail.startsWith(`${tool} cannot be offered: `)),
        tool,
      ).to.equal(true);
    }
    expect(applied.find(({ agent }) => agent === 'Cut off')?.reason).to.equal(
      'The host 127.0.0.1 refuses the connection.',
    );
  });

  it('do not say where a server is that cannot be asked, but to administrators', async () => {
    const reasonsFor = async (email: string) => {
      const path = `/agents/${world.agentId('Cut off')}/tools`;
      const { body } = await callApi<Listed>(world.baseUrl, await world.key({ email }), path);
      return body.data.left_out;
    };
    expect(await reasonsFor('ada@example.com')).to.deep.equal([
      { tool: 'mcp', reason: 'The host 127.0.0.1 refuses the connection.' },
    ]);
    expect(await reasonsFor('bob@example.com')).to.deep.equal([
      { tool: 'mcp', reason: 'its server could not be asked for its tools' },
    ]);
  });
});
