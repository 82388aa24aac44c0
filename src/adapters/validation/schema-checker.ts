import type { ErrorObject, ValidateFunction } from 'ajv';
import { default as addFormats } from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { messageOf, type ValidationError } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import { guarded, TookTooLong } from './guard.ts';
import {
  type Compiler,
  type Draft,
  draftOf,
  misreadByClients,
  newest,
  ofClients,
  withPlainReferences,
} from './schema-drafts.ts';
import { explain } from './schema-errors.ts';
import { compareExactly, holdsExact, withStandIns } from './schema-numbers.ts';

const MAX_SCHEMA_CHARACTERS = 256 * 1024;
const MAX_COMPILED = 200;
const COMPILE_MS = 2000;

interface Usable {
  readonly validate: ValidateFunction;
  /** For values with numbers that no double can represent: takes a second compilation and runs slower. */
  readonly validateExactly: () => ValidateFunction;
  readonly defect: null;
  /** Why a pattern is a regular expression only without the `u` flag; null if each is one with it, as JSON Schema recommends. */
  readonly patternDefect: string | null;
  /** Why clients cannot compile it; null if they can. */
  readonly clientDefect: () => string | null;
}

type Compiled = Usable | { readonly defect: string };

/** For each draft the compiler that has its own schema, made when it is first needed. */
const checkers = new Map<Draft, Compiler>();

const checkerOf = (draft: Draft): Compiler => {
  const checker = checkers.get(draft) ?? draft.compiler({ strict: false, allErrors: true, logger: false });
  checkers.set(draft, checker);
  checker.getSchema(draft.address);
  return checker;
};

const quoted = (text: unknown) => JSON.stringify(String(text).slice(0, 200));

const explainCompilation = (error: unknown): string => {
  const message = messageOf(error);
  const reference = /can't resolve reference (\S+)/.exec(message)?.[1];
  if (reference)
    return `$ref ${quoted(reference)} leads to nothing in this schema, and a schema may not reach outside itself`;
  const pattern = /Invalid regular expression: (.*)/s.exec(message)?.[1];
  if (pattern) return `a pattern is not a regular expression: ${pattern.slice(0, 200)}`;
  return error instanceof RangeError ? 'it is nested too deeply' : message.slice(0, 300);
};

const explained = (error: unknown): string =>
  error instanceof TookTooLong ? 'it takes too long to prepare' : explainCompilation(error);

const misshapen = (schema: JsonSchema, { address }: Draft, checker: Compiler): string | null => {
  if (checker.validate(address, withStandIns(schema))) return null;
  const [first] = explain(checker.errors ?? []);
  return first ? `${first.path || 'it'} ${first.message}` : 'it is not a JSON Schema';
};

/** Values of every kind: a schema that refers to itself without end already fails on one of these. */
const probes: readonly unknown[] = [null, true, 0, '', [], {}, [{}], { '': {} }];

/** Takes each pattern with the flag, else without it, and says why if that was necessary. */
const expressions = () => {
  let defect: string | null = null;
  const engine = (pattern: string, flags: string): RegExp => {
    try {
      return new RegExp(pattern, flags);
    } catch (error) {
      const plain = new RegExp(pattern);
      defect ??= explainCompilation(error);
      return plain;
    }
  };
  return { engine: Object.assign(engine, { code: 'new RegExp' }), defect: () => defect };
};

/** Each schema gets its own compiler, so that it cannot refer to names (`$id`, `$anchor`) of another. */
const compile = (schema: JsonSchema, draft: Draft, exactly: boolean) => {
  const patterns = expressions();
  const ajv = draft.compiler({
    strict: false,
    strictNumbers: true,
    allErrors: true,
    verbose: true,
    ownProperties: true,
    multipleOfPrecision: 9,
    code: { regExp: patterns.engine },
    validateSchema: false,
    meta: false,
    logger: false,
  });
  addFormats.default(ajv);
  if (exactly) compareExactly(ajv);
  const validate = ajv.compile(draft === newest ? withPlainReferences(schema) : schema);
  for (const probe of probes) validate(probe);
  return { validate, patternDefect: patterns.defect() };
};

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const clientDefect = (schema: JsonSchema, compileMs: number): string | null => {
  const otherwise = misreadByClients(schema);
  if (otherwise !== null) return otherwise;
  try {
    return guarded(compileMs, () => compile(schema, ofClients, false).patternDefect);
  } catch (error) {
    return explained(error);
  }
};

