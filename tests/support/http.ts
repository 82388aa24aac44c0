import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { expect } from 'chai';
import type { Role, Scope } from '../../src/domain/access.ts';

/** A server under test. */
export interface Harness {
  readonly baseUrl: string;
  /** A new credential of a user with this role; scopes absent: everything the user may do. */
  key(terms?: { readonly role?: Role; readonly scopes?: readonly Scope[] }): Promise<string>;
  /** A request of this operation that succeeds now, with any key of an admin, or of the user who has this role. */
  request(operationId: string, role?: Role): Promise<Sample>;
  stop(): Promise<void>;
}

export interface Sample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface HarnessLimits {
  readonly requests: number;
  readonly windowSeconds: number;
  readonly runs: number;
  readonly tableReads: number;
  readonly console: number;
}

/** Limits that tests never meet unless they ask for others. */
export const generous: HarnessLimits = {
  requests: 1_000_000,
  windowSeconds: 60,
  runs: 1_000_000,
  tableReads: 1_000_000,
  console: 1_000_000,
};

export type StartHarness = (limits?: Partial<HarnessLimits>) => Promise<Harness>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** In bytes. */
  readonly size: number;
  /** The body read as JSON; undefined where there is none. */
  readonly body: unknown;
}

export interface CallOptions extends Omit<Sample, 'params'> {
  readonly key?: string | undefined;
  readonly method?: string;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export type Call = (path: string, options?: CallOptions) => Promise<Answer>;

type Json = Readonly<Record<string, unknown>>;
export interface OpenApiOperation extends Json {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Json>>;
}
export interface OpenApiDocument extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

const escaped = (token: string) => token.replaceAll('~', '~0').replaceAll('/', '~1');

const pathMatcher = (template: string) => {
  const parts = template.split('/');
  return (path: string) => {
    const given = path.split('/');
    return given.length === parts.length && parts.every((part, index) => part.startsWith('{') || part === given[index]);
  };
};

const ITEM = /^"([a-z-]+)";([a-z])=(\d+);([a-z])=(\d+)$/;

/** The items of a list of structured fields, each a string with two integers. */
const itemsOf = (header: string | null, names: readonly [string, string]) =>
  (header ?? '').split(', ').map((item) => {
    const [, name = '', first, one, second, other] = ITEM.exec(item) ?? [];
    expect([first, second], item).to.deep.equal(names);
    return { name, values: [Number(one), Number(other)] };
  });

/** Every limit of an answer by `RateLimit` and `RateLimit-Policy`, of which the other headers show the tightest. */
export const limitsOf = ({ headers }: Pick<Answer, 'headers'>) => {
  const policies = new Map(
    itemsOf(headers.get('ratelimit-policy'), ['q', 'w']).map(({ name, values }) => [name, values]),
  );
  const limits = itemsOf(headers.get('ratelimit'), ['r', 't']).map(({ name, values: [remaining = 0, reset = 0] }) => {
    const [limit = 0, window = 0] = policies.get(name) ?? [];
    return { name, limit, window, remaining, reset };
  });
  expect(limits.map(({ name }) => name)).to.deep.equal([...policies.keys()]);
  const shown = ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));
  expect(limits.map(({ limit, remaining, reset }) => [limit, remaining, reset])).to.deep.include(shown);
  expect(Math.min(...limits.map(({ remaining }) => remaining))).to.equal(shown[1]);
  return limits;
};

/** What every answer of the API must have, declared or not. */
const mustHaveTheCommonHeaders = ({ headers }: Answer) => {
  expect(headers.get('x-request-id'), 'X-Request-Id').to.match(/^[!-~]{1,128}$/);
  for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'])
    expect(headers.get(name), name).to.match(/^\d+$/);
  limitsOf({ headers });
  expect(headers.get('x-content-type-options')).to.equal('nosniff');
};

const mustBeAnError = (answer: Answer) => {
  const { status, headers, body } = answer;
  expect(headers.get('content-type'), 'the content type of an error').to.match(/^application\/(problem\+)?json$/);
  expect(body).to.include.keys('type', 'title', 'detail', 'status', 'code', 'request_id');
  expect(body).to.include({ status, request_id: headers.get('x-request-id') });
  expect(answer.text, 'an error that shows the inside').not.to.match(/\n\s+at |node_modules|\.ts:\d/);
};

/** Checks values against the schemas of a description, by where these stand in it. */
const schemasIn = (document: Json) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default.default(ajv);
  ajv.addSchema(document, 'openapi.json');
  return (place: readonly string[], value: unknown, text: string) => {
    const pointer = `openapi.json#/${place.map(escaped).map(encodeURIComponent).join('/')}`;
    const validate = ajv.getSchema(pointer) ?? ajv.compile({ $ref: pointer });
    expect(validate(value), `${ajv.errorsText(validate.errors)} in ${text.slice(0, 500)}`).to.equal(true);
  };
};

