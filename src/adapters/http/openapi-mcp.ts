import type { JsonSchema } from '../../domain/json.ts';
import type { ErrorCode } from './error-codes.ts';
import { errorResponse, headerRefs, onEveryAnswer } from './openapi-components.ts';
import { exampleAgent } from './shapes/agent.ts';

const id = { description: 'Chosen by the client; the reply has the same.' };

const message: JsonSchema = {
  type: 'object',
  description: 'A message of JSON-RPC 2.0 as the Model Context Protocol has them; a request has an `id`, a notification has none.',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { ...id, type: ['string', 'integer'] },
    method: { type: 'string' },
    params: { type: 'object' },
  },
  required: ['jsonrpc'],
};

const reply: JsonSchema = {
  type: 'object',
  description: 'A reply of JSON-RPC 2.0: either a `result` or an `error`.',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { ...id, type: ['string', 'integer', 'null'] },
    result: { type: 'object' },
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc', 'id'],
  oneOf: [{ required: ['result'] }, { required: ['error'] }],
};

const toBatch = (name: string): JsonSchema => {
  const one = { $ref: `#/components/schemas/${name}` };
  return { oneOf: [one, { type: 'array', items: one, minItems: 1, maxItems: 20 }] };
};

const headers = headerRefs(onEveryAnswer);
const failed = (code: number, words: string) => ({ jsonrpc: '2.0', id: null, error: { code, message: words } });
const replied = { $ref: '#/components/schemas/McpReply' };

/** An answer of the protocol's own, in place of an error of the API. */
const refused = (description: string, example: object) => ({
  description,
  headers,
  content: { 'application/json': { schema: replied, example } },
});

const either = (status: number, codes: readonly ErrorCode[], words: string) => {
  const { content, ...shared } = errorResponse(status, codes);
  const { schema, examples } = content['application/json'];
  return {
    ...shared,
    description: `${shared.description} ${words}`,
    content: { 'application/json': { schema: { anyOf: [schema, replied] }, examples } },
  };
};

const events = (example: string) => ({ 'text/event-stream': { schema: { type: 'string' }, example } });

const invalid = refused('The message is none that the protocol allows.', failed(-32600, 'Invalid Request: jsonrpc must be "2.0"'));
const common = {
  401: errorResponse(401, ['unauthenticated']),
  403: either(403, ['missing_scope'], 'Of the protocol where the `Origin` is one that may not call.'),
  404: either(404, ['not_found'], 'Of the protocol where a revision without a handshake does not know the method.'),
  429: errorResponse(429, ['rate_limited']),
};

const parameter = {
  ...{ name: 'agent_id', in: 'path', required: true, description: 'The agent.' },
  ...{ schema: { type: 'string', format: 'uuid' }, example: exampleAgent.id },
};

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const listed = {
  ...{ jsonrpc: '2.0', id: 1 },
  result: {
    tools: [
      { name: 'ledger_list_tables', description: 'Lists the tables and views of the database Ledger.', inputSchema: { type: 'object' } },
    ],
  },
};

/** The tool endpoint of an agent, which is no operation of this API: what is said there is for the Model Context Protocol to describe. */
export const toolEndpointPath = (components: Map<string, JsonSchema>, rateLimits: object) => {
  components.set('McpMessage', message).set('McpReply', reply);
  const shared = { tags: ['Tools'], security: [{ apiKey: [] }, { bearer: [] }, { oauth2: [] }], 'x-rate-limits': rateLimits };
  const post = {
    200: {
      description: 'The reply; a stream of events, of which the reply is the last, where a tool reports progress or takes long.',
      headers,
      content: {
        'application/json': { schema: toBatch('McpReply'), example: listed },
        ...events(`event: message\ndata: ${JSON.stringify(listed)}\n\n`),
      },
    },
    202: { description: 'A notification or a reply was taken: there is nothing to answer.', headers },
    400: invalid,
    413: refused('The message is larger than 4 MiB.', failed(-32600, 'Invalid Request: the body is over 4194304 bytes')),
    ...common,
  };
  const get = {
    200: {
      description: 'A stream in which nothing is said but comments, for clients that insist on one.',
      headers,
      content: events(': open\n\n'),
    },
    400: refused(
      'The client asked for something else than a stream of events.',
      failed(-32600, 'Invalid Request: send messages with POST'),
    ),
    405: refused('This server opens no streams, or the credential has as many as it may.', failed(-32000, 'Method not allowed.')),
    ...common,
  };
  const ended = {
    200: {
      description: 'There was no session to end.',
      headers,
      content: { 'application/json': { schema: { type: 'object' }, example: {} } },
    },
  };
  return {
    parameters: [parameter],
    post: {
      ...{ operationId: 'sendMcpMessage', summary: 'Send a message of the tool protocol', ...shared },
      description:
        'One message of the Model Context Protocol, of any revision up to 2026-07-28; 2025-03-26 has batches. There are no sessions.',
      requestBody: { required: true, content: { 'application/json': { schema: toBatch('McpMessage'), example: list } } },
      responses: post,
    },
    get: {
      ...{ operationId: 'openMcpStream', summary: 'Open a stream of the tool protocol', ...shared },
      description: 'For clients of older revisions, which listen for what a server says unasked. This one says nothing.',
      responses: get,
    },
    delete: {
      ...{ operationId: 'endMcpSession', summary: 'End a session of the tool protocol', ...shared },
      description: 'For clients of older revisions, which end what they take for a session. There is none.',
      responses: { ...ended, ...common },
    },
  };
};
