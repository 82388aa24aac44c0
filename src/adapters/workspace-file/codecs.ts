import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Fault } from '../../domain/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { isNumber } from '../../domain/json-number.ts';
import { closest, suggestion } from './closest.ts';

export type Codec<A> = t.Type<A, unknown, unknown>;
type Read<A> = (value: unknown) => { readonly value: A } | { readonly fault: string };

/** What stands in for a value with faults, so that the rest of the file can be judged at the same time. */
type Failed<A> = t.Errors & { readonly standIn: A };

export const failed = <A>(faults: t.Errors, standIn: A): t.Validation<A> => t.failures(Object.assign([...faults], { standIn }));

/** Every codec here fails with a stand-in. */
const readingOf = <A>(result: t.Validation<A>): A => (isLeft(result) ? (result.left as Failed<A>).standIn : result.right);
const faultsOf = (result: t.Validation<unknown>): t.Errors => (isLeft(result) ? result.left : []);

const validated = <A>(faults: t.Errors, value: A): t.Validation<A> => (faults.length > 0 ? failed(faults, value) : t.success(value));

/** A codec of one value. Its faults never repeat a text of the file, which may be a secret. */
const leaf = <A>(name: string, standIn: A, read: Read<A>): Codec<A> =>
  new t.Type<A, unknown, unknown>(
    name,
    (value): value is A => 'value' in read(value),
    (value, context) => {
      const result = read(value);
      return 'value' in result ? t.success(result.value) : failed([{ value, context, message: result.fault }], standIn);
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
  leaf('text', '', (value) => {
    const expected = form?.expected ?? 'text';
    if (isNumber(value) || typeof value === 'boolean') return { fault: `must be text; put it in quotes: "${value}"` };
    if (typeof value !== 'string') return mustBe(value, expected);
    if (value.trim() === '') return { fault: `is blank: it must be ${expected}` };
    if (value.length > longest) return { fault: `is over ${longest} characters long` };
    return form === undefined || form.fits(value) ? { value } : { fault: `must be ${expected}` };
  });

/** Text on one line, as names and addresses are. */
export const line = (longest: number, expected = 'text on one line', fits: (value: string) => boolean = () => true) =>
  text(longest, { expected, fits: (value) => !control.test(value) && fits(value) });

export const flag: Codec<boolean> = leaf('flag', false, (value) =>
  typeof value === 'boolean' ? { value } : mustBe(value, 'true or false'),
);

export const oneOf = <const A extends string>(words: readonly [A, ...A[]]): Codec<A> =>
  leaf('choice', words[0], (value) => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return { value: found };
    const expected = `one of ${words.join(', ')}`;
    if (typeof value !== 'string') return mustBe(value, expected);
    const meant = closest(value, words);
    return { fault: `must be ${expected}${meant === undefined ? '' : `; did you mean ${meant}?`}` };
  });

export const jsonObject: Codec<JsonObject> = leaf('mapping', {}, (value) =>
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

export const list = <A>(codec: Codec<A>): Codec<readonly A[]> =>
  new t.Type<readonly A[], unknown, unknown>(
    'list',
    (value): value is readonly A[] => Array.isArray(value) && value.every(codec.is),
    (value, context) => {
      if (!Array.isArray(value)) return failed<readonly A[]>([{ value, context, message: mustBe(value, 'a list').fault }], []);
      const items = value.map((item, index) => codec.validate(item, t.appendContext(context, String(index), codec, item)));
      return validated(items.flatMap(faultsOf), items.map(readingOf));
    },
    t.identity,
  );

export const record = <A>(codec: Codec<A>): Codec<Readonly<Record<string, A>>> =>
  new t.Type<Readonly<Record<string, A>>, unknown, unknown>(
    'mapping',
    (value): value is Readonly<Record<string, A>> => isObject(value) && Object.values(value).every(codec.is),
    (value, context) => {
      if (!isObject(value)) return failed<Record<string, A>>([{ value, context, message: mustBe(value, 'a mapping').fault }], {});
      const items = Object.entries(value).map(
        ([key, item]) => [key, codec.validate(item, t.appendContext(context, key, codec, item))] as const,
      );
      const faults = items.flatMap(([, result]) => faultsOf(result));
      return validated(faults, Object.fromEntries(items.map(([key, result]) => [key, readingOf(result)])));
    },
    t.identity,
  );

type Fields = Readonly<Record<string, t.Mixed>>;
type Values<F extends Fields> = { readonly [K in keyof F]: t.TypeOf<F[K]> };

/** Marks a key that is missing because it is misspelt: the misspelt one is the fault. */
const UNREAD = '';

/** A mapping with these keys and no others. A key that is missing because it is misspelt is one fault, not two. */
export const closed = <F extends Fields>(fields: F): Codec<Values<F>> =>
  new t.Type<Values<F>, unknown, unknown>(
    'mapping',
    (value): value is Values<F> => isObject(value) && Object.entries(fields).every(([key, codec]) => codec.is(value[key])),
    (value, context) => {
      const given = isObject(value) ? value : {};
      const results = Object.entries(fields).map(([key, codec]) => {
        const item = Object.hasOwn(given, key) ? given[key] : undefined;
        return [key, codec.validate(item, t.appendContext(context, key, codec, item))] as const;
      });
      const standIn = Object.fromEntries(results.map(([key, result]) => [key, readingOf(result)])) as Values<F>;
      if (given !== value) {
        const message = mustBe(value, `a mapping with ${Object.keys(fields).join(', ')}`).fault;
        return failed([{ value, context, message }], standIn);
      }
      const absent = Object.keys(fields).filter((key) => !Object.hasOwn(given, key));
      const unknown = Object.keys(given).filter((key) => !Object.hasOwn(fields, key));
      const meant = new Set(unknown.map((key) => closest(key, absent)));
      const misspelt = unknown.map((key) => ({
        ...{ value: given[key], context: t.appendContext(context, key, t.never, given[key]) },
        message: `is not a word of this file; ${suggestion(key, absent.length > 0 ? absent : Object.keys(fields))}`,
      }));
      const missing = [...meant].flatMap((key) =>
        key === undefined ? [] : [{ value, context: t.appendContext(context, key, t.never), message: UNREAD }],
      );
      const faults = results.flatMap(([key, result]) => (meant.has(key) ? [] : faultsOf(result)));
      return validated([...misspelt, ...missing, ...faults], standIn);
    },
    t.identity,
  );

const pathOf = (context: t.Context) =>
  context.slice(1).reduce((path, { key }, index) => {
    if (Array.isArray(context[index]?.actual)) return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }, '');

export interface Decoded<A> {
  /** With stand-ins where there are faults. */
  readonly value: A;
  readonly faults: readonly Fault[];
  /** Paths of the stand-ins. */
  readonly unread: readonly string[];
}

/** The value, and every fault with its path. */
export const decode = <A>(codec: Codec<A>, value: JsonValue): Decoded<A> => {
  const result = codec.decode(value);
  const found = faultsOf(result).map(({ context, message }) => ({ path: pathOf(context), message: message ?? 'is not valid' }));
  return { value: readingOf(result), faults: found.filter(({ message }) => message !== UNREAD), unread: found.map(({ path }) => path) };
};
