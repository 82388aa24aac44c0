import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { inTime } from '../../application/shared/async.ts';
import { fairShare } from '../../application/shared/fair-share.ts';
import { busy, type ValidationError } from '../../domain/errors.ts';
import type { Sharer } from '../../domain/sharer.ts';
import type { Validation } from './schema-worker.ts';

const THREADS = 2;
/** What waits is in memory. */
const MOST_WAITING = 200;
/** The thread stops a check by itself before that, unless it compiles the schema first. */
const LONGEST_SECONDS = 6;

const TOO_LONG: readonly ValidationError[] = [
  { path: '', message: 'cannot be checked: it takes too long against this schema' },
];

const start = async (): Promise<Worker> => {
  const url = new URL(`./schema-worker${path.extname(import.meta.url)}`, import.meta.url);
  const started = new Worker(url, { env: {}, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  started.on('error', () => {}).unref();
  await once(started, 'message');
  return started;
};

/** Checks values against schemas in a few threads, one value at a time in each. No user has all of them. */
export const schemaThreads = () => {
  const idle: Worker[] = [];
  const share = fairShare({
    places: THREADS,
    mostOfUser: THREADS - 1,
    mostWaiting: MOST_WAITING,
    refusal: () => busy('Too many values wait to be checked against their schemas'),
  });

  const run = async (validation: Validation): Promise<readonly ValidationError[]> => {
    let worker = idle.pop();
    try {
      worker ??= await start();
      const used = worker;
      const ask = async (signal: AbortSignal) => {
        const answer = once(used, 'message', { signal });
        used.postMessage(validation);
        return (await answer)[0] as readonly ValidationError[];
      };
      const errors = await inTime(ask, {
        seconds: LONGEST_SECONDS,
        late: () => new Error('The check takes too long.'),
      });
      idle.push(used);
      return errors;
    } catch {
      void worker?.terminate();
      return TOO_LONG;
    }
  };

  return (validation: Validation, sharer: Sharer): Promise<readonly ValidationError[]> =>
    share.pass(sharer, () => run(validation));
};
