import { on, once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { inTime } from '../../application/async.ts';
import type { CheckEngine } from '../../application/ports/checks.ts';
import { type CheckOutcome, type CheckResult, checkResult } from '../../domain/check.ts';
import { codeOf } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { celEnvironment, explain, parseExpression } from './environment.ts';
import { allowNulls, declareTypes } from './schema-types.ts';
import type { Evaluation } from './worker.ts';

const LONGEST_EXPRESSION = 4000;
const START_SECONDS = 30;

const placeOf = (source: string, at: number | null) => {
  if (at === null) return '';
  const before = source.slice(0, at).split('\n');
  const character = (before.at(-1)?.length ?? 0) + 1;
  return source.includes('\n') ? ` (its line ${before.length}, character ${character})` : ` (at character ${character})`;
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
    if (field !== undefined) return `names the field ${field}, which the document_schema does not have${placeOf(source, at)}`;
    return `is not a usable CEL expression: ${words}${placeOf(source, at)}`;
  }
};

class TookTooLong extends Error {}

const causeOf = (error: unknown): string => {
  if (error instanceof TookTooLong) return 'it takes too long';
  return codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it takes too much memory' : explain(error).words;
};

const start = async (): Promise<Worker> => {
  const url = new URL(`./worker${path.extname(import.meta.url)}`, import.meta.url);
  const started = new Worker(url, { env: {}, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  started.on('error', () => {}).unref();
  const late = () => new Error('the thread of checks does not start');
  await inTime((signal) => once(started, 'message', { signal }), { seconds: START_SECONDS, late });
  return started;
};

const collect = async (worker: Worker, evaluation: Evaluation, outcomes: CheckOutcome[], signal: AbortSignal) => {
  const messages = on(worker, 'message', { signal });
  worker.postMessage(evaluation);
  for await (const [outcome] of messages) if (outcomes.push(outcome as CheckOutcome) === evaluation.checks.length) return;
};

/**
 * Evaluates in a thread of its own, one document at a time: a rule over many rows, or a regular expression that backtracks, keeps no
 * request waiting, and a thread whose time or memory is up is replaced.
 */
export const celChecks = ({ evaluationSeconds = 2 }: { evaluationSeconds?: number } = {}): CheckEngine & { close(): Promise<void> } => {
  let thread: Promise<Worker> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const run = async (evaluation: Evaluation): Promise<readonly CheckResult[]> => {
    const outcomes: CheckOutcome[] = [];
    const { checks } = evaluation;
    thread ??= start();
    const used = thread;
    try {
      const worker = await used;
      const terms = { seconds: evaluationSeconds, late: () => new TookTooLong() };
      await inTime((signal) => collect(worker, evaluation, outcomes, signal), terms);
    } catch (error) {
      thread = null;
      void used.then(
        (worker) => worker.terminate(),
        () => {},
      );
      outcomes.push({ defect: causeOf(error) });
    }
    const unreached = { defect: `the check "${checks[outcomes.length - 1]?.name}" before it took too long or too much` };
    return checks.map((check, index) => checkResult(check, outcomes[index] ?? unreached));
  };

  return {
    defect: defectOf,
    evaluate(checks, data) {
      if (checks.length === 0) return Promise.resolve([]);
      const coming = last.then(() => run({ checks, data: JSON.stringify(data) }));
      last = coming;
      return coming;
    },
    async close() {
      await (await thread?.catch(() => null))?.terminate();
    },
  };
};
