import type { Environment } from '@marcbachmann/cel-js';
import { isObject, type JsonSchema } from '../../../domain/json.ts';
import { isOpen, partsOf } from '../../../domain/schema-parts.ts';

type Schema = Readonly<Record<string, unknown>>;

const typesOf = ({ type, properties, items }: Schema): readonly unknown[] => {
  if (type !== undefined) return [type].flat();
  if (properties !== undefined) return ['object'];
  return items === undefined ? [] : ['array'];
};

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'decimal',
  integer: 'decimal',
  boolean: 'bool',
};

/**
 * Declares the types of a schema in the environment, and answers the name of its root. A value that may be null has the type of the
 * other values it may have: the check is about names and kinds, and `x != null` is how an expression copes with a null.
 */
export const declareTypes = (environment: Environment, root: JsonSchema): string => {
  const declared = new Map<Schema, string>();

  /** An object may hold itself: its name is known before its fields are. */
  const objectType = (parts: readonly Schema[], place: string): string => {
    const [first] = parts;
    const known = first && declared.get(first);
    if (known !== undefined) return known;
    const properties = parts.flatMap((part) => (isObject(part.properties) ? Object.entries(part.properties) : []));
    if (properties.length === 0 || parts.some(isOpen)) return 'map';
    const name = `${place.replaceAll(/[^\w.]/g, '_')}.${declared.size}`;
    if (first) declared.set(first, name);
    const fields = Map.groupBy(properties, ([field]) => field);
    const types = [...fields].map(([field, schemas]) => {
      const kinds = new Set(schemas.map(([, schema]) => typeOf(schema, `${place}.${field}`)));
      return [field, kinds.size === 1 ? ([...kinds][0] ?? 'dyn') : 'dyn'] as const;
    });
    environment.registerType(name, { ctor: class {}, fields: Object.fromEntries(types) });
    environment.registerOperator(`${name} == null`, () => false);
    return name;
  };

  const typeOf = (schema: unknown, place: string): string => {
    const parts = partsOf(schema, root);
    const types = new Set(parts.flatMap(typesOf));
    types.delete('null');
    const names = new Set([...types].map((type) => scalars[String(type)] ?? type));
    if (names.size !== 1) return 'dyn';
    const [name] = names;
    if (name === 'object') return objectType(parts, place);
    if (name !== 'array') return String(name);
    const items = parts.map((part) => part.items).filter((each) => each !== undefined);
    return items.length === 1 ? `list<${typeOf(items[0], `${place}.item`)}>` : 'list';
  };

  return typeOf(root, 'document');
};

/** What a value that may be null is compared with. */
export const allowNulls = (environment: Environment): Environment => {
  for (const type of ['string', 'decimal', 'bool', 'list', 'map'])
    environment.registerOperator(`${type} == null`, () => false);
  return environment;
};
