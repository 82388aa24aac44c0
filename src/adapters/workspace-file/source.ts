import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import type { ValidationError } from '../../domain/errors.ts';
import { memberStep } from '../../wire/kit/errors.ts';

/** An error and where it stands in the file, both counted from 1. */
export interface PlacedError extends ValidationError {
  readonly line: number;
  readonly column: number;
}

/** The YAML text as nodes that know their place. */
export interface Source {
  readonly root: unknown;
  readonly errors: readonly PlacedError[];
  resolve(node: unknown): unknown;
  /** Where its path leads. */
  place(error: ValidationError): PlacedError;
  placeAt(node: unknown, error: ValidationError): PlacedError;
}

const MAX_CHARACTERS = 1024 * 1024;
const MAX_SYNTAX_ERRORS = 20;

const plainMessages: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'the file must hold one document: take out the line ---',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'lines are indented with spaces, not with tabs',
};

const offsetOf = (node: unknown): number | undefined => (node as Node | null | undefined)?.range?.[0];

export const keyName = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key));

const resolveIn = (document: Document) => (node: unknown) => {
  const target = isAlias(node) ? node.resolve(document) : node;
  return isAlias(target) ? undefined : target;
};

/** The pair that the rest of a path goes through. A key may contain dots itself, so the longest one that fits wins. */
const step = (pairs: readonly Pair[], rest: string) => {
  let taken: { readonly pair: Pair; readonly length: number } | undefined;
  for (const pair of pairs) {
    const name = rest.startsWith('["') ? memberStep(keyName(pair)) : keyName(pair);
    const fits = rest.startsWith(name) && ['.', '[', undefined].includes(rest[name.length]);
    if (fits && name.length > (taken?.length ?? 0)) taken = { pair, length: name.length };
  }
  return taken && { node: taken.pair.value, at: offsetOf(taken.pair.key), rest: rest.slice(taken.length) };
};

/** The offset of what the path names, or of the nearest thing around it. */
const offsetOfPath = (root: unknown, resolve: (node: unknown) => unknown, path: string): number => {
  let at = offsetOf(root) ?? 0;
  let node = root;
  let rest = path;
  while (rest !== '') {
    const holder = resolve(node);
    const index = /^\[(\d{1,9})\]/.exec(rest);
    if (isSeq(holder) && index) {
      node = holder.items[Number(index[1])];
      at = offsetOf(node) ?? at;
      rest = rest.slice(index[0].length);
    } else {
      const next = isMap(holder) ? step(holder.items, rest.replace(/^\./, '')) : undefined;
      if (!next) break;
      node = next.node;
      at = next.at ?? at;
      rest = next.rest;
    }
  }
  return at;
};

/** Once nesting has exhausted the parser, its other errors are noise. */
const relevant = <T extends { readonly code: string }>(errors: readonly T[]): readonly T[] => {
  const exhausted = errors.filter(({ code }) => code === 'RESOURCE_EXHAUSTION');
  return exhausted.length > 0 ? exhausted.slice(0, 1) : errors.slice(0, MAX_SYNTAX_ERRORS);
};

const isPlaced = (error: ValidationError): error is PlacedError => 'line' in error && 'column' in error;

const refused = (message: string): Source => ({
  root: null,
  errors: [{ path: '', message, line: 1, column: 1 }],
  resolve: (node) => node,
  place: (error) => ({ ...error, line: 1, column: 1 }),
  placeAt: (_node, error) => ({ ...error, line: 1, column: 1 }),
});

export const parseSource = (text: string): Source => {
  if (text.length > MAX_CHARACTERS) return refused(`the file is over ${MAX_CHARACTERS} characters long`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, version: '1.2' });
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const resolve = resolveIn(document);
  return {
    root: document.contents,
    errors: relevant([...document.errors, ...document.warnings]).map(({ code, message, pos }) => ({
      path: '',
      message: plainMessages[code] ?? `this is not valid YAML: ${message.replaceAll(/\s+/g, ' ')}`,
      ...placeOf(pos[0]),
    })),
    resolve,
    placeAt: (node, error) => ({ ...error, ...placeOf(offsetOf(node) ?? 0) }),
    place: (error) =>
      isPlaced(error) ? error : { ...error, ...placeOf(offsetOfPath(document.contents, resolve, error.path)) },
  };
};
