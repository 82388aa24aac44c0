import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect } from 'chai';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { mcpTools } from '../../src/adapters/tools/mcp.ts';
import { callApi } from '../support/api.ts';
import { calling, rawClient, request } from './client.ts';
import { type Fixture, fixtureAgent, fixtureServer } from './fixture-server.ts';
import { openWorld, type World } from './world.ts';

interface Listed {
  readonly tools: readonly { readonly name: string }[];
  readonly left_out: readonly { readonly tool: string; readonly reason: string }[];
}

/** Patterns of servers as they are: without the `u` flag each is a regular expression, with it none is. */
const plain: Readonly<Record<string, string>> = {
  sku: String.raw`^[\w-.]+$`,
  range: String.raw`^\d+\-\d+$`,
  snake: String.raw`^[a-z]+\_[a-z]+$`,
  handle: String.raw`^\@\w+$`,
};

const answer = (structuredContent: Record<string, unknown>) => () => ({
  content: [{ type: 'text' as const, text: 'One.' }],
  structuredContent,
});

/** What the newest draft means by these, draft 07 does not know: all items are of the kind that `items` names. */
const tuple = { properties: { pair: { prefixItems: [{ type: 'number' }, { type: 'string' }], items: false } } };
const moreThanTwo = {
  properties: { pair: { prefixItems: [{ type: 'number' }, { type: 'number' }], items: { type: 'string' } } },
};
const partNamed = (type: string) => ({
  properties: { n: { $ref: 'https://shop.example/part' } },
  $defs: { part: { $id: 'https://shop.example/part', type } },
});

