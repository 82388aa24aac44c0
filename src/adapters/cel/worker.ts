import { parentPort } from 'node:worker_threads';
import type { Check, CheckOutcome } from '../../domain/check.ts';
import { ExactNumber, parseJson } from '../../domain/json-number.ts';
import { celEnvironment, decimalOf, explain, parseExpression } from './environment.ts';

export interface Evaluation {
  readonly checks: readonly Check[];
  /** JSON. */
  readonly data: string;
}

/** Maps, because an object of JSON may have a field of any name. */
const toCel = (value: unknown): unknown => {
  if (typeof value === 'number' || value instanceof ExactNumber) return decimalOf(String(value));
  if (Array.isArray(value)) return value.map(toCel);
  if (typeof value === 'object' && value !== null) return new Map(Object.entries(value).map(([key, item]) => [key, toCel(item)]));
  return value;
};

const environment = celEnvironment().registerVariable('document', 'dyn');

const isTrue = (source: string, document: unknown): boolean => {
  const value: unknown = parseExpression(environment, source)({ document });
  if (typeof value === 'boolean') return value;
  throw new Error('it is neither true nor false');
};

const outcomeOf = ({ rule, when }: Check, document: unknown): CheckOutcome => {
  try {
    if (when !== null && !isTrue(when, document)) return 'not_applicable';
    return isTrue(rule, document) ? 'passed' : 'broken';
  } catch (error) {
    return { defect: explain(error).words };
  }
};

/** One message for each check, as soon as it is known. */
parentPort?.on('message', ({ checks, data }: Evaluation) => {
  const document = toCel(parseJson(data));
  for (const check of checks) parentPort?.postMessage(outcomeOf(check, document));
});
parentPort?.postMessage('ready');
