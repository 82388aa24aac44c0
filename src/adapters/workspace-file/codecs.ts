import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { ValidationError } from '../../domain/errors.ts';
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../domain/json.ts';
import { isNumber } from '../../domain/json-number.ts';
import { closest, suggestion } from './closest.ts';

/** What a codec takes, for editors and the documentation. */
interface Described {
  readonly schema: JsonSchema;
  readonly isOptional?: boolean;
}

export type Codec<A> = t.Type<A, unknown, unknown> & Described;
export type AnyCodec = t.Mixed & Described;

export const codecOf = <A>(schema: JsonSchema, validate: t.Validate<unknown, A>, isOptional = false): Codec<A> => {
  const is = (value: unknown): value is A => !isLeft(codec.decode(value));
  const codec: Codec<A> = Object.assign(new t.Type<A, unknown, unknown>('codec', is, validate, t.identity), {
    schema,
    isOptional,
  });
  return codec;
};

/** The schema of text that `${NAME}` may stand in: only what replaces it is judged by the codec. */
const textSchema = (constraints: JsonSchema): JsonSchema => ({
  type: 'string',
  anyOf: [constraints, { $ref: '#/$defs/variable' }],
});

/** What `#/$defs/variable` is. */
export const variable: JsonSchema = {
  type: 'string',
  pattern: '\\$\\{',
  description: 'Text in which environment variables are named: they replace it.',
};

/** How a file names an environment variable, for examples. */
export const ref = (name: string, before = '') => `${before}\${${name}}`;

/** The same codec as a field, with its meaning and an example. */
export const field = <A>(
  { schema, validate, isOptional = false }: Codec<A>,
  description: string,
  example?: JsonValue,
) =>
  codecOf<A>(
    { ...schema, description, ...(example === undefined ? {} : { examples: [example] }) },
    validate,
    isOptional,
  );

type Read<A> = (value: unknown) => { readonly value: A } | { readonly error: string };

/** What stands in for a value with errors, so that the rest of the file can be judged at the same time. */
type Failed<A> = t.Errors & { readonly standIn: A };

export const failed = <A>(errors: t.Errors, standIn: A): t.Validation<A> =>
  t.failures(Object.assign([...errors], { standIn }));

/** Every codec here fails with a stand-in. */
const readingOf = <A>(result: t.Validation<A>): A =>
  isLeft(result) ? (result.left as Failed<A>).standIn : result.right;
const errorsOf = (result: t.Validation<unknown>): t.Errors => (isLeft(result) ? result.left : []);

const validated = <A>(errors: t.Errors, value: A): t.Validation<A> =>
  errors.length > 0 ? failed(errors, value) : t.success(value);

/** A codec of one value. Its errors never repeat a text of the file, which may be a secret. */
const leaf = <A>(standIn: A, schema: JsonSchema, read: Read<A>): Codec<A> =>
  codecOf<A>(schema, (value, context) => {
    const result = read(value);
    return 'value' in result ? t.success(result.value) : failed([{ value, context, message: result.error }], standIn);
  });

const mustBe = (value: unknown, expected: string): { readonly error: string } => {
  if (value === undefined) return { error: `is required: it must be ${expected}` };
  if (value === null) return { error: `is empty: it must be ${expected}` };
  if (Array.isArray(value)) return { error: `must be ${expected}, not a list` };
  if (isObject(value)) return { error: `must be ${expected}, not a mapping` };
  if (typeof value === 'string') return { error: `must be ${expected}, not text` };
  return { error: `must be ${expected}, not ${String(value)}` };
};

interface Form {
  /** What it must be, for messages. */
  readonly expected: string;
  readonly patterns: readonly RegExp[];
  /** What no pattern can check. */
  readonly fits?: (value: string) => boolean;
}

const notBlank = /\S/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const oneLine = /^[^\u0000-\u001f\u007f-\u009f]*$/;
const anyText: Form = { expected: 'text', patterns: [] };

/** Text that is not blank. */
export const text = (longest: number, { expected, patterns, fits = () => true }: Form = anyText): Codec<string> => {
  const allOf = [notBlank, ...patterns].map(({ source }) => ({ pattern: source }));
  const constraints = textSchema({ maxLength: longest, allOf });
  return leaf('', { title: expected, ...constraints }, (value) => {
    if (isNumber(value) || typeof value === 'boolean') return { error: `must be text; put it in quotes: "${value}"` };
    if (typeof value !== 'string') return mustBe(value, expected);
    if (!notBlank.test(value)) return { error: `is blank: it must be ${expected}` };
    if (value.length > longest) return { error: `is over ${longest} characters long` };
    return patterns.every((pattern) => pattern.test(value)) && fits(value)
      ? { value }
      : { error: `must be ${expected}` };
  });
};

/** Text on one line, as names and addresses are. */
export const line = (
  longest: number,
  expected = 'text on one line',
  pattern: RegExp | null = null,
  fits?: Form['fits'],
) =>
  text(longest, {
    expected,
    patterns: [oneLine, ...(pattern === null ? [] : [pattern])],
    ...(fits === undefined ? {} : { fits }),
  });

