import type { JsonSchema } from '../../domain/json.ts';
import { exampleAgent } from '../../wire/agent.ts';
import type { ErrorCode } from './error-codes.ts';
import { errorResponse, headerRefs, json, onEveryAnswer } from './openapi-components.ts';

const id = { description: 'The client chooses it; the reply has the same.' };

const message: JsonSchema = {
  type: 'object',
  description: 'A JSON-RPC 2.0 message of the Model Context Protocol; a request has an `id`, a notification has none.',
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
const failed = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });
const replied = { $ref: '#/components/schemas/McpReply' };

/** An error of the protocol in place of an error of the API. */
const refused = (description: string, example: object) => ({ description, headers, ...json(replied, example) });

/** An error of the API, or one of the protocol in the case that `addition` describes. */
const either = (status: number, codes: readonly ErrorCode[], addition: string) => {
  const { content, ...shared } = errorResponse(status, codes);
  const { schema, examples } = content['application/json'];
  return {
    ...shared,
    description: `${shared.description} ${addition}`,
    // Errors of the protocol have one media type.
    content: { ...content, 'application/json': { schema: { anyOf: [schema, replied] }, examples } },
  };
};

const events = (example: string) => ({ 'text/event-stream': { schema: { type: 'string' }, example } });

const invalid = refused(
  'The protocol does not allow the message.',
  failed(-32600, 'Invalid Request: jsonrpc must be "2.0"'),
);
const common = {
  401: errorResponse(401, ['unauthenticated']),
  403: either(403, ['missing_scope'], 'An error of the protocol if the `Origin` may not call.'),
  404: either(
    404,
    ['not_found'],
    'An error of the protocol if a revision without a handshake does not have the method.',
  ),
  429: errorResponse(429, ['rate_limited']),
  500: errorResponse(500, ['internal']),
  503: errorResponse(503, ['stopping']),
};

const parameter = {
  name: 'agent_id',
  in: 'path',
  required: true,
  description: 'The agent.',
  schema: { type: 'string', format: 'uuid' },
  example: exampleAgent.id,
};

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const listed = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    tools: [
      {
        name: 'ledger_list_tables',
        description: 'Lists the tables and views of the database Ledger.',
        inputSchema: { type: 'object' },
      },
    ],
  },
};

/** The tool endpoint of an agent. It is no operation of this API: the Model Context Protocol describes its messages. */
export const toolEndpointPath = (components: Map<string, JsonSchema>, rateLimits: object) => {
  components.set('McpMessage', message).set('McpReply', reply);
  const shared = {
    tags: ['Tools'],
    security: [{ apiKey: [] }, { bearer: [] }, { oauth2: [] }],
    'x-rate-limits': rateLimits,
  };
  const post = {
    200: {
      description:
        'The reply; or a stream of events, the last of which is the reply, if a tool reports progress or takes long.',
      headers,
      content: {
        ...json(toBatch('McpReply'), listed).content,
        ...events(`event: message\ndata: ${JSON.stringify(listed)}\n\n`),
      },
    },
    202: { description: 'A notification or a reply was accepted: it has no reply.', headers },
    400: invalid,
    408: errorResponse(408, ['request_timeout']),
    413: refused(
      'The message is larger than 4 MiB.',
      failed(-32600, 'Invalid Request: the body is over 4194304 bytes'),
    ),
    ...common,
  };
  const get = {
    200: {
      description: 'A stream of comments without events, for clients that insist on a stream.',
      headers,
      content: events(': open\n'),
    },
    400: refused(
      'The client does not accept a stream of events.',
      failed(-32600, 'Invalid Request: send messages with POST'),
    ),
    405: refused(
      'This server opens no streams, or the credential has too many.',
      failed(-32000, 'Method not allowed.'),
    ),
    ...common,
  };
  const ended = { 200: { description: 'There was no session to end.', headers, ...json({ type: 'object' }, {}) } };
  return {
    parameters: [parameter],
    post: {
      operationId: 'sendMcpMessage',
      summary: 'Send a message of the tool protocol',
      ...shared,
      description:
        'One message of the Model Context Protocol, of any revision up to 2026-07-28; 2025-03-26 has batches. There are no sessions.',
      requestBody: { required: true, ...json(toBatch('McpMessage'), list) },
      responses: post,
    },
    get: {
      operationId: 'openMcpStream',
      summary: 'Open a stream of the tool protocol',
      ...shared,
      description:
        'For clients of older revisions, which wait for notifications of the server. This server sends none.',
      responses: get,
    },
    delete: {
      operationId: 'endMcpSession',
      summary: 'End a session of the tool protocol',
      ...shared,
      description: 'For clients of older revisions, which end a session. There is none.',
      responses: { ...ended, ...common },
    },
  };
};
