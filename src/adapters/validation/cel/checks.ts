import path from 'node:path';
import type { CheckEngine, CheckFinding } from '../../../application/ports/checks.ts';
import { checkResult } from '../../../domain/check.ts';
import type { JsonSchema } from '../../../domain/json.ts';
import type { Sharer } from '../../../domain/sharer.ts';
import { type ThreadFailure, threadPool } from '../threads.ts';
import { celEnvironment, explain, parseExpression } from './environment.ts';
import { allowNulls, declareTypes } from './schema-types.ts';
import type { Evaluated, Evaluation } from './worker.ts';

const LONGEST_EXPRESSION = 4000;

const placeOf = (source: string, at: number | null) => {
  if (at === null) return '';
  const before = source.slice(0, at).split('\n');
  const character = (before.at(-1)?.length ?? 0) + 1;
  return source.includes('\n')
    ? ` (its line ${before.length}, character ${character})`
    : ` (at character ${character})`;
};

const typed = allowNulls(celEnvironment());

const defectOf = (source: string, schema: JsonSchema): string | null => {
  if (source.length > LONGEST_EXPRESSION) return `is over ${LONGEST_EXPRESSION} characters long`;
  try {
    const environment = typed.clone();
    environment.registerVariable('document', declareTypes(environment, schema));
    const { type, error } = parseExpression(environment, source).check();
    if (error) throw error;
    return type === 'bool' || type === 'dyn' ? null : `must be true or false, not of the type ${type}`;
  } catch (error) {
    const { words, code, at } = explain(error);
    const field = code === 'no_such_key' ? /^No such key: (.*)$/s.exec(words)?.[1] : undefined;
    if (field !== undefined)
      return `names the field ${field}, which the document_schema does not have${placeOf(source, at)}`;
    return `is not a usable CEL expression: ${words}${placeOf(source, at)}`;
  }
};

const causes: Readonly<Record<ThreadFailure, string>> = {
  time: 'it takes too long',
  memory: 'it takes too much memory',
  error: 'the thread that evaluates it has ended',
};

interface Options {
  /** How long the checks of one document may compute together. */
  readonly computeSeconds?: number;
}

/** A rule over many rows, or a regular expression that backtracks, is evaluated in a thread. */
export const celChecks = ({ computeSeconds = 2 }: Options = {}): CheckEngine & { close(): Promise<void> } => {
  const threads = threadPool<Evaluation, Evaluated>({
    computeSeconds,
    program: new URL(`./worker${path.extname(import.meta.url)}`, import.meta.url),
    crowded: 'Too many documents wait for their checks',
  });

  const run = async (evaluation: Evaluation, sharer: Sharer): Promise<readonly CheckFinding[]> => {
    const { checks } = evaluation;
    const { answers, failure } = await threads.ask(evaluation, checks.length, sharer);
    const failed: readonly Evaluated[] =
      failure === null ? [] : [{ outcome: { defect: causes[failure] }, named: [], confirmed: [] }];
    const evaluated = [...answers, ...failed];
    const unreached = {
      defect: `the check "${checks[evaluated.length - 1]?.name}" before it took too long or too much`,
    };
    return checks.map((check, index) => {
      const { outcome = unreached, named = [], confirmed = [] } = evaluated[index] ?? {};
      return { result: checkResult(check, outcome), named, confirmed };
    });
  };

  return {
    defect: defectOf,
    evaluate: async (checks, data, sharer) =>
      checks.length === 0 ? [] : run({ checks, data: JSON.stringify(data) }, sharer),
    close: threads.close,
  };
};
