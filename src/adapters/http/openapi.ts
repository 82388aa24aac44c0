import { scopes } from '../../domain/access.ts';
import { OF_A_USER } from '../../domain/caller.ts';
import { isObject, type JsonSchema } from '../../domain/json.ts';
import type { AnyCodec } from '../../wire/kit/codec.ts';
import { schemaOf } from '../../wire/kit/codec.ts';
import { DESCRIPTION, SUNSET_NOTICE_DAYS, VERSION } from './api-index.ts';
import { EXAMPLE_TAG } from './conditional.ts';
import { errorCodes } from './error-codes.ts';
import { keyHeaders, REPLAYED } from './keyed-requests.ts';
import type { LimitSettings } from './limits.ts';
import {
  errorBody,
  errorResponse,
  headerRefs,
  json,
  onEveryAnswer,
  type ResponseHeader,
  responseHeaders,
} from './openapi-components.ts';
import { toolEndpointPath } from './openapi-mcp.ts';
import { webhookObjects, webhookParameters } from './openapi-webhooks.ts';
import { API, MCP_PATH, type Operation, refusalsOf, type Urls } from './operation.ts';

/** What all operations of the description share. */
interface Shared {
  readonly components: Map<string, JsonSchema>;
  readonly responses: Map<string, object>;
  readonly limits: LimitSettings;
  readonly urls: Urls;
}

interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

type Place = 'path' | 'query' | 'header';

const HEADER_NAMES: Readonly<Record<string, string>> = {
  'idempotency-key': 'Idempotency-Key',
  'x-svc-egress': 'X-Svc-Egress',
  'last-event-id': 'Last-Event-ID',
};

const asRecord = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** A typical value of a schema: the example of its codec, the default, or the first value that it allows. */
const typical = ({ examples, default: assumed, enum: values }: JsonSchema): unknown => {
  const [first] = Array.isArray(examples) ? examples : [];
  return first ?? assumed ?? (Array.isArray(values) ? values[0] : undefined);
};

const parameters = (place: Place, codec: AnyCodec | null, example: unknown, { components }: Shared) => {
  if (codec === null) return [];
  const { properties, required = [] } = schemaOf(codec, components) as ObjectSchema;
  const examples = asRecord(example === undefined ? undefined : codec.encode(example));
  return Object.entries(properties).map(([name, { description, ...whole }]) => {
    const { examples: _, ...schema } = whole;
    return {
      name: HEADER_NAMES[name] ?? name,
      in: place,
      required: required.includes(name),
      ...(typeof description === 'string' && { description }),
      schema,
      example: examples[name] ?? typical(whole),
    };
  });
};

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the representation you have.',
  schema: { type: 'string' },
  example: EXAMPLE_TAG,
};

const requestBody = ({ body, otherBodies, example }: Operation, { components }: Shared) => {
  if (body === null) return {};
  const others = Object.entries(otherBodies?.types ?? {}).map(([type, { codec, example: other }]) => [
    type,
    { schema: schemaOf(codec, components), example: codec.encode(other) },
  ]);
  const { content } = json(schemaOf(body, components), body.encode(example.body));
  return { requestBody: { required: true, content: { ...content, ...Object.fromEntries(others) } } };
};

/** The text is that of Server-Sent Events; `contentSchema` is each of them, with the JSON of its `data`. */
const eventText = (stream: Readonly<Record<string, AnyCodec>>, { components }: Shared): JsonSchema => {
  const kinds = Map.groupBy(Object.entries(stream), ([, data]) => data);
  const events = [...kinds].map(([data, named]) => ({
    type: 'object',
    properties: {
      event: { enum: named.map(([name]) => name) },
      data: schemaOf(data, components),
      id: { type: 'string' },
    },
    required: ['event', 'data'],
  }));
  return {
    type: 'string',
    description:
      'Server-Sent Events: `event`, `data`, which is one line of JSON, and `id` where the stream can be resumed. ' +
      '`contentSchema` is the schema of an event.',
    contentMediaType: 'text/event-stream',
    contentSchema: events.length === 1 ? events[0] : { anyOf: events },
  };
};

const lineSchema = (type: string, line: AnyCodec, { components }: Shared): JsonSchema => ({
  type: 'string',
  description: 'Lines of JSON; `contentSchema` is the schema of each line.',
  contentMediaType: type,
  contentSchema: schemaOf(line, components),
});

