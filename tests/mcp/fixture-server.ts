import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  type ContentBlock,
  ListToolsRequestSchema,
  type Progress,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { listen } from '../support/listen.ts';

type Report = (progress: Progress) => Promise<void>;

export interface Fixture extends Tool {
  run(
    input: NonNullable<CallToolRequest['params']['arguments']>,
    report: Report,
  ): CallToolResult | Promise<CallToolResult>;
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const nothing = { type: 'object', additionalProperties: false } as const;
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, content: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: content },
});

const saying = (name: string, ...content: ContentBlock[]): Fixture => ({
  name,
  description: `Answers what ${name} is expected to.`,
  inputSchema: nothing,
  run: () => ({ content }),
});

/** What the suite asks for by name. */
const fixtures: readonly Fixture[] = [
  saying('test_simple_text', text('This is a simple text response for testing.')),
  saying('test_image_content', image),
  saying('test_audio_content', { type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  saying(
    'test_embedded_resource',
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  saying(
    'test_multiple_content_types',
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  saying('test_streaming_elicitation', text('Nothing was asked.')),
  saying('test_logging_tool', text('Nothing was logged.')),
  {
    ...saying('test_error_handling'),
    run: () => ({ isError: true, content: [text('This tool intentionally returns an error for testing')] }),
  },
  {
    ...saying('test_tool_with_progress'),
    async run(_input, report) {
      for (const progress of [0, 50, 100]) await report({ progress, total: 100, message: `${progress} of 100` });
      return { content: [text('All of it is done.')] };
    },
  },
  {
    ...saying('json_schema_2020_12_tool', text('It is valid.')),
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  },
  {
    ...saying('test_x_mcp_header', text('The headers agree.')),
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        priority: { type: 'integer', 'x-mcp-header': 'Priority' },
        verbose: { type: 'boolean', 'x-mcp-header': 'Verbose' },
        query: { type: 'string' },
      },
    },
  },
  {
    ...saying('greet'),
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
    run: ({ name }) => ({ content: [text(`Hello, ${name}!`)] }),
  },
  {
    ...saying('wait'),
    inputSchema: {
      type: 'object',
      properties: { seconds: { type: 'number' } },
      required: ['seconds'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
    async run({ seconds }) {
      await sleep(Number(seconds) * 1000, undefined, { ref: false });
      return { content: [text('It is over.')] };
    },
  },
  { ...saying('look_up', text('It is there.')), annotations: { readOnlyHint: true } },
  {
    ...saying('add'),
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { sum: { type: 'number' } },
      required: ['sum'],
      additionalProperties: false,
    },
    run({ a, b }) {
      const sum = Number(a) + Number(b);
      return { content: [text(String(sum))], structuredContent: { sum } };
    },
  },
];

const toolServer = (offered: readonly Fixture[]) => {
  const server = new Server({ name: 'fixtures', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: offered.map(({ run: _, ...tool }) => tool),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { _meta, sendNotification }) => {
    const fixture = offered.find(({ name }) => name === params.name);
    if (!fixture) throw new Error(`there is no tool ${params.name}`);
    return fixture.run(params.arguments ?? {}, async (progress) => {
      const { progressToken } = _meta ?? {};
      if (progressToken === undefined) return;
      await sendNotification({ method: 'notifications/progress', params: { progressToken, ...progress } });
    });
  });
  return server;
};

/** Tools, without a list of them those of the conformance suite, on an MCP server of their own: an agent has them as it has those of any other server. */
export const fixtureServer = (offered = fixtures) =>
  listen(async (request, response) => {
    const server = toolServer(offered);
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });

/** An entry of a workspace's `agents`: an agent with the tools of the server at this address. */
export const fixtureAgent = (baseUrl: string, more = '') =>
  `  - { name: Toolbox, description: Has tools to try., workflow_type: assistant, model: offline, instructions: Help., tools: [{ mcp: { url: "${baseUrl}/mcp", allow_hosts: ["${new URL(baseUrl).host}"] } }]${more} }\n`;
