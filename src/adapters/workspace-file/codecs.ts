import * as t from 'io-ts';
import type { ValidationError } from '../../domain/errors.ts';
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../domain/json.ts';
import { isNumber } from '../../domain/json-number.ts';
import { isVisible } from '../../domain/text.ts';
import { type Codec, codecOf, isOmissible } from '../../wire/kit/codec.ts';
import { type Defect, failed, pathOf, readableOf, unexpected } from '../../wire/kit/errors.ts';
import { closed } from '../../wire/kit/structures.ts';
import { scalar } from '../../wire/kit/values.ts';
import { closest, suggestion } from './closest.ts';

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

/** The same codec with more in its schema. */
export const shownWith = <A>(more: JsonSchema, codec: Codec<A>): Codec<A> =>
  codecOf<A>(codec.validate, codec.encode, (schemaOf) => ({ ...schemaOf(codec), ...more }), isOmissible(codec));

/** The same codec as a field, with its meaning and an example. */
export const field = <A>(codec: Codec<A>, description: string, example?: JsonValue) =>
  shownWith({ description, ...(example !== undefined && { examples: [example] }) }, codec);

/** A mapping with these keys and no others. */
export const form = <P extends t.Props>(title: string, fields: P) => shownWith({ title }, closed(fields));

interface Form {
  /** What it must be, for messages. */
  readonly expected: string;
  readonly patterns: readonly RegExp[];
  /** What no pattern can check. */
  readonly fits?: (value: string) => boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const oneLine = /^[^\u0000-\u001f\u007f-\u009f]*$/;
const anyText: Form = { expected: 'text', patterns: [] };

/** Text that is not blank. Its errors never repeat it, because it may be a secret. */
export const text = (longest: number, { expected, patterns, fits = () => true }: Form = anyText): Codec<string> => {
  const defectOf = (value: string) => {
    if (!isVisible(value)) return `is blank: it must be ${expected}`;
    if (value.length > longest) return `is over ${longest} characters long`;
    return patterns.every((pattern) => pattern.test(value)) && fits(value) ? null : `must be ${expected}`;
  };
  const allOf = [/\S/, ...patterns].map(({ source }) => ({ pattern: source }));
  return codecOf(
    (value, context) => {
      const isBare = isNumber(value) || typeof value === 'boolean';
      if (typeof value !== 'string' && !isBare) return unexpected({ expected, standIn: '' }, value, context);
      const message = isBare ? `must be text; put it in quotes: "${value}"` : defectOf(value);
      return message === null ? t.success(String(value)) : failed([{ value, context, message }], () => '');
    },
    t.identity,
    () => ({ title: expected, ...textSchema({ maxLength: longest, allOf }) }),
  );
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

export const oneOf = <const A extends string>(among: readonly [A, ...A[]]): Codec<A> =>
  scalar<A>({
    expected: `one of ${among.join(', ')}`,
    among,
    read: (value) => among.find((word) => word === value),
    schema: textSchema({ enum: [...among] }),
    standIn: among[0],
  });

export const jsonObject: Codec<JsonObject> = scalar<JsonObject>({
  expected: 'an object',
  read: (value) => (isObject(value) ? (value as JsonObject) : undefined),
  schema: { type: 'object' },
  standIn: {},
});

const orNull = ({ type, anyOf, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
  ...(Array.isArray(anyOf) ? { anyOf: [...anyOf, { type: 'null' }] } : {}),
});

const defaultOf = <A>(codec: Codec<A>, absent: A | null | undefined): JsonSchema =>
  absent === undefined || absent === null ? {} : { default: codec.encode(absent) };

/** A field that may be absent, and then has the value `absent`. It must not be empty: `visible_to:` without a name would read as absent, which means everybody. */
export const omissible = <A, const D extends A | null | undefined>(codec: Codec<A>, absent: D): Codec<A | D> =>
  codecOf<A | D>(
    (value, context) => (value === undefined ? t.success<A | D>(absent) : codec.validate(value, context)),
    t.identity,
    (schemaOf) => ({ ...schemaOf(codec), ...defaultOf(codec, absent) }),
    true,
  );

/** Absent and empty are the same: `tools:` with nothing behind it is a file from which the last tool was taken. */
export const optional = <A, const D extends A | null | undefined>(codec: Codec<A>, absent: D): Codec<A | D> =>
  codecOf<A | D>(
    (value, context) =>
      value === undefined || value === null ? t.success<A | D>(absent) : codec.validate(value, context),
    t.identity,
    (schemaOf) => ({ ...orNull(schemaOf(codec)), ...defaultOf(codec, absent) }),
    true,
  );

const isUnknown = ({ expected, among }: Defect) => expected === undefined && among !== undefined;

const keyOf = ({ context }: Defect) => context.at(-1)?.key ?? '';

/** The fields that a mapping has not; if it has all, each of them. */
const absentBeside = ({ context, among = [] }: Defect) => {
  const mapping = context.at(-2)?.actual;
  return among.filter((name) => !isObject(mapping) || !Object.hasOwn(mapping, name));
};

const kindOf = (value: unknown) => {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a mapping';
  return typeof value === 'string' ? 'text' : String(value);
};

/** What is wrong, in the words of YAML, with no text of the file, which may be a secret. */
const wordsOf = (defect: Defect): string => {
  const { value, among, message = 'is not valid' } = defect;
  if (isUnknown(defect)) {
    const absent = absentBeside(defect);
    const names = absent.length > 0 ? absent : (among ?? []);
    return `is not a field of this file; ${suggestion(keyOf(defect), names)}`;
  }
  if (defect.expected === undefined) return message;
  const isMapping = defect.expected === 'an object';
  const expected = isMapping ? `a mapping${among ? ` with ${among.join(', ')}` : ''}` : defect.expected;
  if (value === undefined) return `is required: it must be ${expected}`;
  if (value === null) return `is empty: it must be ${expected}`;
  if (isMapping || among === undefined || typeof value !== 'string') return `must be ${expected}, not ${kindOf(value)}`;
  const meant = closest(value, among);
  return `must be ${expected}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
};

/** The value, with stand-ins in place of errors; every error with its path; and the paths of the stand-ins. */
export const decode = <A>(codec: Codec<A>, value: JsonValue) => {
  const result = codec.decode(value);
  const defects: readonly Defect[] = result._tag === 'Left' ? result.left : [];
  // A field that is missing because it is misspelt is one error, not two.
  const meant = defects.filter(isUnknown).flatMap((defect) => {
    const name = closest(keyOf(defect), absentBeside(defect));
    return name === undefined ? [] : [pathOf([...defect.context.slice(0, -1), { key: name, type: t.unknown }])];
  });
  const errors: readonly ValidationError[] = defects.map((defect) => ({
    path: pathOf(defect.context),
    message: wordsOf(defect),
  }));
  return {
    value: readableOf(result),
    errors: errors.filter(({ path }) => !meant.includes(path)),
    unread: [...errors.map(({ path }) => path), ...meant],
  };
};
