import * as t from 'io-ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../domain/json.ts';
import { MEDIA_TYPE } from '../../domain/run.ts';
import { isDay, isUuid, isVisible } from '../../domain/text.ts';
import { exampleId, exampleTime } from '../example.ts';
import { type Codec, codecOf } from './codec.ts';
import { unexpected } from './errors.ts';

interface Scalar<A> {
  readonly expected: string;
  /** The value, or undefined if it is not what is expected. */
  readonly read: (value: unknown) => A | undefined;
  readonly write?: (value: A) => unknown;
  readonly schema: JsonSchema;
  /** The words of which it must be one. */
  readonly among?: readonly string[];
  /** What stands for a value that could not be read. */
  readonly standIn?: A;
}

/** A codec that checks one value without parts. */
export const scalar = <A>({ read, write = t.identity, schema, ...form }: Scalar<A>): Codec<A> =>
  codecOf<A>(
    (value, context) => {
      const result = read(value);
      return result === undefined ? unexpected(form, value, context) : t.success(result);
    },
    write,
    () => schema,
  );

/** JSON Schema counts code points, JavaScript counts UTF-16 units: they differ only beyond the basic plane. */
const isAtMost = (value: string, max: number): boolean => {
  if (value.length <= max) return true;
  if (value.length > 2 * max) return false;
  let count = 0;
  for (const _ of value) count++;
  return count <= max;
};

const isClean = (value: string) => !value.includes('\0') && value.isWellFormed();

const bounds = (min: number, max: number, what: string) =>
  min === 0 ? `at most ${max} ${what}` : `${min} to ${max} ${what}`;

/** A string; `expected` says in words what `pattern` and `fits` demand. */
export const text = ({
  min = 0,
  max,
  pattern,
  fits = () => true,
  expected,
}: {
  min?: number;
  max: number;
  pattern?: RegExp;
  /** What no pattern can check. */
  fits?: (value: string) => boolean;
  expected?: string;
}): Codec<string> =>
  scalar({
    expected: expected ?? `a string of ${bounds(min, max, 'characters')}, without NUL`,
    read: (value) => {
      if (typeof value !== 'string' || value.length < min || !isAtMost(value, max) || !isClean(value)) return undefined;
      return (pattern === undefined || pattern.test(value)) && fits(value) ? value : undefined;
    },
    schema: {
      type: 'string',
      ...(min > 0 && { minLength: min }),
      maxLength: max,
      // JavaScript escapes the slashes of `source`; JSON Schema has none to escape.
      ...(pattern && { pattern: pattern.source.replaceAll('\\/', '/') }),
    },
  });

/** Its JSON Schema asks for less: what is visible is a class of Unicode, which few programs that read schemas know. */
export const notBlank = (max: number): Codec<string> =>
  text({
    min: 1,
    max,
    pattern: /\S/,
    fits: isVisible,
    expected: `a string of 1 to ${max} characters that is not blank, without NUL`,
  });

/** A string of any length, in what is only answered. */
export const string: Codec<string> = t.string;

export const anyJson = t.unknown as unknown as Codec<JsonValue>;
export const anyObject = t.UnknownRecord as unknown as Codec<JsonObject>;

export const jsonPointer = (max: number): Codec<string> =>
  text({
    max,
    pattern: /^(\/([^~/]|~[01])*)*$/,
    expected: 'a JSON Pointer such as /lines/0/amount, or empty for the whole',
  });

export const uuid: Codec<string> = scalar({
  expected: 'a UUID',
  read: (value) => (typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined),
  schema: { type: 'string', format: 'uuid' },
});

/** At most so many bytes as base64. The pattern has no groups that repeat: for each of those, an expression takes time and memory to come back to it. */
export const base64 = (maxBytes: number): Codec<Uint8Array> => {
  const maxLength = Math.ceil(maxBytes / 3) * 4;
  return scalar<Uint8Array>({
    expected: `base64 of at most ${maxBytes} bytes`,
    read(value) {
      if (typeof value !== 'string' || value.length > maxLength || value.length % 4 !== 0) return undefined;
      const bytes = Buffer.from(value, 'base64');
      const padding = Number(value.endsWith('=')) + Number(value.endsWith('=='));
      return bytes.length === (value.length / 4) * 3 - padding ? bytes : undefined;
    },
    write: (bytes) => Buffer.from(bytes).toString('base64'),
    schema: { type: 'string', maxLength, pattern: '^[A-Za-z0-9+/]*={0,2}$' },
  });
};

/** RFC 3339 in UTC, with milliseconds. */
export const dateTime: Codec<Date> = scalar({
  expected: 'a date-time such as 2026-11-20T09:30:00.000Z',
  read: (value) => {
    const date = typeof value === 'string' ? new Date(value) : null;
    return date && !Number.isNaN(date.getTime()) ? date : undefined;
  },
  write: (value) => value.toISOString(),
  schema: { type: 'string', format: 'date-time' },
});

