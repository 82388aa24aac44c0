import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Fault } from '../../domain/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { closest, suggestion } from './closest.ts';

export type Codec<A> = t.Type<A, unknown, unknown>;
type Read<A> = (value: unknown) => { readonly value: A } | { readonly fault: string };

/** A codec of one value. Its faults never repeat a text of the file, which may be a secret. */
const leaf = <A>(name: string, read: Read<A>): Codec<A> =>
  new t.Type<A, unknown, unknown>(
    name,
    (value): value is A => 'value' in read(value),
    (value, context) => {
      const result = read(value);
      return 'value' in result ? t.success(result.value) : t.failure(value, context, result.fault);
    },
    t.identity,
  );

const mustBe = (value: unknown, expected: string): { readonly fault: string } => {
  if (value === undefined) return { fault: `is required: it must be ${expected}` };
  if (value === null) return { fault: `is empty: it must be ${expected}` };
  if (Array.isArray(value)) return { fault: `must be ${expected}, not a list` };
  if (isObject(value)) return { fault: `must be ${expected}, not a mapping` };
  if (typeof value === 'string') return { fault: `must be ${expected}, not text` };
  return { fault: `must be ${expected}, not ${String(value)}` };
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** Text that is not blank. `form` adds what more it must be, in words. */
export const text = (longest: number, form?: { readonly expected: string; readonly fits: (value: string) => boolean }): Codec<string> =>
  leaf('text', (value) => {
    const expected = form?.expected ?? 'text';
    if (typeof value === 'number' || typeof value === 'boolean') return { fault: `must be text; put it in quotes: "${value}"` };
    if (typeof value !== 'string') return mustBe(value, expected);
    if (value.trim() === '') return { fault: `is blank: it must be ${expected}` };
    if (value.length > longest) return { fault: `is over ${longest} characters long` };
    return form === undefined || form.fits(value) ? { value } : { fault: `must be ${expected}` };
  });

/** Text on one line, as names and addresses are. */
export const line = (longest: number, expected = 'text on one line', fits: (value: string) => boolean = () => true) =>
  text(longest, { expected, fits: (value) => !control.test(value) && fits(value) });

export const flag: Codec<boolean> = leaf('flag', (value) => (typeof value === 'boolean' ? { value } : mustBe(value, 'true or false')));

export const oneOf = <A extends string>(words: readonly A[]): Codec<A> =>
  leaf('choice', (value) => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return { value: found };
    const expected = `one of ${words.join(', ')}`;
    if (typeof value !== 'string') return mustBe(value, expected);
    const meant = closest(value, words);
    return { fault: `must be ${expected}${meant === undefined ? '' : `; did you mean ${meant}?`}` };
  });

export const jsonObject: Codec<JsonObject> = leaf('mapping', (value) =>
  isObject(value) ? { value: value as JsonObject } : mustBe(value, 'a mapping'),
);

/** Absent and empty are the same: `tools:` with nothing behind it is a file from which the last tool was taken. */
export const optional = <A, const D>(codec: Codec<A>, absent: D): Codec<A | D> =>
  new t.Type<A | D, unknown, unknown>(
    codec.name,
    (value): value is A | D => value === absent || codec.is(value),
    (value, context) => (value === undefined || value === null ? t.success<A | D>(absent) : codec.validate(value, context)),
    t.identity,
  );

const validated = <A>(results: readonly t.Validation<A>[], faults: t.Errors = []): t.Validation<readonly A[]> => {
  const all = [...faults, ...results.flatMap((result) => (isLeft(result) ? result.left : []))];
  return all.length > 0 ? t.failures(all) : t.success(results.flatMap((result) => (isLeft(result) ? [] : [result.right])));
};

export const list = <A>(codec: Codec<A>): Codec<readonly A[]> =>
  new t.Type<readonly A[], unknown, unknown>(
    'list',
    (value): value is readonly A[] => Array.isArray(value) && value.every(codec.is),
    (value, context) => {
      if (!Array.isArray(value)) return t.failure(value, context, mustBe(value, 'a list').fault);
      return validated(value.map((item, index) => codec.validate(item, t.appendContext(context, String(index), codec, item))));
    },
    t.identity,
  );

export const record = <A>(codec: Codec<A>): Codec<Readonly<Record<string, A>>> =>
  new t.Type<Readonly<Record<string, A>>, unknown, unknown>(
    'mapping',
    (value): value is Readonly<Record<string, A>> => isObject(value) && Object.values(value).every(codec.is),
    (value, context) => {
      if (!isObject(value)) return t.failure(value, context, mustBe(value, 'a mapping').fault);
      const keys = Object.keys(value);
      const values = validated(keys.map((key) => codec.validate(value[key], t.appendContext(context, key, codec, value[key]))));
      return isLeft(values) ? values : t.success(Object.fromEntries(values.right.map((item, index) => [keys[index] ?? '', item])));
    },
    t.identity,
  );

type Fields = Readonly<Record<string, t.Mixed>>;
type Decoded<F extends Fields> = { readonly [K in keyof F]: t.TypeOf<F[K]> };

/** A mapping with these keys and no others. A key that is missing because it is misspelt is one fault, not two. */
export const closed = <F extends Fields>(fields: F): Codec<Decoded<F>> =>
  new t.Type<Decoded<F>, unknown, unknown>(
    'mapping',
    (value): value is Decoded<F> => isObject(value) && Object.entries(fields).every(([key, codec]) => codec.is(value[key])),
    (value, context) => {
      if (!isObject(value)) return t.failure(value, context, mustBe(value, `a mapping with ${Object.keys(fields).join(', ')}`).fault);
      const absent = Object.keys(fields).filter((key) => !Object.hasOwn(value, key));
      const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
      const meant = new Set(unknown.map((key) => closest(key, absent)));
      const faults = unknown.map((key) => ({
        ...{ value: value[key], context: t.appendContext(context, key, t.never, value[key]) },
        message: `is not a word of this file; ${suggestion(key, absent.length > 0 ? absent : Object.keys(fields))}`,
      }));
      const known = Object.entries(fields).filter(([key]) => !meant.has(key));
      const results = known.map(([key, codec]) => {
        const given = Object.hasOwn(value, key) ? value[key] : undefined;
        return codec.validate(given, t.appendContext(context, key, codec, given));
      });
      const values = validated(results, faults);
      return isLeft(values) ? values : t.success(Object.fromEntries(known.map(([key], index) => [key, values.right[index]])) as Decoded<F>);
    },
    t.identity,
  );

const pathOf = (context: t.Context) =>
  context.slice(1).reduce((path, { key }, index) => {
    if (Array.isArray(context[index]?.actual)) return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }, '');

/** The decoded value, or every fault with its path. */
export const decode = <A>(codec: Codec<A>, value: JsonValue): { readonly value: A } | { readonly faults: readonly Fault[] } => {
  const result = codec.decode(value);
  if (!isLeft(result)) return { value: result.right };
  return { faults: result.left.map(({ context, message }) => ({ path: pathOf(context), message: message ?? 'is not valid' })) };
};