/** Checks answers against the description that the server itself serves. */
const describedBy = (document: OpenApiDocument) => {
  const mustMatch = schemasIn(document);
  const paths = Object.keys(document.paths).map((template) => ({ template, matches: pathMatcher(template) }));

  const declared = (method: string, path: string) => {
    const found = paths
      .filter(({ matches }) => matches(path))
      .toSorted((one, other) => one.template.split('{').length - other.template.split('{').length);
    const template = found[0]?.template;
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = template === undefined ? undefined : document.paths[template]?.[name];
    return template !== undefined && operation ? { template, name, operation } : null;
  };

  const responseOf = ({ template, name, operation }: NonNullable<ReturnType<typeof declared>>, status: number) => {
    const own = operation.responses[status];
    const shared = typeof own?.$ref === 'string' ? own.$ref.split('/').slice(1) : null;
    const pointer = shared ?? ['paths', template, name, 'responses', String(status)];
    const response = shared?.reduce<unknown>((at, token) => (at as Json)[token], document) ?? own;
    return { response: response as Json | undefined, pointer };
  };

  const mustHaveHeaders = (response: Json, { headers }: Answer) => {
    const components = (document.components as Json).headers as Readonly<Record<string, Json>>;
    for (const [name, header] of Object.entries((response.headers ?? {}) as Readonly<Record<string, Json>>)) {
      const { required = false } = typeof header.$ref === 'string' ? (components[name] ?? {}) : header;
      if (required) expect(headers.has(name), `the declared header ${name}`).to.equal(true);
    }
  };

  return (method: string, path: string, answer: Answer) => {
    mustHaveTheCommonHeaders(answer);
    if (answer.status >= 400 && method !== 'HEAD') mustBeAnError(answer);
    const found = declared(method, path);
    if (!found) return;
    const { response, pointer } = responseOf(found, answer.status);
    expect(
      response,
      `${found.operation.operationId} answered ${answer.status}, which is not declared: ${answer.text}`,
    ).not.to.equal(undefined);
    if (!response) return;
    mustHaveHeaders(response, answer);
    if (response.content === undefined) expect(answer.text).to.equal('');
    else if (method !== 'HEAD') {
      const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
      expect(Object.keys(response.content as Json), 'the declared content types').to.include(type);
      if (!/^application\/(problem\+)?json$/.test(type)) return;
      mustMatch([...pointer, 'content', type, 'schema'], answer.body, answer.text);
    }
  };
};

/** Checks what the tool endpoint answers against the description. */
export const toolEndpointDescribedBy = (document: OpenApiDocument) => {
  const mustMatch = schemasIn(document);
  return (method: string, { status, headers, text, body }: Omit<Answer, 'size'>) => {
    const operation = document.paths[TOOL_ENDPOINT]?.[method.toLowerCase()];
    if (operation === undefined) return;
    const declared = operation.responses[status] as
      | { readonly content?: Readonly<Record<string, unknown>> }
      | undefined;
    expect(declared, `${operation.operationId} answered ${status}, which is not declared: ${text}`).not.to.equal(
      undefined,
    );
    const type = headers.get('content-type');
    if (declared?.content === undefined) return expect(text).to.equal('');
    expect(Object.keys(declared.content), `${operation.operationId} ${status}`).to.include(type);
    if (type === null || !/^application\/(problem\+)?json$/.test(type)) return;
    mustMatch(
      ['paths', TOOL_ENDPOINT, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'],
      body,
      text,
    );
  };
};

/** Checks what is sent to webhooks against the description. */
export const webhooksDescribedBy = (document: Json) => {
  const mustMatch = schemasIn(document);
  return (headers: Readonly<Record<string, unknown>>, body: string) => {
    const message = JSON.parse(body) as { readonly type: string };
    mustMatch(
      ['webhooks', message.type, 'post', 'requestBody', 'content', 'application/json', 'schema'],
      message,
      body,
    );
    const { parameters = {} } = document.components as Readonly<Record<string, Json>>;
    for (const name of Object.keys(parameters))
      mustMatch(['components', 'parameters', name, 'schema'], headers[name], name);
  };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const requestOf = ({ key, method, headers, body, raw, signal }: CallOptions): RequestInit => ({
  method: method ?? 'GET',
  redirect: 'manual',
  headers: {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  },
  ...(raw !== undefined
    ? { body: raw as NonNullable<RequestInit['body']> }
    : body !== undefined && { body: JSON.stringify(body) }),
  ...(signal && { signal }),
});

/** A client that holds every answer it sees against the served description. */
export const api = async (baseUrl: string): Promise<{ call: Call; document: OpenApiDocument }> => {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as OpenApiDocument;
  const check = describedBy(document);
  const call: Call = async (path, options = {}) => {
    const url = new URL(`${baseUrl}${path}`);
    for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.append(name, value);
    const response = await fetch(url, requestOf(options));
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const answer = { status: response.status, headers: response.headers, text, size: bytes.length, body: parse(text) };
    check(options.method ?? 'GET', url.pathname, answer);
    return answer;
  };
  return { call, document };
};

/** The path of an operation with its parameters filled in. */
export const filled = (template: string, params: Readonly<Record<string, string>> = {}): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? '00000000-0000-7000-8000-000000000000'),
  );

/** What speaks a protocol of its own. */
export const TOOL_ENDPOINT = '/api/v1/agents/{agent_id}/mcp';

/** Every operation of a description but those of the tool endpoint, with where it is. */
export const operationsIn = (document: OpenApiDocument) =>
  Object.entries(document.paths)
    .filter(([path]) => path !== TOOL_ENDPOINT)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        operation,
      })),
    );
