import { on, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { inTime } from '../../application/shared/async.ts';
import { fairShare } from '../../application/shared/fair-share.ts';
import { busy, codeOf } from '../../domain/errors.ts';
import type { Sharer } from '../../domain/sharer.ts';

const MEGABYTES = 256;
/** Work that waits is held in memory. */
const MOST_WAITING = 200;
const START_SECONDS = 30;
/** How often a thread at work is looked at, in the time that it may compute. */
const LOOKS = 4;

/** Why a thread did not answer all that it was asked for. */
export type ThreadFailure = 'time' | 'memory' | 'error';

class TookTooLong extends Error {}

const failureOf = (error: unknown): ThreadFailure => {
  if (error instanceof TookTooLong) return 'time';
  return codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'error';
};

const start = async (program: URL): Promise<Worker> => {
  const started = new Worker(program, { env: {}, resourceLimits: { maxOldGenerationSizeMb: MEGABYTES } });
  started.on('error', () => {}).unref();
  const late = () => new Error(`the thread ${program.pathname} does not start`);
  await inTime((signal) => once(started, 'message', { signal }), { seconds: START_SECONDS, late });
  return started;
};

/** Rejects once the thread has computed for so long. What it waits for a core, on a machine with more to do, does not count. */
const computedFor = async (seconds: number, thread: Worker, signal: AbortSignal): Promise<never> => {
  const wait = () => sleep((seconds * 1000) / LOOKS, undefined, { signal, ref: false });
  await wait();
  const before = await thread.cpuUsage();
  for (;;) {
    await wait();
    const { user, system } = await thread.cpuUsage(before);
    if (user + system > seconds * 1e6) throw new TookTooLong();
  }
};

const gather = async <Answer>(thread: Worker, count: number, answers: Answer[], signal: AbortSignal) => {
  for await (const [answer] of on(thread, 'message', { signal })) if (answers.push(answer as Answer) === count) return;
};

interface Terms {
  /** Says `ready`, and then answers each request with one message or more. */
  readonly program: URL;
  readonly threads?: number;
  /** How long a thread may compute for one request. */
  readonly computeSeconds: number;
  /** What is said of a request that may not wait any more. */
  readonly crowded: string;
}

/**
 * Does what a hostile input may make long, in a few threads, one request at a time in each: no other request is kept waiting, and a thread
 * whose time or memory is up is replaced. No user has all of them. The first begins with the first request.
 */
export const threadPool = <Request, Answer>({ program, threads = 2, computeSeconds, crowded }: Terms) => {
  const idle: Worker[] = [];
  const share = fairShare({
    places: threads,
    mostOfUser: Math.max(1, threads - 1),
    mostWaiting: MOST_WAITING,
    refusal: () => busy(crowded),
  });

  const run = async (request: Request, count: number) => {
    const answers: Answer[] = [];
    const over = new AbortController();
    let thread = idle.pop();
    try {
      thread ??= await start(program);
      const all = gather(thread, count, answers, over.signal);
      thread.postMessage(request);
      await Promise.race([all, computedFor(computeSeconds, thread, over.signal)]);
      idle.push(thread);
      return { answers, failure: null };
    } catch (error) {
      void thread?.terminate();
      return { answers, failure: failureOf(error) };
    } finally {
      over.abort();
    }
  };

  return {
    /** The answers, so many as are asked for, or those that came before it failed. */
    ask: (
      request: Request,
      count: number,
      sharer: Sharer,
    ): Promise<{ readonly answers: readonly Answer[]; readonly failure: ThreadFailure | null }> =>
      share.pass(sharer, () => run(request, count)),
    async close(): Promise<void> {
      await Promise.all(idle.splice(0).map((thread) => thread.terminate()));
    },
  };
};
