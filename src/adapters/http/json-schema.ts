import type * as t from 'io-ts';
import type { JsonSchema } from '../../domain/json.ts';

export type SchemaOf = (codec: object) => JsonSchema;

const schemas = new WeakMap<object, (schemaOf: SchemaOf) => JsonSchema>();
const names = new WeakMap<object, string>();

/** Gives a codec its JSON Schema. Every codec that is not io-ts's own needs one. */
export const documented = <C extends object>(codec: C, schema: (schemaOf: SchemaOf) => JsonSchema): C => {
  schemas.set(codec, schema);
  return codec;
};

/** Gives a codec a name: the description lists it once and refers to it everywhere else. */
export const named = <C extends object>(name: string, codec: C): C => {
  names.set(codec, name);
  return codec;
};

type Basic = t.StringType | t.NumberType | t.BooleanType | t.NullType | t.UnknownType | t.AnyDictionaryType;

const basicSchema = (codec: object): JsonSchema => {
  const basic = codec as Basic;
  switch (basic._tag) {
    case 'StringType':
      return { type: 'string' };
    case 'NumberType':
      return { type: 'number' };
    case 'BooleanType':
      return { type: 'boolean' };
    case 'NullType':
      return { type: 'null' };
    case 'UnknownType':
      return {};
    case 'AnyDictionaryType':
      return { type: 'object', additionalProperties: true };
    default:
      throw new Error(`the codec ${(basic as t.Mixed).name} has no JSON Schema: give it one with documented()`);
  }
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
