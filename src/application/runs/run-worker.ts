import { LeaseLost, type RunChanges, type RunQueue, type Work } from '../ports/queue.ts';
import type { Ids, Log } from '../ports/runtime.ts';
import { type FairQueue, fairQueue } from './fair-queue.ts';
import type { Slots } from './run-work.ts';

export interface WorkerSettings {
  /** Units of work at a time. */
  readonly concurrency: number;
  readonly leaseSeconds: number;
}

export interface RunWorker {
  start(): void;
  /** Leases no more; what is not done within the grace is handed back for another worker to go on with. */
  stop(graceMs: number): Promise<void>;
}

interface Dependencies {
  readonly queue: RunQueue;
  readonly changes: RunChanges;
  /** Does the work of one lease: see `runWork`. */
  readonly runWork: (work: Work, slots: Slots, signal: AbortSignal) => Promise<void>;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: WorkerSettings;
}

/** A wake-up that was lost, and a lease that ran out elsewhere, cost at most this. */
const POLL_MS = 1000;

class Stopping extends Error {}

interface Job {
  readonly work: Work;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** How many units each workspace has in work or waiting here; a run that has not come to its units yet counts as one. */
const demandOf = (jobs: Iterable<Job>, gate: FairQueue): Map<string, number> => {
  const runs = new Map<string, number>();
  for (const { work } of jobs) runs.set(work.run.workspaceId, (runs.get(work.run.workspaceId) ?? 0) + 1);
  for (const [workspaceId, units] of gate.demand()) runs.set(workspaceId, Math.max(units, runs.get(workspaceId) ?? 0));
  return runs;
};

/** The workspaces that have what an even share of the places is, or more: others go first. */
const served = (demand: ReadonlyMap<string, number>, places: number): readonly string[] =>
  [...demand].filter(([, count]) => count * demand.size >= places).map(([workspaceId]) => workspaceId);

export const runWorker = ({ queue, changes, runWork, ids, log, settings }: Dependencies): RunWorker => {
  const name = ids.next();
  const jobs = new Map<string, Job>();
  const { concurrency } = settings;
  const gate = fairQueue(concurrency, () => performance.now());
  const timers: NodeJS.Timeout[] = [];
  let stopped = false;
  let unsubscribe = () => {};
  let pumping: Promise<void> | null = null;
  let again = false;
  /** The workspace whose turn was last. */
  let after: string | null = null;

  const settle = async (work: Work, error: unknown) => {
    const fields = { run_id: work.run.id, trace_id: work.run.traceId, attempt: work.lease.attempt };
    if (error instanceof Stopping) return queue.release(work.lease);
    if (error instanceof LeaseLost) return log.info(fields, 'the run is no longer ours');
    log.error({ ...fields, err: error }, 'the run was interrupted');
    // Nobody renews the lease any more: the run is taken up again when it is over.
    if (!work.isLastAttempt) return;
    const message = 'Something that the run needs could not be reached, each time it was tried: start the run again.';
    await queue.finish(work.lease, { event: 'fail', error: message, reason: { code: 'interrupted', message } });
  };

  const perform = async (work: Work, abort: AbortController) => {
    const deadline = setTimeout(() => abort.abort(new LeaseLost(work.run.id)), Math.max(0, work.remainingMs));
    try {
      await runWork(work, slotsOf(work, abort.signal), abort.signal);
    } catch (error) {
      await settle(work, abort.signal.aborted ? abort.signal.reason : error).catch((err) =>
        log.warn({ run_id: work.run.id, trace_id: work.run.traceId, err }, 'the run could not be given up; its lease will run out'),
      );
    } finally {
      clearTimeout(deadline);
      if (jobs.get(work.run.id)?.work === work) jobs.delete(work.run.id);
      pump();
    }
  };

  const begin = (work: Work) => {
    const abort = new AbortController();
    // A run comes back to us where its lease ran out while we could not renew it: what we still do for it ends first.
    const before = jobs.get(work.run.id);
    before?.abort.abort(new LeaseLost(work.run.id));
    const done = Promise.resolve(before?.done).then(() => perform(work, abort));
    jobs.set(work.run.id, { work, abort, done });
  };

  const take = async (most: number, except: readonly string[]): Promise<number> => {
    const works = await queue.lease(name, most, settings.leaseSeconds, { after, except });
    after = works.at(-1)?.run.workspaceId ?? after;
    works.forEach(begin);
    return works.length;
  };

  const lease = async () => {
    do {
      again = false;
      const demand = demandOf(jobs.values(), gate);
      const free = concurrency - [...demand.values()].reduce((sum, count) => sum + count, 0);
      if (stopped || free <= 0) return;
      const full = served(demand, concurrency);
      let taken = await take(free, full);
      if (taken < free && full.length > 0) taken += await take(free - taken, []);
      if (taken === free) again = true;
    } while (again);
  };

  /**
   * Before the place of a unit is given to one that waits here: a workspace that has less than its share, and runs in the queue,
   * gets it. Without this a run of many units would keep everything else out until all but the last of them are done.
   */
  const makeWay = async (workspaceId: string) => {
    if (stopped || gate.waiting() === 0) return;
    const demand = demandOf(jobs.values(), gate);
    demand.set(workspaceId, (demand.get(workspaceId) ?? 1) - 1);
    await take(1, served(demand, concurrency)).catch((err) => log.warn({ err }, 'the queue could not be read; trying again'));
  };

  const slotsOf =
    ({ run: { workspaceId } }: Work, signal: AbortSignal): Slots =>
    (work) =>
      gate.pass(workspaceId, () => work().finally(() => makeWay(workspaceId)), signal);

  const pump = () => {
    again = true;
    pumping ??= lease()
      .catch((err) => log.warn({ err }, 'the queue could not be read; trying again'))
      .finally(() => {
        pumping = null;
      });
  };

  const renew = async () => {
    const held = [...jobs.values()];
    if (held.length === 0) return;
    const since = performance.now();
    try {
      const kept = await queue.renew(
        held.map(({ work }) => work.lease),
        settings.leaseSeconds,
      );
      for (const { work, abort } of held) if (!kept.has(work.run.id)) abort.abort(new LeaseLost(work.run.id));
    } catch (err) {
      log.warn({ err, ms: Math.round(performance.now() - since) }, 'the leases could not be renewed; trying again');
    }
  };

  return {
    start() {
      unsubscribe = changes.subscribe({
        change({ runId, status }) {
          if (status === 'queued') return pump();
          if (status !== 'running' && status !== 'completed') jobs.get(runId)?.abort.abort(new LeaseLost(runId));
        },
        gap() {
          void renew();
          pump();
        },
      });
      timers.push(
        setInterval(pump, POLL_MS),
        setInterval(() => void renew(), (settings.leaseSeconds * 1000) / 3),
      );
      pump();
    },

    async stop(graceMs) {
      stopped = true;
      unsubscribe();
      await pumping;
      const all = () => Promise.all([...jobs.values()].map(({ done }) => done));
      const grace = Promise.withResolvers<void>();
      const timer = setTimeout(grace.resolve, graceMs);
      await Promise.race([all(), grace.promise]);
      clearTimeout(timer);
      // A lease that was under way may bring one more.
      while (jobs.size > 0) {
        for (const { abort } of jobs.values()) abort.abort(new Stopping());
        await all();
      }
      timers.forEach(clearInterval);
    },
  };
};
