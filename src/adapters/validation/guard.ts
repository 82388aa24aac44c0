import { isNativeError } from 'node:util/types';
import { createContext, Script } from 'node:vm';

const bench: { work: () => void } = { work: () => undefined };
const context = createContext(bench);
const script = new Script('work()', { filename: 'guarded' });

/** The work was stopped because it took too long. */
export class TookTooLong extends Error {
  constructor(milliseconds: number, options?: ErrorOptions) {
    super(`stopped after ${milliseconds} ms`, options);
    this.name = 'TookTooLong';
  }
}

/**
 * Runs synchronous work that may be given a pathological input, and stops it when its time is up: inside a `vm` script
 * the time limit also interrupts a regular expression that backtracks without end, which nothing else in the language can.
 */
export const guarded = <T>(milliseconds: number, work: () => T): T => {
  let result: { readonly value: T } | undefined;
  bench.work = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: milliseconds });
  } catch (error) {
    const stopped = isNativeError(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    throw stopped ? new TookTooLong(milliseconds, { cause: error }) : error;
  } finally {
    bench.work = () => undefined;
  }
  if (!result) throw new Error('guarded work ended without a result');
  return result.value;
};
