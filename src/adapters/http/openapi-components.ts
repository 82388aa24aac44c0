import type { JsonSchema } from '../../domain/json.ts';
import { exampleId } from '../../wire/example.ts';
import { type ErrorCode, errorCodes, PROBLEM, titleOf, typeOf } from './error-codes.ts';
import { RATE_LIMIT_HEADERS } from './limits.ts';

/** The error of section 7 of the specification, and the fields that this server adds. */
export const errorBody: JsonSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Where the guide says what the `code` means.' },
    title: { type: 'string', description: 'The `code` in words.' },
    detail: { type: 'string', description: 'What went wrong, for people.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    code: {
      type: 'string',
      description: 'What went wrong, for programs: a stable identifier.',
      examples: Object.keys(errorCodes),
    },
    request_id: { type: 'string', description: 'The `X-Request-Id` of the answer.' },
    errors: {
      type: 'array',
      description: 'Every error of an invalid request.',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, message: { type: 'string' } },
        required: ['path', 'message'],
      },
    },
  },
  required: ['type', 'title', 'detail', 'status', 'code', 'request_id'],
  additionalProperties: true,
};

const integer = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** The response headers, by the name of their component. */
export const responseHeaders = {
  'X-Request-Id': {
    description: 'Finds the request in the server’s log.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  'RateLimit-Limit': integer('Requests allowed in the window of the tightest limit.', 100),
  'RateLimit-Remaining': integer('Requests left in it.', 99),
  'RateLimit-Reset': integer('Seconds until it resets.', 60),
  RateLimit: {
    description:
      'What every limit that counted the request has left: `r` requests, in a window that resets in `t` seconds (structured fields).',
    required: true,
    schema: { type: 'string' },
    example: '"credential";r=99;t=60, "agent-runs";r=29;t=60',
  },
  'RateLimit-Policy': {
    description: 'What these limits allow: `q` requests in a window of `w` seconds.',
    required: true,
    schema: { type: 'string' },
    example: '"credential";q=100;w=60, "agent-runs";q=30;w=60',
  },
  'Retry-After': integer('Seconds to wait.', 12),
  'x-ratelimit-limit': integer('Alias of `RateLimit-Limit`.', 100),
  'x-ratelimit-remaining': integer('Alias of `RateLimit-Remaining`.', 0),
  'x-ratelimit-reset': integer('When the window resets: a Unix timestamp in seconds.', 1_795_170_600),
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750).', required: true, schema: { type: 'string' } },
  ETag: { description: 'Names this representation, for `If-None-Match`.', required: true, schema: { type: 'string' } },
  'Accept-Patch': {
    description: 'The media types that a `PATCH` takes (RFC 5789).',
    required: true,
    schema: { type: 'string' },
  },
  Deprecation: {
    description: 'Since when the operation is deprecated (RFC 9745).',
    required: true,
    schema: { type: 'string' },
  },
  Sunset: { description: 'When it stops working (RFC 8594).', required: true, schema: { type: 'string' } },
} as const;

export type ResponseHeader = keyof typeof responseHeaders;

export const headerRefs = (names: readonly ResponseHeader[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const onEveryAnswer: readonly ResponseHeader[] = ['X-Request-Id', ...RATE_LIMIT_HEADERS];

const onStatus: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  503: ['Retry-After'],
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'Invalid parameters or body',
  401: 'No valid credential',
  403: 'Not allowed',
  404: 'Not found',
  408: 'The request did not arrive in time',
  409: 'The state of the resource conflicts with the operation',
  412: 'The resource is not as the client read it',
  413: 'Body too large',
  415: 'Body of another media type',
  428: 'A precondition is missing',
  429: 'Rate limit exceeded',
  500: 'Unexpected failure',
  503: 'The server cannot answer at the moment',
};

const exampleOf = (status: number, code: ErrorCode) => ({
  type: typeOf(code, 'https://portico.example.com'),
  title: titleOf(code),
  detail:
    code === 'invalid_request' ? 'query.limit must be an integer from 1 to 100, not "500"' : errorCodes[code].meaning,
  status,
  code,
  request_id: exampleId(9),
  ...(code === 'invalid_request' && {
    errors: [{ path: 'query.limit', message: 'must be an integer from 1 to 100, not "500"' }],
  }),
});

/** A body of JSON, in the description of a request or an answer. */
export const json = (schema: JsonSchema, example: unknown) => ({
  content: { 'application/json': { schema, example } },
});

/** The answer of one status with these codes. A client that asks for it is answered by the other media type. */
export const errorResponse = (status: number, codes: readonly ErrorCode[]) => ({
  description: `${TITLES[status]}. ${codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join(' ')}`,
  headers: headerRefs([...onEveryAnswer, ...(onStatus[status] ?? [])]),
  content: {
    'application/json': {
      schema: {
        $ref: '#/components/schemas/ApiError',
        properties: { status: { const: status }, code: { enum: codes } },
      },
      examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(status, code) }])),
    },
    [PROBLEM]: { schema: { $ref: '#/components/schemas/ApiError' } },
  },
});
