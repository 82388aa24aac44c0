import type { JsonSchema } from '../../src/domain/json.ts';

/** A value that a schema does not allow, and where the error has to be found. */
export interface Mutation {
  readonly why: string;
  readonly path: string;
  readonly value: unknown;
}

type Resolve = (schema: JsonSchema) => JsonSchema;

const sub = (schema: JsonSchema, key: string) => schema[key] as JsonSchema | undefined;

const typesOf = ({ type }: JsonSchema): readonly string[] =>
  Array.isArray(type) ? type : typeof type === 'string' ? [type] : [];

const OF_TYPE: Readonly<Record<string, unknown>> = {
  string: 'x',
  integer: 1.5,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

/** Values of every type that the schema does not take. */
const wrongTypes = (schema: JsonSchema): readonly unknown[] => {
  const own = typesOf(schema);
  if (own.length === 0) return [];
  return Object.entries(OF_TYPE)
    .filter(([type]) => !own.includes(type) && !(type === 'integer' && own.includes('number')))
    .map(([, value]) => value);
};

const outOfBounds = (schema: JsonSchema): readonly unknown[] => {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format, pattern, enum: values } = schema;
  const wrong: unknown[] = [];
  if (typeof minimum === 'number') wrong.push(minimum - 1);
  if (typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER) wrong.push(maximum + 1);
  if (typeof minLength === 'number' && minLength > 0) wrong.push('x'.repeat(minLength - 1));
  if (typeof maxLength === 'number') wrong.push('x'.repeat(maxLength + 1));
  if (typeof minItems === 'number' && minItems > 0) wrong.push([]);
  if (typeof maxItems === 'number') wrong.push(Array.from({ length: maxItems + 1 }, () => ({})));
  if (format === 'uuid') wrong.push('not-a-uuid', '01989c0e-65f2-7a1b-8c3d-22222222222', '');
  if (values !== undefined) wrong.push('none of them');
  if (typeof pattern === 'string')
    wrong.push(...['\u0001', 'a/b c', '/'].filter((text) => !new RegExp(pattern, 'u').test(text)));
  if (typesOf(schema).includes('string')) wrong.push('a\0b', '\ud800');
  return wrong;
};

const withProperty = (value: unknown, name: string, replacement: unknown) => {
  const rest = { ...(value as Readonly<Record<string, unknown>>) };
  delete rest[name];
  return replacement === undefined ? rest : { ...rest, [name]: replacement };
};

const inProperties = (schema: JsonSchema, value: unknown, path: string, resolve: Resolve): readonly Mutation[] =>
  Object.entries(sub(schema, 'properties') ?? {}).flatMap(([name, property]) => {
    const inner = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
    const required = (schema.required as readonly string[] | undefined)?.includes(name);
    const missing = required
      ? [{ why: 'missing', path: `${path}.${name}`, value: withProperty(value, name, undefined) }]
      : [];
    const below = mutationsOf(property as JsonSchema, inner, `${path}.${name}`, resolve);
    return [...missing, ...below.map((each) => ({ ...each, value: withProperty(value, name, each.value) }))];
  });

const inItems = (schema: JsonSchema, value: unknown, path: string, resolve: Resolve): readonly Mutation[] => {
  const items = sub(schema, 'items');
  const [first] = Array.isArray(value) ? value : [];
  if (!items || first === undefined) return [];
  return mutationsOf(items, first, `${path}[0]`, resolve).map((each) => ({ ...each, value: [each.value] }));
};

/** Every way a declared schema can be broken in one place, starting from a value that it allows. */
export const mutationsOf = (
  declared: JsonSchema,
  value: unknown,
  path: string,
  resolve: Resolve,
): readonly Mutation[] => {
  const schema = resolve(declared);
  const wrong = [
    ...wrongTypes(schema).map((each) => ['wrong type', each]),
    ...outOfBounds(schema).map((each) => ['out of bounds', each]),
  ];
  const here = wrong.map(([why, each]) => ({
    why: `${why}: ${JSON.stringify(each)?.slice(0, 40)}`,
    path,
    value: each,
  }));
  return [...here, ...inProperties(schema, value, path, resolve), ...inItems(schema, value, path, resolve)];
};
