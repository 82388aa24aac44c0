import * as t from 'io-ts';
import { isObject, type JsonSchema } from '../../domain/json.ts';
import { snakeCase } from '../../domain/text.ts';
import { type Codec, codecOf, isOmissible, named, type SchemaOf } from './codec.ts';
import { type Defect, failed, readableOf, unexpected } from './errors.ts';

/** A value of the codec, or the empty value, which is the same on the wire. */
const or = <A, E extends null | undefined>(
  codec: Codec<A>,
  empty: E,
  schema: (schemaOf: SchemaOf) => JsonSchema,
): Codec<A | E> =>
  codecOf<A | E>(
    (value, context) => (value === empty ? t.success(empty) : codec.validate(value, context)),
    (value) => (value === empty ? empty : codec.encode(value as A)),
    schema,
    empty === undefined,
  );

/** The client may leave it out: then it is undefined in the program, which takes `assumed` where there is nothing else to take. */
export const optional = <A>(codec: Codec<A>, assumed?: A): Codec<A | undefined> => {
  const shown = assumed === undefined ? {} : { default: codec.encode(assumed) };
  return or(codec, undefined, (schemaOf) => ({ ...schemaOf(codec), ...shown }));
};

/** The client may leave it out: then it has this value. */
export const withDefault = <A>(codec: Codec<A>, fallback: A): Codec<A> =>
  codecOf<A>(
    (value, context) => (value === undefined ? t.success(fallback) : codec.validate(value, context)),
    codec.encode,
    (schemaOf) => ({ ...schemaOf(codec), default: codec.encode(fallback) }),
    true,
  );

/** Describes what a value is for; the example is one that its schema does not show. */
export const about = <A>(description: string, codec: Codec<A>, example?: A): Codec<A> => {
  const shown = example === undefined ? { description } : { description, examples: [codec.encode(example)] };
  return codecOf<A>(codec.validate, codec.encode, (schemaOf) => ({ ...schemaOf(codec), ...shown }), isOmissible(codec));
};

const orNull = (schema: JsonSchema): JsonSchema => {
  const simple = typeof schema.type === 'string' && !('enum' in schema);
  return simple ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, { type: 'null' }] };
};

export const nullable = <A>(codec: Codec<A>): Codec<A | null> => or(codec, null, (schemaOf) => orNull(schemaOf(codec)));

const listOf = (min: number, max: number): string => {
  if (max === Number.POSITIVE_INFINITY) return 'a list';
  return min === 0 ? `a list of at most ${max} items` : `a list of ${min} to ${max} items`;
};

/** A list of at most `max` items: it refuses a longer one before it looks at the items. */
export const list = <A>(codec: Codec<A>, size: { min?: number; max?: number } = {}): Codec<readonly A[]> => {
  const { min = 0, max = Number.POSITIVE_INFINITY } = size;
  const expected = listOf(min, max);
  const itemAt = (context: t.Context, item: unknown, index: number) =>
    codec.validate(item, t.appendContext(context, String(index), codec, item));
  const validate: t.Validate<unknown, readonly A[]> = (value, context) => {
    if (!Array.isArray(value)) return unexpected({ expected, standIn: [] }, value, context);
    if (value.length < min || value.length > max)
      return t.failure(value, context, `must be ${expected}, not of ${value.length}`);
    const items: A[] = [];
    const errors: t.Errors = [];
    for (const [index, item] of value.entries()) {
      const result = itemAt(context, item, index);
      if (result._tag === 'Right') items.push(result.right);
      else errors.push(...result.left);
    }
    if (errors.length === 0) return t.success(items);
    return failed(errors, () => value.map((item, index) => readableOf(itemAt(context, item, index))));
  };
  const encode = codec.encode === t.identity ? t.identity : (items: readonly A[]) => items.map(codec.encode);
  const bounds = { ...(min > 0 && { minItems: min }), ...(Number.isFinite(max) && { maxItems: max }) };
  return codecOf(validate, encode, (schemaOf) => ({ type: 'array', items: schemaOf(codec), ...bounds }));
};

/** An object that is only ever written. */
export const onlyWritten = <A>(encode: (value: A) => unknown, schema: (schemaOf: SchemaOf) => JsonSchema): Codec<A> =>
  codecOf<A>((value, context) => t.failure(value, context, 'is only ever written'), encode, schema);

/** The same, as the codec writes what `shown` makes of it. */
export const written = <A, B>(codec: Codec<B>, shown: (value: A) => B): Codec<A> =>
  onlyWritten(
    (value) => codec.encode(shown(value)),
    (schemaOf) => schemaOf(codec),
  );

