import { DomainError, invalid } from '../../domain/errors.ts';
import { isObject, type JsonSchema } from '../../domain/json.ts';
import { schemaOf } from '../../wire/kit/codec.ts';
import { snakeCase } from '../../wire/kit/structures.ts';
import type { Operation } from './operation.ts';

type Components = Map<string, JsonSchema>;

const resolved = (schema: unknown, components: Components): JsonSchema => {
  if (!isObject(schema)) return {};
  return typeof schema.$ref === 'string'
    ? (components.get(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)) ?? {})
    : schema;
};

/** A path below a value of this schema; names inside the client's own data are already the client's. */
const below = (path: string, schema: JsonSchema, components: Components): string => {
  const [index] = /^\[\d+\]/.exec(path) ?? [];
  if (index !== undefined)
    return index + below(path.slice(index.length), resolved(schema.items, components), components);
  const [segment, key = ''] = /^\.(\w+)/.exec(path) ?? [];
  if (segment === undefined || !isObject(schema.properties)) return path;
  const name = Object.hasOwn(schema.properties, key) ? key : snakeCase(key);
  return `.${name}${below(path.slice(segment.length), resolved(schema.properties[name], components), components)}`;
};

/** `field`: what the body is alone, if it is one field of it. */
const wirePath = (path: string, { body, query, params }: Operation, field: string | null): string => {
  if (path === '') return 'body';
  if (field !== null && /^\w+/.exec(path)?.[0] === field) return `body${path.slice(field.length)}`;
  const [key = ''] = /^\w+/.exec(path) ?? [];
  for (const [place, codec] of Object.entries({ body, query, path: params })) {
    const components: Components = new Map();
    const schema = codec === null ? {} : resolved(schemaOf(codec, components), components);
    const { properties } = schema;
    if (isObject(properties) && (key in properties || snakeCase(key) in properties))
      return place + below(`.${path}`, schema, components);
  }
  return path;
};

/** Errors of a use case name the application's fields; the client knows them by their place in the request: `body.files[0].file_key`. */
export const namedForClient = (error: unknown, op: Operation, field: string | null): unknown => {
  if (!(error instanceof DomainError) || error.code !== 'invalid_request' || error.errors.length === 0) return error;
  return invalid(...error.errors.map(({ path, message }) => ({ path: wirePath(path, op, field), message })));
};
