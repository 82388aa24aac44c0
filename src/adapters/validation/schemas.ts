import path from 'node:path';
import type { SchemaValidator } from '../../application/ports/runtime.ts';
import type { ValidationError } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { NESTED, schemaChecker, textOf } from './schema-checker.ts';
import type { Validation } from './schema-worker.ts';
import { threadPool } from './threads.ts';

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

const TOO_LONG: readonly ValidationError[] = [
  { path: '', message: 'cannot be checked: it takes too long against this schema' },
];

interface Options {
  readonly compileMs?: number;
  /** How long the check of one value may compute: an operator writes schemas, but any client sends values. */
  readonly computeSeconds?: number;
}

/** JSON Schema by Ajv. */
export const ajvSchemas = ({ compileMs, computeSeconds = 1 }: Options = {}): SchemaValidator => {
  const { defect, foreignDefect, clientDefect, errors } = schemaChecker(compileMs);
  const threads = threadPool<Validation, readonly ValidationError[]>({
    computeSeconds,
    program: new URL(`./schema-worker${path.extname(import.meta.url)}`, import.meta.url),
    crowded: 'Too many values wait to be checked against their schemas',
  });
  /** A schema never changes after it is read. */
  const texts = new WeakMap<JsonSchema, { readonly text: string | null; readonly isPlain: boolean }>();

  const printed = (schema: JsonSchema) => {
    const known = texts.get(schema);
    if (known) return known;
    const text = textOf(schema);
    const print = { text, isPlain: text !== null && isPlainText(text) };
    texts.set(schema, print);
    return print;
  };

  return {
    defect,
    foreignDefect,
    clientDefect,
    errors,
    async check(schema, value, sharer) {
      const { text, isPlain } = printed(schema);
      if (text === null || (isPlain && isSmall(value))) return errors(schema, value);
      const json = textOf(value);
      if (json === null) return NESTED;
      const { answers } = await threads.ask({ schema: text, value: json }, 1, sharer);
      return answers[0] ?? TOO_LONG;
    },
  };
};
