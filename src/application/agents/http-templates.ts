import { isObject, type JsonSchema, type JsonValue } from '../../domain/json.ts';
import { partsOf } from '../../domain/schema-parts.ts';
import type { HttpTool } from '../../domain/tool.ts';
import type { SchemaValidator } from '../ports/runtime.ts';

export const placeholders = /\{([A-Za-z_]\w*)\}/g;
export const namesIn = (text: string) => [...text.matchAll(placeholders)].map(([, name = '']) => name);

export const originOf = (url: string) => /^[^:]*:\/\/[^/?#]*/.exec(url)?.[0] ?? '';

export const namesInBody = (body: JsonValue | undefined): readonly string[] =>
  body === undefined ? [] : namesIn(JSON.stringify(body));

/** The argument that a text is nothing but the placeholder of; undefined if it is something else. */
export const wholeName = (text: string): string | undefined => /^\{([A-Za-z_]\w*)\}$/.exec(text)?.[1];

/** The `Content-Type` that a tool's headers declare; undefined without one. */
export const contentTypeIn = (headers: HttpTool['headers']): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];

/** The media type of what a tool sends, in lower case: JSON unless its headers say otherwise. */
export const bodyTypeOf = ({ headers }: Pick<HttpTool, 'headers'>): string =>
  (contentTypeIn(headers) ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isJsonType = (type: string): boolean => /[/+]json$/.test(type);

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Whether placeholders of a text that is JSON stand elsewhere than in its strings, where a value could become another part of it. */
const isOpenJson = (tool: HttpTool): boolean =>
  typeof tool.body === 'string' &&
  wholeName(tool.body) === undefined &&
  namesIn(tool.body).length > 0 &&
  isJsonType(bodyTypeOf(tool)) &&
  !isJson(tool.body.replaceAll(placeholders, 'x'));

export const isReadMethod = (method: HttpTool['method']) => method === 'GET' || method === 'HEAD';

/** The arguments that the schema names, those of the schemas that it is composed of too. */
export const declaredIn = (schema: JsonSchema): ReadonlySet<string> =>
  new Set(partsOf(schema, schema).flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : [])));

/** The names of the query parameters of an address, in lower case: servers differ in whether case counts. */
const parametersOf = (url: string): ReadonlySet<string> => {
  const [, query = ''] = url.replace(/#.*$/s, '').split(/\?(.*)/s, 2);
  return new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()));
};

export const isInQuery = ({ method, body }: HttpTool) =>
  body === undefined && (isReadMethod(method) || method === 'DELETE');

/** Why a template could lead elsewhere than its author meant, or asks for what the input never has; null if it does not. */
export const templateDefect = (tool: HttpTool): string | null => {
  const { method, url, body, inputSchema } = tool;
  const origin = originOf(url);
  if (isReadMethod(method) && body !== undefined) return `has a body, which a ${method} does not take`;
  if (namesIn(origin).length > 0) return 'has a {placeholder} in its host: it may only stand after it';
  if (!URL.canParse(url.replaceAll(placeholders, 'x'))) return 'has a url that is not a valid URL';
  if (isOpenJson(tool))
    return 'has a body that is text, and no JSON with what stands for its {placeholders}: write the body as an object, or say its content-type in headers';
  const known = declaredIn(inputSchema);
  const used = new Set([...namesIn(url), ...namesInBody(body)]);
  const stranger = [...used].find((name) => !known.has(name));
  if (stranger !== undefined) return `fills in {${stranger}}, which is no property of its input_schema`;
  const fixed = isInQuery(tool) ? parametersOf(url) : new Set<string>();
  const twice = [...known].find((name) => !used.has(name) && fixed.has(name.toLowerCase()));
  return twice === undefined
    ? null
    : `has the property ${twice} in its input_schema, which its url sets already: write {${twice}} there, or leave one out`;
};

export const schemaDefect = ({ inputSchema }: HttpTool, schemas: SchemaValidator): string | null => {
  const defect = inputSchema.type === 'object' ? schemas.defect(inputSchema) : 'it must be of type object';
  return defect === null ? null : `is not a usable input_schema: ${defect}`;
};