/** An object whose keys are data. */
export const map = <A>(codec: Codec<A>, { min = 0 }: { min?: number } = {}): Codec<Readonly<Record<string, A>>> => {
  const itemAt = (context: t.Context, key: string, item: unknown) =>
    codec.validate(item, t.appendContext(context, key, codec, item));
  const validate: t.Validate<unknown, Readonly<Record<string, A>>> = (value, context) => {
    if (!isObject(value)) return unexpected({ expected: 'an object', standIn: {} }, value, context);
    if (Object.keys(value).length < min) return t.failure(value, context, `must have at least ${min} properties`);
    const entries: [string, A][] = [];
    const errors: t.Errors = [];
    for (const [key, item] of Object.entries(value)) {
      const result = itemAt(context, key, item);
      if (result._tag === 'Right') entries.push([key, result.right]);
      else errors.push(...result.left);
    }
    if (errors.length === 0) return t.success(Object.fromEntries(entries));
    return failed(errors, () =>
      Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readableOf(itemAt(context, key, item))])),
    );
  };
  const encode = (value: Readonly<Record<string, A>>) =>
    Object.fromEntries(Object.entries(value).map(([key, item]) => [key, codec.encode(item)]));
  const schema = (schemaOf: SchemaOf) => ({
    type: 'object',
    additionalProperties: schemaOf(codec),
    ...(min > 0 && { minProperties: min }),
  });
  return codecOf(validate, codec.encode === t.identity ? t.identity : encode, schema);
};

type OptionalKey<P extends t.Props> = { [K in keyof P]: undefined extends t.TypeOf<P[K]> ? K : never }[keyof P];
type Values<P extends t.Props> = { readonly [K in Exclude<keyof P, OptionalKey<P>>]: t.TypeOf<P[K]> } & {
  readonly [K in OptionalKey<P>]?: t.TypeOf<P[K]>;
};

interface Field {
  readonly key: string;
  readonly name: string;
  readonly codec: Codec<unknown>;
}

const decode = (
  fields: readonly Field[],
  names: ReadonlySet<string> | null,
): t.Validate<unknown, Record<string, unknown>> => {
  const among = names === null ? undefined : [...names];
  const fieldAt = (context: t.Context, value: Readonly<Record<string, unknown>>, { name, codec }: Field) => {
    const item = Object.hasOwn(value, name) ? value[name] : undefined;
    return codec.validate(item, t.appendContext(context, name, codec, item));
  };
  const readable = (context: t.Context, value: Readonly<Record<string, unknown>>) => () =>
    Object.fromEntries(fields.map((field) => [field.key, readableOf(fieldAt(context, value, field))]));
  return (value, context) => {
    if (!isObject(value)) return failed([{ value, context, expected: 'an object', among }], readable(context, {}));
    const result: Record<string, unknown> = {};
    const errors: Defect[] = [];
    for (const field of fields) {
      const decoded = fieldAt(context, value, field);
      if (decoded._tag === 'Right') result[field.key] = decoded.right;
      else errors.push(...decoded.left);
    }
    for (const name of names ? Object.keys(value) : []) {
      const message = `is not a property here: there is only ${among?.join(', ')}`;
      if (!names?.has(name))
        errors.push({ value: value[name], context: t.appendContext(context, name, t.unknown), message, among });
    }
    return errors.length === 0 ? t.success(result) : failed(errors, readable(context, value));
  };
};

const encoder = (fields: readonly Field[]) => (value: Readonly<Record<string, unknown>>) => {
  const result: Record<string, unknown> = {};
  for (const { key, name, codec } of fields) {
    const item = value[key];
    if (item !== undefined) result[name] = codec.encode === t.identity ? item : codec.encode(item);
  }
  return result;
};

/** An object whose properties have other names on the wire. */
export const object = <P extends t.Props>(
  props: P,
  nameOf: (key: string) => string,
  refusesOthers = false,
): Codec<Values<P>> => {
  const fields: Field[] = Object.entries(props).map(([key, codec]) => ({ key, name: nameOf(key), codec }));
  const validate = decode(fields, refusesOthers ? new Set(fields.map(({ name }) => name)) : null);
  const required = fields.filter(({ codec }) => !isOmissible(codec)).map(({ name }) => name);
  return codecOf(validate as t.Validate<unknown, Values<P>>, encoder(fields), (schemaOf) => ({
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, codec }) => [name, schemaOf(codec)])),
    ...(required.length > 0 && { required }),
    ...(refusesOthers && { additionalProperties: false }),
  }));
};

/** An object that is camelCase in the program and snake_case on the wire; it drops every other property, both ways. */
export const wire = <P extends t.Props>(props: P) => object(props, snakeCase);

/** A `wire` object with a name: the description lists it once, among its components. */
export const component = <P extends t.Props>(name: string, props: P) => named(name, wire(props));

/** A `wire` object that refuses any other property. */
export const closed = <P extends t.Props>(props: P) => object(props, snakeCase, true);

/** An object whose properties have the same names on the wire as in the program. */
export const verbatim = <P extends t.Props>(props: P) => object(props, (key) => key);
