import { escapeToken, isObject, type JsonObject, type JsonValue, resolvePointer, tokensOf } from './json.ts';
import { compareNumbers, isNumber } from './json-number.ts';

/** Says something of one value of a document. */
interface AtPointer {
  readonly pointer: string;
}

/** A value that a later part of the files states otherwise. */
export interface Disagreement<E> extends AtPointer {
  readonly first: JsonValue;
  readonly later: JsonValue;
  /** Of the later value; null if there is none. */
  readonly evidence: E | null;
}

export interface DocumentPart<E> {
  readonly data: JsonObject;
  readonly evidence: readonly E[];
}

export interface MergedDocument<E> extends DocumentPart<E> {
  /** The first one of each pointer. */
  readonly disagreements: readonly Disagreement<E>[];
}

/** Blanks and case differ between a heading and a text without a difference in meaning. */
const folded = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase();

const isSame = (a: JsonValue, b: JsonValue): boolean => {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (typeof a === 'string' && typeof b === 'string') return folded(a) === folded(b);
  return JSON.stringify(a) === JSON.stringify(b);
};

/** Every beginning of a JSON Pointer that points at something, the shortest first. */
function* prefixesOf(pointer: string): Generator<string> {
  for (let at = pointer.indexOf('/', 1); at !== -1; at = pointer.indexOf('/', at + 1)) yield pointer.slice(0, at);
  yield pointer;
}

/** Where two parts meet. */
interface Seams {
  /** How many elements a list had before it went on. */
  readonly lengths: Map<string, number>;
  /** Values that both parts give. */
  readonly settled: Map<string, { readonly first: JsonValue; readonly later: JsonValue }>;
}

const merge = (first: JsonValue | undefined, later: JsonValue, pointer: string, seams: Seams): JsonValue => {
  if (first === undefined || first === null) return later;
  if (later === null) return first;
  if (Array.isArray(first) && Array.isArray(later)) {
    seams.lengths.set(pointer, first.length);
    return [...first, ...later];
  }
  if (isObject(first) && isObject(later)) return mergeMembers(first as JsonObject, later as JsonObject, pointer, seams);
  seams.settled.set(pointer, { first, later });
  return first;
};

const mergeMembers = (first: JsonObject, later: JsonObject, pointer: string, seams: Seams): JsonObject => {
  const memberOf = (key: string) => (Object.hasOwn(first, key) ? first[key] : undefined);
  const merged = Object.entries(later).map(([key, value]) => {
    return [key, merge(memberOf(key), value, `${pointer}/${escapeToken(key)}`, seams)] as const;
  });
  return Object.fromEntries([...Object.entries(first), ...merged]);
};

/** Where the evidence of the later part belongs now; null if its value is not the one that stays, or has evidence. */
const moved = (
  pointer: string,
  { lengths, settled }: Seams,
  hasEvidence: (pointer: string) => boolean,
): string | null => {
  for (const prefix of prefixesOf(pointer)) {
    const both = settled.get(prefix);
    if (both) return prefix === pointer && isSame(both.first, both.later) && !hasEvidence(pointer) ? pointer : null;
    const length = lengths.get(prefix);
    if (length === undefined) continue;
    const [index = '', ...rest] = pointer.slice(prefix.length + 1).split('/');
    return [prefix, Number(index) + length, ...rest].join('/');
  }
  return pointer;
};

/**
 * Adds what was extracted from the next part of the files: a list goes on with the elements of the next one, objects are merged member by
 * member, and of everything else the first value stays. null is no value. The evidence moves with the elements of lists.
 */
export const mergeDocuments = <E extends AtPointer>(
  earlier: MergedDocument<E>,
  next: DocumentPart<E>,
): MergedDocument<E> => {
  const seams: Seams = { lengths: new Map(), settled: new Map() };
  const data = mergeMembers(earlier.data, next.data, '', seams);
  const hasEvidence = (pointer: string) => earlier.evidence.some((each) => each.pointer === pointer);
  const evidence = next.evidence.flatMap((each) => {
    const pointer = moved(each.pointer, seams, hasEvidence);
    return pointer === null ? [] : [pointer === each.pointer ? each : { ...each, pointer }];
  });
  const before = new Set(earlier.disagreements.map(({ pointer }) => pointer));
  const disagreements = [...seams.settled].flatMap(([pointer, { first, later }]) => {
    if (before.has(pointer) || isSame(first, later)) return [];
    return [{ pointer, first, later, evidence: next.evidence.find((each) => each.pointer === pointer) ?? null }];
  });
  return {
    data,
    evidence: [...earlier.evidence, ...evidence],
    disagreements: [...earlier.disagreements, ...disagreements],
  };
};

export const NOTHING_MERGED: MergedDocument<never> = { data: {}, evidence: [], disagreements: [] };

const withValue = (
  value: JsonObject,
  [key = '', ...rest]: readonly string[],
  put: JsonValue | undefined,
): JsonObject => {
  if (rest.length > 0) return { ...value, [key]: withValue(value[key] as JsonObject, rest, put) };
  const { [key]: _replaced, ...others } = value;
  return put === undefined ? others : { ...value, [key]: put };
};

const isInList = (data: JsonObject, pointer: string) =>
  [...prefixesOf(pointer)].some((prefix) => prefix !== pointer && !isObject(resolvePointer(data, prefix)));

/** What may stand for a value that no part of the files gave; undefined: its key is left out. */
const EMPTY: readonly (JsonValue | undefined)[] = [null, undefined, [], {}];
const MOST_ROUNDS = 12;

/** Puts in place of each value that no part of the files gave whatever the schema takes for none, if it takes anything. */
export const withEmptyValues = async <Error extends { readonly path: string }>(
  merged: JsonObject,
  errorsOf: (data: JsonObject) => Promise<readonly Error[]>,
): Promise<{ readonly data: JsonObject; readonly errors: readonly Error[] }> => {
  const untried = new Map<string, (JsonValue | undefined)[]>();
  let data = merged;
  let errors = await errorsOf(data);
  for (let round = 0; round < MOST_ROUNDS && errors.length > 0; round += 1) {
    const before = data;
    for (const path of new Set(errors.map((error) => error.path))) {
      const now = resolvePointer(data, path);
      const isEmpty = now === undefined || now === null || untried.has(path);
      if (path === '' || !isEmpty || isInList(data, path)) continue;
      const left = untried.get(path) ?? [...EMPTY.filter((each) => each !== now), now];
      if (left.length > 0) data = withValue(data, tokensOf(path), left.shift());
      untried.set(path, left);
    }
    if (data === before) break;
    errors = await errorsOf(data);
  }
  return { data, errors };
};
