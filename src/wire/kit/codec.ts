import * as t from 'io-ts';
import type { JsonSchema } from '../../domain/json.ts';

/** A value of the program and its form in JSON, a query string or a header. */
export type Codec<A> = t.Type<A, unknown, unknown>;

/** A codec whose types compare loosely, so that codecs of every type fit in one list. */
export interface AnyCodec<A = unknown> {
  validate(value: unknown, context: t.Context): t.Validation<A>;
  encode(value: A): unknown;
}

export type SchemaOf = (codec: object) => JsonSchema;

const schemas = new WeakMap<object, (schemaOf: SchemaOf) => JsonSchema>();
const names = new WeakMap<object, string>();
const omissible = new WeakSet<object>();

/** Whether the client may leave out a field of this codec. */
export const isOmissible = (codec: object): boolean => omissible.has(codec);

/** A codec with its JSON Schema. Every codec that is not io-ts's own is made here. */
export const codecOf = <A>(
  validate: t.Validate<unknown, A>,
  encode: (value: A) => unknown,
  schema: (schemaOf: SchemaOf) => JsonSchema,
  mayBeLeftOut = false,
): Codec<A> => {
  const is = (value: unknown): value is A => codec.decode(value)._tag === 'Right';
  const codec: Codec<A> = new t.Type('codec', is, validate, encode);
  schemas.set(codec, schema);
  if (mayBeLeftOut) omissible.add(codec);
  return codec;
};

/** Gives a codec a name: the description lists it once and refers to it everywhere else. */
export const named = <C extends object>(name: string, codec: C): C => {
  names.set(codec, name);
  return codec;
};

const basicSchemas: Readonly<Record<string, JsonSchema>> = {
  StringType: { type: 'string' },
  NumberType: { type: 'number' },
  BooleanType: { type: 'boolean' },
  NullType: { type: 'null' },
  UnknownType: {},
  AnyDictionaryType: { type: 'object', additionalProperties: true },
};

/** The schema of a codec of io-ts's own, by its tag. */
const basicSchema = (codec: object): JsonSchema => {
  const { _tag: tag = '', name } = codec as { readonly _tag?: string; readonly name?: string };
  const schema = basicSchemas[tag];
  if (schema === undefined) throw new Error(`the codec ${name} has no JSON Schema: make it with codecOf()`);
  return schema;
};

/** The schema of a codec. A named codec becomes a reference to its schema in `components`. */
export const schemaOf = (codec: object, components: Map<string, JsonSchema>): JsonSchema => {
  const describe = (part: object): JsonSchema => schemaOf(part, components);
  const schema = () => schemas.get(codec)?.(describe) ?? basicSchema(codec);
  const name = names.get(codec);
  if (name === undefined) return schema();
  if (!components.has(name)) {
    components.set(name, {});
    components.set(name, schema());
  }
  return { $ref: `#/components/schemas/${name}` };
};

/** The schema of a codec with those of its parts in their places, for who has no components to refer to. */
export const wholeSchema = (codec: object): JsonSchema => schemas.get(codec)?.(wholeSchema) ?? basicSchema(codec);

/** The names that the fields of an object have on the wire. */
export const fieldsOf = (codec: object): readonly string[] => Object.keys(wholeSchema(codec).properties ?? {});
