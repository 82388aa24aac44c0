import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../domain/json.ts';
import { withoutSecrets } from '../../domain/request-secrets.ts';
import type { HttpTool } from '../../domain/tool.ts';
import {
  bodyTypeOf,
  contentTypeIn,
  declaredIn,
  isInQuery,
  isJsonType,
  isReadMethod,
  namesIn,
  namesInBody,
  originOf,
  placeholders,
  schemaDefect,
  templateDefect,
  wholeName,
} from '../agents/http-templates.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../ports/outbound.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { ToolResult } from '../ports/tools.ts';
import { alone, annotated, failed, succeeded, ToolDefect, type ToolGroup } from './tool.ts';

const MAX_BODY_BYTES = 256 * 1024;
const REDIRECTS = 3;

const asText = (value: JsonValue): string =>
  (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed();
const encoded = (value: JsonValue) => (Array.isArray(value) ? value.map(asText).join(',') : asText(value));
const argumentOf = (input: JsonObject, name: string): JsonValue | null =>
  Object.hasOwn(input, name) ? (input[name] ?? null) : null;

class Unusable extends Error {}

/** A segment that is empty or made of dots would be another path than the one that was declared. */
const pathOf = (template: string, input: JsonObject): string =>
  template
    .split('/')
    .map((segment) => {
      const names = namesIn(segment);
      if (names.length === 0) return segment;
      const filled = segment.replaceAll(placeholders, (_, name: string) => {
        const value = argumentOf(input, name);
        if (value === null) throw new Unusable(`/${name} is required: it is part of the address`);
        return encodeURIComponent(encoded(value));
      });
      if (/^\.{0,2}$/.test(filled))
        throw new Unusable(`/${names[0]} must not be empty or consist of dots: it is part of the address`);
      return filled;
    })
    .join('/');

/** A parameter whose value was left out is left out. */
const queryOf = (template: string, input: JsonObject): readonly string[] =>
  template.split('&').flatMap((pair) => {
    const names = namesIn(pair);
    if (pair === '' || names.some((name) => argumentOf(input, name) === null)) return [];
    return [pair.replaceAll(placeholders, (_, name: string) => encodeURIComponent(encoded(argumentOf(input, name))))];
  });

const filled = (text: string, input: JsonObject, encode = (value: string) => value): JsonValue => {
  const whole = wholeName(text);
  if (whole !== undefined) return argumentOf(input, whole);
  return text.replaceAll(placeholders, (_, name: string) => encode(asText(argumentOf(input, name) ?? '')));
};

const filledBody = (body: JsonValue, input: JsonObject): JsonValue => {
  if (typeof body === 'string') return filled(body, input);
  if (Array.isArray(body)) return body.map((item) => filledBody(item, input));
  if (!isObject(body)) return body;
  return Object.fromEntries(Object.entries(body as JsonObject).map(([key, item]) => [key, filledBody(item, input)]));
};

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** How a value stands in a text of this type, so that it becomes no other part of it. */
const encoderOf = (type: string): ((value: string) => string) => {
  if (isJsonType(type)) return (value) => JSON.stringify(value).slice(1, -1);
  if (type === 'application/x-www-form-urlencoded') return encodeURIComponent;
  if (/[/+]xml$/.test(type)) return (value) => value.replaceAll(/[&<>"']/g, (sign) => XML[sign] ?? sign);
  return (value) => value;
};

type Arguments = readonly (readonly [name: string, value: JsonValue])[];

/** `rest`: the arguments that no placeholder takes. They are the body where the tool has none, and its method may have one. */
const bodyOf = (tool: HttpTool, rest: Arguments, input: JsonObject): JsonValue | undefined => {
  if (typeof tool.body === 'string') return filled(tool.body, input, encoderOf(bodyTypeOf(tool)));
  if (tool.body !== undefined) return filledBody(tool.body, input);
  return isInQuery(tool) ? undefined : Object.fromEntries(rest);
};

const addedToQuery = (rest: Arguments) =>
  rest
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(encoded(value))}`);

/** The request that a call becomes; an error of the input is thrown as Unusable. */
const requestOf = (tool: HttpTool, input: JsonObject): OutboundRequest => {
  const { method, url, headers, body } = tool;
  const origin = originOf(url);
  const [path = '', query = ''] = url
    .slice(origin.length)
    .replace(/#.*$/s, '')
    .split(/\?(.*)/s, 2);
  const declared = declaredIn(tool.inputSchema);
  const stranger = Object.keys(input).find((name) => !declared.has(name));
  if (stranger !== undefined) throw new Unusable(`/${stranger.slice(0, 100)} is no argument of this tool`);
  const used = new Set([...namesIn(url), ...namesInBody(body)]);
  const rest = Object.entries(input).filter(([name]) => !used.has(name));
  const parameters = [...queryOf(query, input), ...(isInQuery(tool) ? addedToQuery(rest) : [])];
  const address = origin + pathOf(path, input) + (parameters.length > 0 ? `?${parameters.join('&')}` : '');
  const payload = bodyOf(tool, rest, input);
  if (payload === undefined) return { method, url: address, headers, body: null };
  return {
    method,
    url: address,
    headers: contentTypeIn(headers) === undefined ? { ...headers, 'content-type': 'application/json' } : headers,
    body: typeof payload === 'string' ? payload : JSON.stringify(payload),
  };
};

const textTypes = /^(text\/|application\/(json|xml|javascript|x-www-form-urlencoded|x-ndjson)\b)|\+(json|xml)\b/i;

const textOf = ({ headers, body }: OutboundAnswer): string => {
  const type = headers['content-type'] ?? '';
  if (type !== '' && !textTypes.test(type))
    return `(${body.byteLength} bytes of ${type.split(';', 1)[0]}, which is not text)`;
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
};

/** What a model must not take for the whole answer. */
const missingOf = ({ body, brokeOff }: OutboundAnswer): string => {
  if (brokeOff) return '\n[The rest is missing: the answer broke off.]';
  return body.byteLength >= MAX_BODY_BYTES
    ? `\n[The rest is left out: the answer is over ${MAX_BODY_BYTES} bytes.]`
    : '';
};

const resultOf = (answer: OutboundAnswer, tool: HttpTool): ToolResult => {
  const text = withoutSecrets(tool)(textOf(answer)).trim();
  const said = text + missingOf(answer);
  if (answer.status >= 200 && answer.status < 300)
    return succeeded(said === '' ? `(status ${answer.status}, no content)` : said.trimStart());
  return failed(`The service answered ${answer.status}${text === '' ? '.' : `: ${text.slice(0, 4000)}`}`);
};

interface Dependencies {
  readonly outbound: Outbound;
  readonly schemas: SchemaValidator;
  readonly timeoutSeconds: number;
}

const COMPOSED = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
];

/** Says that there are no other arguments, where the schema does not say anything about that. */
const closed = (schema: JsonSchema): JsonSchema =>
  COMPOSED.some((word) => schema[word] !== undefined) ? schema : { ...schema, additionalProperties: false };

const effectOf = (method: HttpTool['method']) => {
  if (isReadMethod(method)) return 'reads';
  return method === 'POST' ? 'adds' : 'changes';
};

export const httpTool = (http: HttpTool, { outbound, schemas, timeoutSeconds }: Dependencies): ToolGroup => {
  const defect = schemaDefect(http, schemas) ?? templateDefect(http);
  if (defect !== null) throw new ToolDefect(defect);
  const reads = isReadMethod(http.method);
  const repeats = reads || http.method === 'PUT' || http.method === 'DELETE';
  const terms = {
    timeoutSeconds,
    maxBytes: MAX_BODY_BYTES,
    redirects: reads ? REDIRECTS : 0,
    read: 'beginning' as const,
  };
  const title = http.name.replaceAll('_', ' ');
  return alone(http.name, {
    description: http.description || `Calls ${http.name}.`,
    inputSchema: closed(http.inputSchema),
    annotations: annotated(title, effectOf(http.method), {
      openWorld: true,
      idempotent: repeats,
    }),
    async run(input, { signal }) {
      let request: OutboundRequest;
      try {
        request = requestOf(http, input);
      } catch (error) {
        if (error instanceof Unusable) return failed(error.message);
        throw error;
      }
      return resultOf(await outbound.send(request, { ...terms, allowedHosts: http.allowedHosts }, signal), http);
    },
  });
};
