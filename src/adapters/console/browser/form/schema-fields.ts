import { escapeToken, isObject } from '../../../../domain/json.ts';
import { labelOf, plain, typesOf } from './form.ts';

type Json = Readonly<Record<string, unknown>>;

/** A field that documents of a schema may have. */
export interface SchemaField {
  /** JSON Pointer; `*` stands for each entry of a list. */
  readonly pointer: string;
  readonly label: string;
  readonly type: string;
  readonly description: string;
}

/** A schema may refer to itself. */
const DEEPEST = 5;

const typeOf = (schema: Json): string => {
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(', ');
  return [typesOf(schema).join(' or ') || 'any', ...(typeof schema.format === 'string' ? [schema.format] : [])].join(
    ', ',
  );
};

/** All fields of a schema, in its order, each before those within it. */
export const schemaFields = (schema: Json, root: Json = schema, at = '', depth = 0): readonly SchemaField[] => {
  const { properties } = plain(schema, root);
  if (!isObject(properties) || depth > DEEPEST) return [];
  return Object.entries(properties).flatMap(([key, declared]) => {
    const field = plain(declared, root);
    const pointer = `${at}/${escapeToken(key)}`;
    const description = typeof field.description === 'string' ? field.description : '';
    const entry = { pointer, label: labelOf(field, key), type: typeOf(field), description };
    const within = schemaFields(field, root, pointer, depth + 1);
    const entries = isObject(field.items) ? schemaFields(field.items, root, `${pointer}/*`, depth + 1) : [];
    return [entry, ...within, ...entries];
  });
};
