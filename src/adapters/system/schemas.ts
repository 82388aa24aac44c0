import type { ErrorObject, ValidateFunction } from 'ajv';
import { default as addFormats } from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import type { SchemaValidator } from '../../application/ports/runtime.ts';
import { messageOf } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import { guarded, TookTooLong } from './guard.ts';
import { type Compiler, type Draft, draftOf, newest } from './schema-drafts.ts';
import { explain } from './schema-errors.ts';
import { compareExactly, withStandIns } from './schema-numbers.ts';
import { schemaThreads } from './schema-threads.ts';

const MAX_SCHEMA_CHARACTERS = 256 * 1024;
const MAX_COMPILED = 200;
const COMPILE_MS = 2000;

interface Usable {
  readonly validate: ValidateFunction;
  /** For values with numbers that no double can represent: takes a second compilation and runs slower. */
  readonly validateExactly: () => ValidateFunction;
  readonly isPlain: boolean;
  readonly defect: null;
}

type Compiled = Usable | { readonly defect: string };

/** Keywords whose check may take more than linear time: expressions that backtrack, comparisons of pairs, references in circles. */
const COSTLY =
  /"(?:pattern|patternProperties|format|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef|unevaluatedItems|unevaluatedProperties)":/;
const PLAIN_CHARACTERS = 16 * 1024;
const SMALL_VALUES = 1000;

/** Whether the check of any value takes no more than linear time: then that of a small one is short. */
const isPlainText = (schema: string) => schema.length <= PLAIN_CHARACTERS && !COSTLY.test(schema);

/** Whether a value has so few parts that no plain schema takes long over it. */
const isSmall = (root: unknown): boolean => {
  const waiting = [root];
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen + waiting.length > SMALL_VALUES) return false;
    const value = waiting.pop();
    if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value).slice(0, SMALL_VALUES + 1));
  }
  return true;
};

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

const misshapen = (schema: JsonSchema, { address }: Draft, checker: Compiler): string | null => {
  if (checker.validate(address, withStandIns(schema))) return null;
  const [first] = explain(checker.errors ?? []);
  return first ? `${first.path || 'it'} ${first.message}` : 'it is not a JSON Schema';
};

/** Values of every kind: a schema that refers to itself without end already fails on one of these. */
const probes: readonly unknown[] = [null, true, 0, '', [], {}, [{}], { '': {} }];

/** Each schema gets its own compiler, so that it cannot refer to names (`$id`, `$anchor`) of another. */
const compile = (schema: JsonSchema, draft: Draft, exactly: boolean): ValidateFunction => {
  const ajv = draft.compiler({
    strict: false,
    strictNumbers: true,
    allErrors: true,
    verbose: true,
    ownProperties: true,
    multipleOfPrecision: 9,
    validateSchema: false,
    meta: false,
    logger: false,
  });
  addFormats.default(ajv);
  if (exactly) compareExactly(ajv);
  const validate = ajv.compile(schema);
  for (const probe of probes) validate(probe);
  return validate;
};

const holdsExact = (value: unknown) => withStandIns(value) !== value;

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
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
      const isPlain = isPlainText(text);
      if (defect !== null) return { defect };
      const validate = compile(schema, draft, holdsExact(schema));
      return {
        validate,
        validateExactly: once(() => guarded(COMPILE_MS, () => compile(schema, draft, true))),
        isPlain,
        defect,
      };
    });
  } catch (error) {
    return { defect: error instanceof TookTooLong ? 'it takes too long to prepare' : explainCompilation(error) };
  }
};

const textOf = (schema: JsonSchema): string | null => {
  try {
    return JSON.stringify(schema);
  } catch {
    return null;
  }
};

const runOn = ({ validate, validateExactly }: Usable, value: unknown): readonly ErrorObject[] => {
  const standIns = withStandIns(value);
  const chosen = standIns === value ? validate : validateExactly();
  return chosen(standIns) ? [] : (chosen.errors ?? []);
};

/** `checkMs` bounds the check of one value: an operator writes schemas, but any client sends values. */
export const ajvSchemas = ({
  checkMs = 500,
  compileMs = COMPILE_MS,
}: {
  checkMs?: number;
  compileMs?: number;
} = {}): SchemaValidator => {
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

  const errors: SchemaValidator['errors'] = (schema, value) => {
    const known = compiledFrom(schema);
    if (known.defect !== null) throw new Error(`the schema cannot be used: ${known.defect}`);
    const errors = () => explain(runOn(known, value));
    try {
      // The guard costs more than hundreds of such checks.
      return known.isPlain && isSmall(value) ? errors() : guarded(checkMs, errors);
    } catch (error) {
      if (error instanceof TookTooLong)
        return [{ path: '', message: 'cannot be checked: it takes too long against this schema' }];
      if (error instanceof RangeError) return [{ path: '', message: 'cannot be checked: it is nested too deeply' }];
      throw error;
    }
  };

  const inThread = schemaThreads();

  return {
    defect: (schema) => compiledFrom(schema).defect,
    errors,
    async check(schema, value, sharer) {
      const text = textOf(schema);
      if (text === null || (isPlainText(text) && isSmall(value))) return errors(schema, value);
      return inThread({ schema: text, value: JSON.stringify(value) }, sharer);
    },
  };
};
