import { escapeToken, isObject, type JsonSchema } from './json.ts';
import { partsOf, schemasAt } from './schema-parts.ts';

/** A table of documents has no more columns than a person reads. */
export const MOST_COLUMNS = 20;

const DEFAULT_COLUMNS = 5;
/** Objects of a schema are looked into so deep: a schema may contain itself. */
const MOST_LEVELS = 4;

type Part = ReturnType<typeof partsOf>[number];

const typesOf = (parts: readonly Part[]): readonly unknown[] =>
  parts.flatMap(({ type }) => (type === undefined ? [] : [type].flat()));

const isScalar = (parts: readonly Part[]): boolean => {
  const types = typesOf(parts).filter((type) => type !== 'null');
  if (types.length === 0) return parts.some((part) => 'enum' in part || 'const' in part);
  return types.every((type) => type !== 'object' && type !== 'array');
};

/** In the order of the schema, objects with what is in them; not what is in lists. */
const scalarsIn = function* (schema: unknown, root: JsonSchema, at: string, level: number): Generator<string> {
  const parts = partsOf(schema, root);
  if (at !== '' && isScalar(parts)) yield at;
  if (level === MOST_LEVELS) return;
  for (const { properties } of parts) {
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties))
      yield* scalarsIn(property, root, `${at}/${escapeToken(name)}`, level + 1);
  }
};

/** What a list shows of documents whose agent does not say it: the first five scalars of its schema. */
export const defaultColumns = (schema: JsonSchema | null): readonly string[] => {
  const columns = new Set<string>();
  if (schema === null) return [];
  for (const pointer of scalarsIn(schema, schema, '', 0)) {
    columns.add(pointer);
    if (columns.size === DEFAULT_COLUMNS) break;
  }
  return [...columns];
};

/** Whether documents of the schema may have a scalar there. */
export const mayBeScalar = (root: JsonSchema, pointer: string): boolean => {
  const parts = schemasAt(root, pointer)?.flatMap((schema) => partsOf(schema, root));
  const types = parts && typesOf(parts);
  return !types || types.length === 0 || types.some((type) => type !== 'object' && type !== 'array');
};