const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** RFC 3339, as clients send it. */
export const instant: Codec<Date> = scalar({
  expected: 'a date-time with its zone, such as 2026-11-20T09:30:00Z',
  read: (value) => {
    const date = typeof value === 'string' && INSTANT.test(value) ? new Date(value) : null;
    if (date === null || Number.isNaN(date.getTime())) return undefined;
    return isDay(String(value).slice(0, 10)) ? date : undefined;
  },
  write: (value) => value.toISOString(),
  schema: { type: 'string', format: 'date-time' },
});

export const uri: Codec<string> = scalar({
  expected: 'an absolute URL',
  read: (value) => (typeof value === 'string' && URL.canParse(value) ? value : undefined),
  schema: { type: 'string', format: 'uri' },
});

export const boolean: Codec<boolean> = scalar({
  expected: 'true or false',
  standIn: false,
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  schema: { type: 'boolean' },
});

/** A codec of integers from `min` to `max`. `numberOf` turns the value into a number, and answers NaN for what is no number. */
const integerOf =
  (numberOf: (value: unknown) => number) =>
  ({ min, max }: { readonly min: number; readonly max?: number }): Codec<number> =>
    scalar({
      expected: max === undefined ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`,
      read: (value) => {
        const number = numberOf(value);
        return Number.isSafeInteger(number) && number >= min && number <= (max ?? Number.MAX_SAFE_INTEGER)
          ? number
          : undefined;
      },
      schema: { type: 'integer', minimum: min, ...(max !== undefined && { maximum: max }) },
    });

/** An integer in JSON. */
export const integer = integerOf((value) => (typeof value === 'number' ? value : Number.NaN));

const DIGITS = /^-?\d{1,16}$/;

/** An integer in a query string or a header. */
export const integerParameter = integerOf((value) =>
  typeof value === 'string' && DIGITS.test(value) ? Number(value) : Number.NaN,
);

interface Bytes<A> {
  readonly size: number;
  readonly read: (bytes: Buffer) => A | undefined;
  readonly write: (value: A, bytes: Buffer) => void;
  readonly example: A;
}

/** A place in a list, in a form that says nothing. */
const cursorOf = <A>({ size, read, write, example }: Bytes<A>): Codec<A> => {
  const pattern = `^[A-Za-z0-9_-]{${Math.ceil((size * 4) / 3)}}$`;
  const shape = new RegExp(pattern);
  const written = (value: A) => {
    const bytes = Buffer.alloc(size);
    write(value, bytes);
    return bytes.toString('base64url');
  };
  return scalar({
    expected: 'a cursor that this API answered',
    read: (value) =>
      typeof value === 'string' && shape.test(value) ? read(Buffer.from(value, 'base64url')) : undefined,
    write: written,
    schema: { type: 'string', pattern, examples: [written(example)] },
  });
};

const NUMBER_BYTES = 6;
const EXAMPLE_POSITION = 89_236_535_513_703;
const UUID_BYTES = 16;

/** A place that is a number. */
export const cursor: Codec<number> = cursorOf({
  size: NUMBER_BYTES,
  read: (bytes) => bytes.readUIntBE(0, NUMBER_BYTES),
  write: (position, bytes) => bytes.writeUIntBE(position, 0, NUMBER_BYTES),
  example: EXAMPLE_POSITION,
});

/** A later time has no four-digit year, which the database would take for something else. */
const LAST_TIME = Date.UTC(9999, 11, 31);

interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

/** A place in a list that is newest first. */
export const positionCursor: Codec<Position> = cursorOf({
  size: NUMBER_BYTES + UUID_BYTES,
  read(bytes) {
    const time = bytes.readUIntBE(0, NUMBER_BYTES);
    const id = bytes.toString('hex', NUMBER_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    return time <= LAST_TIME ? { createdAt: new Date(time), id } : undefined;
  },
  write({ createdAt, id }, bytes) {
    bytes.writeUIntBE(createdAt.getTime(), 0, NUMBER_BYTES);
    bytes.write(id.replaceAll('-', ''), NUMBER_BYTES, 'hex');
  },
  example: { createdAt: exampleTime('09:30:00.150'), id: exampleId(6) },
});

const booleans: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** `true` or `false` in a query string or a header. */
export const booleanParameter: Codec<boolean> = scalar({
  expected: 'true or false',
  read: (value) => booleans.get(value),
  write: String,
  schema: { type: 'boolean', examples: [true] },
});

export const oneOf = <const T extends string>(...values: readonly T[]): Codec<T> =>
  scalar({
    expected: values.length === 1 ? `"${values[0]}"` : `one of ${values.join(', ')}`,
    read: (value) => values.find((each) => each === value),
    schema: { type: 'string', enum: values },
  });

export const mediaType = text({
  min: 3,
  max: 255,
  pattern: MEDIA_TYPE,
  expected: 'a media type such as application/pdf',
});