const success = (op: Operation, around: Shared) => {
  const { etag, acceptPatch, deprecation, stream, idempotent } = op;
  const { status, description, accepted, data, envelope, headers, example, texts, binary } = op.success;
  const schema = schemaOf(data, around.components);
  const wrapped = { type: 'object', properties: { data: schema }, required: ['data'] };
  const shared: ResponseHeader[] = [
    ...onEveryAnswer,
    ...(etag ? (['ETag'] as const) : []),
    ...(acceptPatch ? (['Accept-Patch'] as const) : []),
    ...(deprecation ? (['Deprecation', 'Sunset'] as const) : []),
  ];
  const described = Object.fromEntries(
    Object.entries({
      ...headers,
      ...(idempotent && { [REPLAYED]: '`true` if this repeats the first answer to the key.' }),
    }).map(([name, about]) => [
      name,
      { description: about, required: name === 'Location', schema: { type: 'string' } },
    ]),
  );
  const encoded = data.encode(example);
  const whole = envelope ? json(wrapped, { data: encoded }) : json(schema, encoded);
  const bytes = binary && { [binary]: { schema: { type: 'string', format: 'binary', contentMediaType: binary } } };
  const textual =
    texts &&
    Object.fromEntries(
      Object.entries(texts).map(([type, { example: text, line }]) => [
        type,
        { schema: line ? lineSchema(type, line, around) : schema, example: text },
      ]),
    );
  const other = bytes ?? textual;
  const body = other
    ? { content: other }
    : { content: { ...whole.content, ...(stream && { 'text/event-stream': { schema: eventText(stream, around) } }) } };
  const notModified = { 304: { description: 'You have this representation already.', headers: headerRefs(shared) } };
  const nothingMore = {
    204: { description: 'Of a stream: there is nothing more to come.', headers: headerRefs(shared) },
  };
  return {
    [status]: { description, headers: { ...headerRefs(shared), ...described }, ...body },
    ...(accepted && { 202: { description: accepted, headers: { ...headerRefs(shared), ...described }, ...body } }),
    ...(stream && op.method === 'get' && nothingMore),
    ...(etag && op.method === 'get' && notModified),
  };
};

const pascal = (code: string) => code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The error answers by status; operations with the same codes share one description. */
const errors = (op: Operation, { responses }: Shared) => {
  const codes = refusalsOf(op);
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))].toSorted((one, other) => one - other);
  return Object.fromEntries(
    statuses.map((status) => {
      const possible = codes.filter((code) => errorCodes[code].status === status);
      const name = possible.map(pascal).join('Or');
      if (!responses.has(name)) responses.set(name, errorResponse(status, possible));
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
};

const security = ({ access }: Operation) => {
  if (access === 'public') return [];
  const keys = [{ apiKey: [] }, { bearer: [] }];
  if (access === 'api-key') return keys;
  if (access === 'credential') return [...keys, { oauth2: [] }];
  return [...keys, { oauth2: [access.scope] }, ...(access.or === undefined ? [] : [{ oauth2: [access.or] }])];
};

const rateLimits = ({ access, limits: extra }: Operation, limits: LimitSettings) => {
  const who = access === 'public' ? 'ip' : 'credential';
  const all = [
    { name: who, limit: limits.requests, per: who },
    ...extra.map(({ name, size, per }) => ({ name, limit: limits[size], per })),
  ];
  return all.map((each) => ({ ...each, window_seconds: limits.windowSeconds }));
};

const operationObject = (op: Operation, around: Shared) => ({
  operationId: op.id,
  tags: [op.tag],
  summary: op.summary,
  description: op.description,
  ...(op.deprecation && { deprecated: true }),
  parameters: [
    ...parameters('path', op.params, op.example.params, around),
    ...parameters('query', op.query, op.example.query, around),
    ...(op.idempotent ? parameters('header', keyHeaders, undefined, around) : []),
    ...parameters('header', op.headers, undefined, around),
    ...(op.etag && op.method === 'get' ? [ifNoneMatch] : []),
  ],
  ...requestBody(op, around),
  responses: { ...success(op, around), ...errors(op, around) },
  security: security(op),
  'x-rate-limits': rateLimits(op, around.limits),
  ...(op.alsoAt !== null && around.urls.egress !== null && { 'x-also-at': `${around.urls.egress}${op.alsoAt}` }),
});

const TAGS: Readonly<Record<string, string>> = {
  Discovery: 'What the API offers, and where.',
  Agents: 'The agents you can see, and uploads for them.',
  Runs: 'Work that agents do in the background.',
  Work: 'What waits for a person.',
  Usage: 'What was done, and what it cost.',
  Events: 'Everything that happens to runs and documents: to ask for again and again, or to follow.',
  Deliveries: 'What is sent to the webhooks of the workspace, and to be sent again.',
  Documents: 'What runs produce, and its way into a system of record.',
  Approvals: 'Calls of tools that are made once a person has approved them.',
  Connections: 'Connected systems, and the records of their tables.',
  Databases: 'What may be queried: databases, their tables and columns, and read-only queries.',
  Search: 'Searches of the web: a summary and its sources.',
  Threads: 'Conversations with agents: their messages, and new ones.',
  'Sandbox snapshots': 'States of sandboxes that clients store with conversations.',
  Account: 'Your own keys, and the programs that you have given access to.',
  Sources: 'Mailboxes, folders and buckets that are looked at for documents, and what came from them.',
  Erasures: 'Documents, runs and conversations that were erased for good, for administrators.',
  Audit: 'Who did what in the workspace, for its administrators.',
  People: 'The users of the workspace, for its administrators.',
  Tools: 'The tools of an agent, for programs that speak the Model Context Protocol.',
  Webhooks:
    'The events that the server sends to the webhooks of a workspace, signed as the Standard Webhooks specification says.',
};

const description = (limits: LimitSettings) => `${DESCRIPTION}

Every answer has \`X-Request-Id\` (yours, if you send one) and the state of the tightest rate limit it passed through. Times are RFC 3339 in
UTC with milliseconds; an absent value is \`null\`. Unknown query parameters and unknown body properties are ignored, except where an operation refuses them; new
fields may appear in answers at any time. \`HEAD\` works wherever \`GET\` does.

Errors outside of the operations have the same form: 404 for an unknown path, 405 for another method, 400 for malformed HTTP, 431 for headers over 128 KiB,
and 408 for headers that do not arrive within 30 seconds.

**Limits.** ${limits.requests} requests per ${limits.windowSeconds} seconds and credential; without a valid credential, per client address. A
credential that comes from another one (a key made with a key, a key that replaces one, a refreshed token) counts as that one. The keys that a user
makes by signing in and the programs that the user allows have ${limits.requests * OF_A_USER} requests together.

**Scopes.** An API key may be limited to a list of scopes: it may then call the operations of these scopes alone, and an operation without a scope answers 403
(\`missing_scope\`). A key without a list may do everything its user may do.

**Tools.** Each agent offers its tools over the Model Context Protocol at its \`mcp_url\`, \`${API}${MCP_PATH}\`.

**Deprecation** is announced by \`Deprecation\` and \`Sunset\` headers, at least ${SUNSET_NOTICE_DAYS} days before the sunset.`;

const securitySchemes = ({ auth }: Urls) => ({
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, beginning with `svc-`.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, or an OAuth access token (`svcpt_…`) if the operation has a scope.',
  },
  oauth2: {
    type: 'oauth2',
    description: 'An access token has the scopes that the client asked for.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${auth}/oauth/authorize`,
        tokenUrl: `${auth}/oauth/token`,
        refreshUrl: `${auth}/oauth/token`,
        scopes,
      },
    },
  },
});

