import { parentPort } from 'node:worker_threads';
import type { Check, CheckOutcome } from '../../../domain/check.ts';
import type { JsonValue } from '../../../domain/json.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { valuesAt } from '../../../domain/missing-values.ts';
import { celEnvironment, explain, parseExpression } from './environment.ts';
import { type Names, namesOf, summedBy } from './names.ts';
import { watched } from './watched.ts';

export interface Evaluation {
  readonly checks: readonly Check[];
  /** JSON. */
  readonly data: string;
}

export interface Evaluated {
  readonly outcome: CheckOutcome;
  /** What the rule names; nothing if it is not about the document. */
  readonly named: readonly string[];
  /** What the sums in it name, if it holds. */
  readonly confirmed: readonly string[];
}

interface Computed extends Names {
  readonly outcome: CheckOutcome;
  /** What its sums name. */
  readonly summed: ReadonlySet<string>;
}

const environment = celEnvironment().registerVariable('document', 'dyn');
const nothing: Omit<Computed, 'outcome'> = { named: new Set(), asked: new Set(), summed: new Set() };

/** Evaluates the checks of one document. */
const evaluator = (data: JsonValue) => {
  /** Where the expression under way found nothing. */
  const emptyPlaces = new Set<string>();
  const document = watched(data, (place) => void emptyPlaces.add(place));

  const compute = (source: string): Computed => {
    emptyPlaces.clear();
    let names = nothing;
    try {
      const expression = parseExpression(environment, source);
      names = { ...namesOf(expression.ast), summed: summedBy(expression.ast) };
      const value: unknown = expression({ document });
      if (typeof value !== 'boolean') throw new Error('it is neither true nor false');
      return { ...names, outcome: value ? 'passed' : 'broken' };
    } catch (error) {
      return { ...names, outcome: { defect: explain(error).words } };
    }
  };

  /** A rule that found nothing says nothing of the document; one that found some values of a list alone does not hold for the others. */
  const judged = (outcome: CheckOutcome, asked: ReadonlySet<string>): CheckOutcome => {
    let partial: CheckOutcome = outcome;
    for (const place of emptyPlaces) {
      if (asked.has(place)) continue;
      const values = valuesAt(data, place);
      const [pointer = place] = values.find(([, value]) => value === null || value === undefined) ?? [];
      if (values.every(([, value]) => value === null || value === undefined)) return { missing: pointer };
      if (partial !== 'broken') partial = { defect: `${pointer} has no value` };
    }
    return partial;
  };

  return ({ rule, when }: Check): Evaluated => {
    const applies = when === null ? 'passed' : compute(when).outcome;
    if (applies === 'broken') return { outcome: 'not_applicable', named: [], confirmed: [] };
    const { outcome: computed, named, asked, summed } = compute(rule);
    const outcome = applies === 'passed' ? judged(computed, asked) : applies;
    return { outcome, named: [...named], confirmed: outcome === 'passed' ? [...summed] : [] };
  };
};

/** One message for each check, as soon as it is known. */
parentPort?.on('message', ({ checks, data }: Evaluation) => {
  const evaluate = evaluator(parseJson(data) as JsonValue);
  for (const check of checks) parentPort?.postMessage(evaluate(check));
});
parentPort?.postMessage('ready');