describe('schemas of the tools of other servers', () => {
  const asked: unknown[] = [];
  const tool = (name: string, properties: Record<string, object>): Fixture => ({
    name,
    inputSchema: { type: 'object', properties, additionalProperties: false },
    annotations: { readOnlyHint: true },
    run(input) {
      asked.push(input);
      return { content: [{ type: 'text', text: 'It is there.' }] };
    },
  });
  const properties = Object.fromEntries(
    Object.entries(plain).map(([name, pattern]) => [name, { type: 'string', pattern }]),
  );
  const answering = (name: string, outputSchema: object): Fixture => ({
    ...tool(name, {}),
    outputSchema: { type: 'object', ...outputSchema },
    run: answer({ n: 1 }),
  });
  let server: Awaited<ReturnType<typeof fixtureServer>>;
  let world: World;
  let key: string;
  before(async () => {
    server = await fixtureServer([
      tool('find', { ...properties, letter: { type: 'string', pattern: String.raw`^\p{Lu}$` } }),
      tool('broken', { name: { type: 'string', pattern: '(' } }),
      {
        ...tool('slow', { name: { type: 'string', pattern: String.raw`^(\_+)+$` } }),
        outputSchema: { type: 'object', properties },
      },
      answering('draft_04', {
        $schema: 'http://json-schema.org/draft-04/schema#',
        properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true } },
      }),
      answering('draft_04_named', { $schema: 'http://json-schema.org/draft-04/schema#', id: 'https://shop.example/n' }),
      answering('draft_07', {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { n: { type: 'number' } },
      }),
      { ...answering('a_tuple', tuple), run: answer({ pair: [1, 'two'] }) },
      { ...answering('a_tuple_and_more', moreThanTwo), run: answer({ pair: [1, 2, 'three'] }) },
      { ...answering('named', { $id: 'https://shop.example/result', required: ['n'] }), run: answer({ n: 1 }) },
      { ...answering('named_alike', { $id: 'https://shop.example/result', required: ['m'] }), run: answer({ m: 1 }) },
      { ...answering('part_named', partNamed('number')), run: answer({ n: 1 }) },
      { ...answering('part_named_alike', partNamed('string')), run: answer({ n: 'one' }) },
    ]);
    world = await openWorld({
      workspace: `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
${fixtureAgent(server.baseUrl)}`,
      remote: mcpTools({ outbound: safeOutbound({ allowedHosts: [] }), version: '1.0.0' }),
    });
    key = await world.key();
  });
  after(async () => {
    await world.stop();
    await server.stop();
  });
  beforeEach(() => void asked.splice(0));

  const call = async (name: string, input: object) =>
    (await rawClient(world.mcpUrl('Toolbox'), key)(calling(name, input))).body.result;

  it('have patterns with the u flag, else without it; one that is none in either way leaves its tool out', async () => {
    const { text } = await callApi(world.baseUrl, key, `/agents/${world.agentId('Toolbox')}/tools`);
    const { tools, left_out: leftOut } = (JSON.parse(text) as { data: Listed }).data;
    const answering = ['draft_04', 'draft_04_named', 'draft_07', 'find', 'named', 'named_alike'];
    expect(tools.map(({ name }) => name)).to.deep.equal([
      'a_tuple',
      'a_tuple_and_more',
      ...answering,
      'part_named',
      'part_named_alike',
      'slow',
    ]);
    expect(leftOut.map(({ tool: name }) => name)).to.deep.equal(['mcp broken']);
    expect(leftOut[0]?.reason).to.match(/a pattern is not a regular expression/);
  });

  it('pass on what fits, and refuse what does not before the server is asked', async () => {
    const fitting = { sku: 'a-b.c', range: '1-2', snake: 'a_b', handle: '@ada', letter: 'Ä' };
    expect((await call('find', fitting)).isError).not.to.equal(true);
    expect(asked.splice(0)).to.deep.equal([fitting]);
    for (const name of Object.keys(fitting)) {
      const { isError, content } = await call('find', { ...fitting, [name]: 'two words' });
      expect(isError, name).to.equal(true);
      expect(content[0]?.text).to.include(`/${name} must match the pattern`);
    }
    expect(asked).to.deep.equal([]);
  });

  it('bound the time of a pattern in either way', async () => {
    const { isError, content } = await call('slow', { name: `${'_'.repeat(60)}!` });
    expect([isError, asked.length]).to.deep.equal([true, 0]);
    expect(content[0]?.text).to.include('it takes too long against this schema');
  });

  it('of what a tool answers are offered only where every client can compile them', async () => {
    const { tools } = (await rawClient(world.mcpUrl('Toolbox'), key)(request('tools/list'))).body.result;
    expect(tools.find(({ name }) => name === 'slow')).to.have.property('inputSchema');
    expect(tools.find(({ name }) => name === 'slow')).not.to.have.property('outputSchema');
  });

  it('of what a tool answers do not make the official client refuse a result that is as they say', async () => {
    const client = new Client({ name: 'probe', version: '1.0.0' });
    const requestInit = { headers: { 'x-api-key': key } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(world.mcpUrl('Toolbox')), { requestInit }) as Transport,
    );
    const { tools } = await client.listTools();
    const offered = (name: string) => tools.find((each) => each.name === name)?.outputSchema;
    const results = {
      a_tuple: { pair: [1, 'two'] },
      a_tuple_and_more: { pair: [1, 2, 'three'] },
      named: { n: 1 },
      named_alike: { m: 1 },
      part_named: { n: 1 },
      part_named_alike: { n: 'one' },
    };
    for (const [name, result] of Object.entries(results)) {
      const { structuredContent } = await client.callTool({ name, arguments: {} });
      expect(structuredContent, name).to.deep.equal(result);
    }
    expect(offered('named_alike')).to.deep.equal({ type: 'object', required: ['m'] });
    await client.close();
  });

  it('of what a tool answers leave the list of the official client whole, whatever their draft', async () => {
    const client = new Client({ name: 'probe', version: '1.0.0' });
    const requestInit = { headers: { 'x-api-key': key } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(world.mcpUrl('Toolbox')), { requestInit }) as Transport,
    );
    const { tools } = await client.listTools();
    const answering = tools.filter(({ name }) => name.startsWith('draft_'));
    expect(answering.map(({ name, outputSchema }) => `${name} ${outputSchema !== undefined}`)).to.deep.equal([
      'draft_04 false',
      'draft_04_named false',
      'draft_07 true',
    ]);
    for (const { name } of answering) {
      const { structuredContent } = await client.callTool({ name, arguments: {} });
      expect(structuredContent, name).to.deep.equal({ n: 1 });
    }
    await client.close();
  });
});