const inOrder = (components: ReadonlyMap<string, object>) =>
  Object.fromEntries([...components].toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Those that an answer has: without a deprecated operation, no answer has its headers. */
const headersOf = (operations: readonly Operation[]) => {
  const { Deprecation, Sunset, ...usual } = responseHeaders;
  return operations.some(({ deprecation }) => deprecation) ? responseHeaders : usual;
};

export type OpenApi = Readonly<Record<string, unknown>>;

interface Described {
  readonly operations: readonly Operation[];
  readonly urls: Urls;
  readonly limits: LimitSettings;
  readonly contactEmail: string;
}

/** `localhost` is another machine to most readers: without a public address the server is where its description came from. */
const serverUrl = (base: string) => {
  const { hostname, pathname } = new URL(base);
  return hostname === 'localhost' ? pathname : base;
};

/** The OpenAPI 3.1 description, made from the list of operations alone. */
export const openapi = ({ operations, urls, limits, contactEmail }: Described): OpenApi => {
  const components = new Map<string, JsonSchema>([['ApiError', errorBody]]);
  const responses = new Map<string, object>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const op of operations) {
    const path = `${API}${op.path}`;
    paths[path] ??= {};
    paths[path][op.method] = operationObject(op, { components, responses, limits, urls });
  }
  const { requests: limit, windowSeconds } = limits;
  const perCredential = [{ name: 'credential', limit, per: 'credential', window_seconds: windowSeconds }];
  paths[API + MCP_PATH] = toolEndpointPath(components, perCredential);
  const webhooks = webhookObjects(components);
  const accessUrl = `${urls.base}/developers#access`;
  const tags = [...new Set([...operations.map(({ tag }) => tag), 'Tools', 'Webhooks'])].toSorted();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portico',
      version: VERSION,
      summary: 'Agents, and the data behind them, for programs.',
      description: description(limits),
      contact: { name: 'The administrator of this server', url: accessUrl, email: contactEmail },
      license: { name: 'All rights reserved', url: accessUrl },
    },
    servers: [{ url: serverUrl(urls.base) }],
    externalDocs: { url: `${urls.base}/developers`, description: 'Guide' },
    tags: tags.map((name) => ({ name, description: TAGS[name] })),
    paths,
    webhooks,
    components: {
      schemas: inOrder(components),
      responses: inOrder(responses),
      parameters: webhookParameters,
      headers: headersOf(operations),
      securitySchemes: securitySchemes(urls),
    },
  };
};
