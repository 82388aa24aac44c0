import { on, once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckEngine, CheckFinding } from '../../application/ports/checks.ts';
import { inTime } from '../../application/shared/async.ts';
import { fairShare } from '../../application/shared/fair-share.ts';
import { checkResult } from '../../domain/check.ts';
import { busy, codeOf } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { celEnvironment, explain, parseExpression } from './environment.ts';
import { allowNulls, declareTypes } from './schema-types.ts';
import type { Evaluated, Evaluation } from './worker.ts';

const LONGEST_EXPRESSION = 4000;
const START_SECONDS = 30;

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

const collect = async (worker: Worker, evaluation: Evaluation, evaluated: Evaluated[], signal: AbortSignal) => {
  const messages = on(worker, 'message', { signal });
  worker.postMessage(evaluation);
  for await (const [each] of messages) if (evaluated.push(each as Evaluated) === evaluation.checks.length) return;
};

interface Options {
  /** How long the checks of one document may take together. */
  readonly evaluationSeconds?: number;
  readonly threads?: number;
}

/** What waits is in memory. */
const MOST_WAITING = 200;

/**
 * Evaluates in a few threads, one document at a time in each: a rule over many rows, or a regular expression that backtracks, keeps no
 * request waiting, and a thread whose time or memory is up is replaced. No user has all of them.
 */
export const celChecks = ({
  evaluationSeconds = 2,
  threads = 2,
}: Options = {}): CheckEngine & { close(): Promise<void> } => {
  const idle: Worker[] = [];
  const share = fairShare({
    places: threads,
    mostOfUser: Math.max(1, threads - 1),
    mostWaiting: MOST_WAITING,
    refusal: () => busy('Too many documents wait for their checks'),
  });

  const run = async (evaluation: Evaluation): Promise<readonly CheckFinding[]> => {
    const evaluated: Evaluated[] = [];
    const { checks } = evaluation;
    let worker = idle.pop();
    try {
      worker ??= await start();
      const used = worker;
      await inTime((signal) => collect(used, evaluation, evaluated, signal), {
        seconds: evaluationSeconds,
        late: () => new TookTooLong(),
      });
      idle.push(used);
    } catch (error) {
      void worker?.terminate();
      evaluated.push({ outcome: { defect: causeOf(error) }, named: [] });
    }
    const unreached = {
      defect: `the check "${checks[evaluated.length - 1]?.name}" before it took too long or too much`,
    };
    return checks.map((check, index) => {
      const { outcome = unreached, named = [] } = evaluated[index] ?? {};
      return { result: checkResult(check, outcome), named };
    });
  };

  return {
    defect: defectOf,
    evaluate: async (checks, data, sharer) =>
      checks.length === 0 ? [] : share.pass(sharer, () => run({ checks, data: JSON.stringify(data) })),
    async close() {
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
    },
  };
};
