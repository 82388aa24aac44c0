import { isObject, type JsonSchema, type JsonValue, resolvePointer, tokensOf } from './json.ts';

type Part = Readonly<Record<string, unknown>>;

/** A chain of references, and a nesting of schemas that are composed of others, end after so many. */
const MOST_STEPS = 50;

/** The schema that a local `$ref` leads to; null if it leads nowhere, or in a circle. */
export const dereferenced = (schema: unknown, root: JsonSchema): Part | null => {
  let at = schema;
  for (let step = 0; step < MOST_STEPS; step++) {
    if (!isObject(at)) return null;
    const { $ref: reference } = at;
    if (reference === undefined) return at;
    if (typeof reference !== 'string' || !reference.startsWith('#')) return null;
    at = resolvePointer(root as JsonValue, decoded(reference.slice(1)));
  }
  return null;
};

const decoded = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
};

/** The schema with all that it is composed of: what a value may be, not what it must be. */
export const partsOf = (schema: unknown, root: JsonSchema, level = 0): readonly Part[] => {
  const node = dereferenced(schema, root);
  if (node === null || level > MOST_STEPS) return [];
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((word) => (Array.isArray(node[word]) ? node[word] : []));
  return [node, ...[...lists, node.then, node.else].flatMap((part) => partsOf(part, root, level + 1))];
};

/** Whether objects may have fields that the schema does not name, because it says so. */
export const isOpen = ({ additionalProperties: rest, patternProperties }: Part) =>
  patternProperties !== undefined || rest === true || isObject(rest);

/** The schemas of the items of a list; undefined where it names none. */
export const itemsOf = ({ items, prefixItems }: Part): readonly unknown[] => [
  items,
  ...(Array.isArray(prefixItems) ? prefixItems : []),
];

/** The schemas one token further; null where any value may stand. */
const stepInto = (parts: readonly Part[], token: string): readonly unknown[] | null => {
  const named = parts.flatMap(({ properties }) =>
    isObject(properties) && Object.hasOwn(properties, token) ? [properties[token]] : [],
  );
  if (named.length > 0) return named;
  const isNamed = parts.some(({ properties }) => isObject(properties));
  if (parts.some(isOpen) || (!isNamed && parts.some(({ type }) => type === 'object'))) return null;
  return /^(0|[1-9]\d*)$/.test(token) ? parts.flatMap(itemsOf).filter((items) => items !== undefined) : [];
};

/** The schemas of what may stand there, none if nothing may, as far as the schema names what documents have; null where anything may. */
export const schemasAt = (root: JsonSchema, pointer: string): readonly unknown[] | null => {
  let schemas: readonly unknown[] = [root];
  for (const token of tokensOf(pointer)) {
    const parts = schemas.flatMap((schema) => partsOf(schema, root));
    const next = stepInto(parts, token);
    if (next === null) return null;
    schemas = next;
  }
  return schemas;
};

/** The title of what may stand there, as the schema has it. */
export const titleAt = (root: JsonSchema, pointer: string): string | null => {
  const parts = (schemasAt(root, pointer) ?? []).flatMap((schema) => partsOf(schema, root));
  for (const { title } of parts) if (typeof title === 'string' && title !== '') return title;
  return null;
};

/** Whether documents of the schema may have something there. */
export const schemaHas = (root: JsonSchema, pointer: string): boolean => schemasAt(root, pointer)?.length !== 0;
