import * as t from 'io-ts';
import type { ValidationError } from '../../domain/errors.ts';
import { isObject } from '../../domain/json.ts';
import { shorten } from '../../domain/text.ts';
import type { AnyCodec } from './codec.ts';

/** More than a person reads: a hostile body may have a hundred thousand. */
const MOST_ERRORS = 100;
const MOST_CHARACTERS = 40;

const shown = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(shorten(value, MOST_CHARACTERS));
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : shorten(String(value), MOST_CHARACTERS);
};

/** The values of a query parameter that is there more than once. */
export class Repeated extends Array<string> {}

/** What is wrong with a value. */
export interface Defect extends t.ValidationError {
  /** What it must be. Absent: `message` has all there is to say. */
  readonly expected?: string | undefined;
  /** The words of which it must be one, or the names that its fields may have. */
  readonly among?: readonly string[] | undefined;
}

interface Defects<A> extends t.Errors {
  readonly readable?: () => A;
}

/** `readable`: the value with stand-ins for what could not be read, for readers that go on all the same. */
export const failed = <A>(defects: readonly Defect[], readable?: () => A): t.Validation<A> =>
  t.failures(Object.assign([...defects], { readable }));

/** The value is not what it must be. */
export const unexpected = <A>(
  {
    expected,
    among,
    standIn,
  }: { readonly expected: string; readonly among?: readonly string[] | undefined; readonly standIn?: A },
  value: unknown,
  context: t.Context,
): t.Validation<A> => failed([{ value, context, expected, among }], () => standIn as A);

/** What could be read of the value. */
export const readableOf = <A>(result: t.Validation<A>): A =>
  result._tag === 'Right' ? result.right : ((result.left as Defects<A>).readable?.() as A);

const wordsOf = ({ value, expected, message }: Defect): string => {
  if (expected === undefined) return message ?? 'is invalid';
  if (value === undefined) return `is required: it must be ${expected}`;
  return value instanceof Repeated ? 'must be given once' : `must be ${expected}, not ${shown(value)}`;
};

/** How a path goes on with a name. */
export const memberStep = (name: string): string =>
  /^[\w-]{1,64}$/.test(name) ? `.${name}` : `[${JSON.stringify(name.slice(0, 64).toWellFormed())}]`;

const step = (key: string, parent: unknown): string => (Array.isArray(parent) ? `[${key}]` : memberStep(key));

export const pathOf = (context: t.Context): string =>
  context
    .reduce((path, { key }, depth) => path + (depth === 0 ? key : step(key, context[depth - 1]?.actual)), '')
    .replace(/^\./, '');

export const errorsOf = (errors: t.Errors): ValidationError[] =>
  errors.slice(0, MOST_ERRORS).map((defect) => ({ path: pathOf(defect.context), message: wordsOf(defect) }));

/** Decodes what stands at this place, such as `body` (empty: the whole); adds what is wrong with it to the errors, and returns undefined then. */
export const decodeAt = <A>(
  place: string,
  codec: Pick<AnyCodec<A>, 'validate'>,
  value: unknown,
  errors: ValidationError[],
): A | undefined => {
  const result = codec.validate(value, [{ key: place, type: codec as never, actual: value }]);
  if (result._tag === 'Right') return result.right;
  errors.push(...errorsOf(result.left));
  return undefined;
};