const check = (text: string, compileMs: number): Compiled => {
  if (text.length > MAX_SCHEMA_CHARACTERS) return { defect: `it is longer than ${MAX_SCHEMA_CHARACTERS} characters` };
  const schema = parseJson(text) as JsonSchema;
  const draft = draftOf(schema.$schema);
  if (draft === null) {
    const detail = 'the drafts 04, 06, 07, 2019-09 and 2020-12 are known';
    return {
      defect: `$schema is ${quoted(schema.$schema)}: ${detail}; write it as ${newest.address}, or leave it out`,
    };
  }
  if (schema.$async !== undefined) return { defect: '$async is not part of JSON Schema' };
  // Outside of the guard: a compilation that is stopped half-way leaves the compiler of all schemas unusable for good.
  const checker = checkerOf(draft);
  try {
    return guarded(compileMs, () => {
      const defect = misshapen(schema, draft, checker);
      if (defect !== null) return { defect };
      return {
        ...compile(schema, draft, holdsExact(schema)),
        validateExactly: once(() => guarded(COMPILE_MS, () => compile(schema, draft, true).validate)),
        clientDefect: once(() => clientDefect(schema, compileMs)),
        defect,
      };
    });
  } catch (error) {
    return { defect: explained(error) };
  }
};

/** As JSON; null if it is nested too deeply for that. */
export const textOf = (value: unknown): string | null => {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
};

const runOn = ({ validate, validateExactly }: Usable, value: unknown): readonly ErrorObject[] => {
  const standIns = withStandIns(value);
  const chosen = standIns === value ? validate : validateExactly();
  return chosen(standIns) ? [] : (chosen.errors ?? []);
};

export const NESTED: readonly ValidationError[] = [{ path: '', message: 'cannot be checked: it is nested too deeply' }];

/** Compiles schemas, and checks values on the calling thread. */
export const schemaChecker = (compileMs = COMPILE_MS) => {
  const compiled = new LRUCache<string, Compiled>({ max: MAX_COMPILED });
  /** A schema never changes after it is read: by its identity it is found without printing it for every call. */
  const seen = new WeakMap<JsonSchema, Compiled>();

  const compiledAnew = (schema: JsonSchema): Compiled => {
    const text = textOf(schema);
    if (text === null) return { defect: 'it is not JSON, or it is nested too deeply' };
    const known = compiled.get(text) ?? check(text, compileMs);
    if (text.length <= MAX_SCHEMA_CHARACTERS) compiled.set(text, known);
    return known;
  };

  const compiledFrom = (schema: JsonSchema): Compiled => {
    const known = seen.get(schema) ?? compiledAnew(schema);
    seen.set(schema, known);
    return known;
  };

  return {
    defect(schema: JsonSchema): string | null {
      const known = compiledFrom(schema);
      return known.defect ?? known.patternDefect;
    },

    foreignDefect: (schema: JsonSchema): string | null => compiledFrom(schema).defect,

    clientDefect(schema: JsonSchema): string | null {
      const known = compiledFrom(schema);
      return known.defect ?? known.clientDefect();
    },

    errors(schema: JsonSchema, value: unknown): readonly ValidationError[] {
      const known = compiledFrom(schema);
      if (known.defect !== null) throw new Error(`the schema cannot be used: ${known.defect}`);
      try {
        return explain(runOn(known, value));
      } catch (error) {
        if (error instanceof RangeError) return NESTED;
        throw error;
      }
    },
  };
};