export const flag: Codec<boolean> = leaf(false, { type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? { value } : mustBe(value, 'true or false'),
);

export const oneOf = <const A extends string>(words: readonly [A, ...A[]]): Codec<A> =>
  leaf(words[0], textSchema({ enum: [...words] }), (value) => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return { value: found };
    const expected = `one of ${words.join(', ')}`;
    if (typeof value !== 'string') return mustBe(value, expected);
    const meant = closest(value, words);
    return { error: `must be ${expected}${meant === undefined ? '' : `; did you mean ${meant}?`}` };
  });

export const jsonObject: Codec<JsonObject> = leaf({}, { type: 'object' }, (value) =>
  isObject(value) ? { value: value as JsonObject } : mustBe(value, 'a mapping'),
);

const orNull = ({ type, anyOf, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
  ...(Array.isArray(anyOf) ? { anyOf: [...anyOf, { type: 'null' }] } : {}),
});

/** Absent and empty are the same: `tools:` with nothing behind it is a file from which the last tool was taken. */
export const optional = <A, const D extends JsonValue | undefined>(codec: Codec<A>, absent: D): Codec<A | D> =>
  codecOf<A | D>(
    { ...orNull(codec.schema), ...(absent === undefined || absent === null ? {} : { default: absent }) },
    (value, context) =>
      value === undefined || value === null ? t.success<A | D>(absent) : codec.validate(value, context),
    true,
  );

export const list = <A>(codec: Codec<A>): Codec<readonly A[]> =>
  codecOf<readonly A[]>({ type: 'array', items: codec.schema }, (value, context) => {
    if (!Array.isArray(value))
      return failed<readonly A[]>([{ value, context, message: mustBe(value, 'a list').error }], []);
    const items = value.map((item, index) =>
      codec.validate(item, t.appendContext(context, String(index), codec, item)),
    );
    return validated(items.flatMap(errorsOf), items.map(readingOf));
  });

export const record = <A>(codec: Codec<A>): Codec<Readonly<Record<string, A>>> =>
  codecOf<Readonly<Record<string, A>>>({ type: 'object', additionalProperties: codec.schema }, (value, context) => {
    if (!isObject(value))
      return failed<Record<string, A>>([{ value, context, message: mustBe(value, 'a mapping').error }], {});
    const items = Object.entries(value).map(
      ([key, item]) => [key, codec.validate(item, t.appendContext(context, key, codec, item))] as const,
    );
    const errors = items.flatMap(([, result]) => errorsOf(result));
    return validated(errors, Object.fromEntries(items.map(([key, result]) => [key, readingOf(result)])));
  });

type Fields = Readonly<Record<string, AnyCodec>>;
type Values<F extends Fields> = { readonly [K in keyof F]: t.TypeOf<F[K]> };

/** The message for a key that is missing because it is misspelt: only the misspelt one is reported. */
const UNREAD = '';

const closedSchema = (title: string, fields: Fields): JsonSchema => ({
  title,
  type: 'object',
  additionalProperties: false,
  required: Object.keys(fields).filter((key) => !fields[key]?.isOptional),
  properties: Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema])),
});

/** A mapping with these keys and no others. A key that is missing because it is misspelt is one error, not two. */
export const closed = <F extends Fields>(title: string, fields: F): Codec<Values<F>> =>
  codecOf<Values<F>>(closedSchema(title, fields), (value, context) => {
    const given = isObject(value) ? value : {};
    const results = Object.entries(fields).map(([key, codec]) => {
      const item = Object.hasOwn(given, key) ? given[key] : undefined;
      return [key, codec.validate(item, t.appendContext(context, key, codec, item))] as const;
    });
    const standIn = Object.fromEntries(results.map(([key, result]) => [key, readingOf(result)])) as Values<F>;
    if (given !== value) {
      const message = mustBe(value, `a mapping with ${Object.keys(fields).join(', ')}`).error;
      return failed([{ value, context, message }], standIn);
    }
    const absent = Object.keys(fields).filter((key) => !Object.hasOwn(given, key));
    const unknown = Object.keys(given).filter((key) => !Object.hasOwn(fields, key));
    const meant = new Set(unknown.map((key) => closest(key, absent)));
    const misspelt = unknown.map((key) => ({
      value: given[key],
      context: t.appendContext(context, key, t.never, given[key]),
      message: `is not a field of this file; ${suggestion(key, absent.length > 0 ? absent : Object.keys(fields))}`,
    }));
    const missing = [...meant].flatMap((key) =>
      key === undefined ? [] : [{ value, context: t.appendContext(context, key, t.never), message: UNREAD }],
    );
    const errors = results.flatMap(([key, result]) => (meant.has(key) ? [] : errorsOf(result)));
    return validated([...misspelt, ...missing, ...errors], standIn);
  });

const pathOf = (context: t.Context) =>
  context.slice(1).reduce((path, { key }, index) => {
    if (Array.isArray(context[index]?.actual)) return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }, '');

/** The value, with stand-ins in place of errors; every error with its path; and the paths of the stand-ins. */
export const decode = <A>(codec: Codec<A>, value: JsonValue) => {
  const result = codec.decode(value);
  const found: readonly ValidationError[] = errorsOf(result).map(({ context, message }) => ({
    path: pathOf(context),
    message: message ?? 'is not valid',
  }));
  return {
    value: readingOf(result),
    errors: found.filter(({ message }) => message !== UNREAD),
    unread: found.map(({ path }) => path),
  };
};
