import { isObject, type JsonSchema } from '../../domain/json.ts';
import { errorCodes } from './error-codes.ts';
import { schemaOf } from './json-schema.ts';
import type { LimitSettings } from './limits.ts';
import { errorResponse, headerRefs, onEveryAnswer, type ResponseHeader } from './openapi-components.ts';
import { type AnyCodec, type Operation, refusalsOf, type Urls } from './operation.ts';

interface Surroundings {
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

const HEADER_NAMES: Readonly<Record<string, string>> = { 'idempotency-key': 'Idempotency-Key', 'x-svc-egress': 'X-Svc-Egress' };

const asRecord = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

const parameters = (place: Place, codec: AnyCodec | null, example: unknown, { components }: Surroundings) => {
  if (codec === null) return [];
  const { properties, required = [] } = schemaOf(codec, components) as ObjectSchema;
  const examples = asRecord(example === undefined ? undefined : codec.encode(example));
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name: HEADER_NAMES[name] ?? name,
    in: place,
    required: required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema,
    ...(name in examples && { example: examples[name] }),
  }));
};

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the representation you have.',
  schema: { type: 'string' },
};

const json = (schema: JsonSchema, example: unknown) => ({ content: { 'application/json': { schema, example } } });

const requestBody = ({ body, example }: Operation, { components }: Surroundings) =>
  body === null ? {} : { requestBody: { required: true, ...json(schemaOf(body, components), body.encode(example.body)) } };

const success = (
  { success: { status, description, data, envelope, headers, example }, etag, deprecation }: Operation,
  around: Surroundings,
) => {
  const schema = schemaOf(data, around.components);
  const wrapped = { type: 'object', properties: { data: schema }, required: ['data'] };
  const shared: ResponseHeader[] = [
    ...onEveryAnswer,
    ...(etag ? (['ETag'] as const) : []),
    ...(deprecation ? (['Deprecation', 'Sunset'] as const) : []),
  ];
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, about]) => [
      name,
      { description: about, required: name === 'Location', schema: { type: 'string' } },
    ]),
  );
  const encoded = data.encode(example);
  const body = envelope ? json(wrapped, { data: encoded }) : json(schema, encoded);
  const notModified = { 304: { description: 'You have this representation already.', headers: headerRefs(shared) } };
  return { [status]: { description, headers: { ...headerRefs(shared), ...own }, ...body }, ...(etag && notModified) };
};

const pascal = (code: string) => code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The error answers by status, each described once for all operations that can give it. */
const errors = (op: Operation, { responses }: Surroundings) => {
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
  return access === 'api-key' ? keys : [...keys, { oauth2: [access.scope] }];
};

const rateLimits = ({ access, limits: extra }: Operation, limits: LimitSettings) => {
  const general = {
    name: access === 'public' ? 'ip' : 'credential',
    limit: limits.requests,
    per: access === 'public' ? 'ip' : 'credential',
  };
  const all = [general, ...extra.map(({ name, size, per }) => ({ name, limit: limits[size], per }))];
  return all.map((each) => ({ ...each, window_seconds: limits.windowSeconds }));
};

export const operationObject = (op: Operation, around: Surroundings) => ({
  operationId: op.id,
  tags: [op.tag],
  summary: op.summary,
  description: op.description,
  ...(op.deprecation && { deprecated: true }),
  parameters: [
    ...parameters('path', op.params, op.example.params, around),
    ...parameters('query', op.query, op.example.query, around),
    ...parameters('header', op.headers, undefined, around),
    ...(op.etag ? [ifNoneMatch] : []),
  ],
  ...requestBody(op, around),
  responses: { ...success(op, around), ...errors(op, around) },
  security: security(op),
  'x-rate-limits': rateLimits(op, around.limits),
  ...(op.alsoAt !== null && around.urls.egress !== null && { 'x-also-at': `${around.urls.egress}${op.alsoAt}` }),
});
