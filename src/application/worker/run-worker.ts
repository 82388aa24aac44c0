import { DomainError } from '../../domain/errors.ts';
import type { StatusReason } from '../../domain/run.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { RunChanges, RunQueue, Work } from '../ports/queue.ts';
import type { Ids, Log } from '../ports/runtime.ts';
import { type FairShare, fairShare } from '../shared/fair-share.ts';
import { leasesOf, Stopping } from '../shared/leases.ts';
import { poller } from '../shared/poller.ts';
import type { Slots } from './run-work.ts';

interface WorkerSettings {
  /** Units of work at a time. */
  readonly concurrency: number;
  readonly leaseSeconds: number;
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

/** How many units each workspace has in work or waiting here; a run that has not come to its units yet counts as one. */
const demandOf = (preparing: readonly Work[], gate: FairShare): Map<string, number> => {
  const demand = new Map(gate.demand());
  for (const { run } of preparing) demand.set(run.workspaceId, (demand.get(run.workspaceId) ?? 0) + 1);
  return demand;
};

/** The workspaces that have an even share of the places, or more: others go first. */
const served = (demand: ReadonlyMap<string, number>, places: number): readonly string[] =>
  [...demand].filter(([, count]) => count * demand.size >= places).map(([workspaceId]) => workspaceId);

/** Why a run is given up after its last attempt: an outage is named, a defect stands in the log alone. */
const reasonOf = (error: unknown): StatusReason => {
  if (error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'busy')) {
    return {
      code: 'interrupted',
      message: `${error.message} This happened each time the run was tried: start it again.`,
    };
  }
  return {
    code: 'internal',
    message: 'Something went wrong on our side each time the run was tried. The log of the server has the details.',
  };
};

export const runWorker = ({ queue, changes, runWork, ids, log, settings }: Dependencies) => {
  const name = ids.next();
  const { concurrency, leaseSeconds } = settings;
  const gate = fairShare({ places: concurrency });
  let unsubscribe = () => {};
  let stopped = false;
  /** The workspace that was leased from last. */
  let after: string | null = null;
  /** The runs that have come to their units: from then on it is the units that take places. */
  const atUnits = new WeakSet<Work>();

  const leases = leasesOf<Work>({
    subject: 'run',
    idOf: ({ run }) => run.id,
    renewal: {
      leaseSeconds,
      renew: (works) =>
        queue.renew(
          works.map(({ lease }) => lease),
          leaseSeconds,
        ),
    },
    log,
  });

  /** Without the end of a run, its lease is renewed no more: a worker takes it up again once the lease is over. */
  const settle = async (work: Work, error: unknown) => {
    const fields = { run_id: work.run.id, trace_id: work.run.traceId, attempt: work.lease.attempt };
    if (error instanceof Stopping) return queue.release(work.lease);
    if (error instanceof LeaseLost) return log.info(fields, 'the run is no longer ours');
    log.error({ ...fields, err: error }, 'the run was interrupted');
    if (!work.isLastAttempt) return;
    const reason = reasonOf(error);
    await queue.finish(work.lease, { event: 'fail', error: reason.message, reason });
  };

  const perform = async (work: Work, signal: AbortSignal) => {
    const overdue = setTimeout(() => leases.lose(work.run.id), Math.max(0, work.remainingMs));
    try {
      await runWork(work, slotsOf(work, signal), signal);
    } catch (error) {
      await settle(work, signal.aborted ? signal.reason : error).catch((err) =>
        log.warn(
          { run_id: work.run.id, trace_id: work.run.traceId, err },
          'the run could not be given up; its lease will run out',
        ),
      );
    } finally {
      clearTimeout(overdue);
    }
  };

  const take = async (most: number, except: readonly string[]): Promise<number> => {
    const works = await queue.lease(name, most, leaseSeconds, { after, except });
    after = works.at(-1)?.run.workspaceId ?? after;
    for (const work of works) void leases.during(work, (signal) => perform(work, signal)).finally(queued.wake);
    return works.length;
  };

  const demandNow = () =>
    demandOf(
      leases.held().filter((work) => !atUnits.has(work)),
      gate,
    );

  const unread = (err: unknown) => log.warn({ err }, 'the queue could not be read; trying again');

  const queued = poller({
    everyMs: POLL_MS,
    async look() {
      const demand = demandNow();
      const free = concurrency - [...demand.values()].reduce((sum, count) => sum + count, 0);
      if (free <= 0) return false;
      const full = served(demand, concurrency);
      let taken = await take(free, full);
      if (taken < free && full.length > 0) taken += await take(free - taken, []);
      return taken === free;
    },
    failed: unread,
  });

  /**
   * Before the place of a unit is given to one that waits here: a workspace that has less than its share, and runs in the queue,
   * gets it. Without this a run of many units would keep everything else out until all but the last of them are done.
   */
  const makeWay = async (workspaceId: string) => {
    if (stopped || gate.waiting() === 0) return;
    const demand = demandNow();
    demand.set(workspaceId, (demand.get(workspaceId) ?? 1) - 1);
    await take(1, served(demand, concurrency)).catch(unread);
  };

  const slotsOf =
    (work: Work, signal: AbortSignal): Slots =>
    (doUnit) => {
      atUnits.add(work);
      const { workspaceId } = work.run;
      return gate.pass(work.run, () => doUnit().finally(() => makeWay(workspaceId)), signal);
    };

  return {
    start(): void {
      unsubscribe = changes.subscribe({
        change({ runId, status }) {
          if (status === 'queued') return queued.wake();
          if (status !== 'running' && status !== 'completed') leases.lose(runId);
        },
        gap() {
          void leases.renew();
          queued.wake();
        },
      });
      queued.start();
    },

    /** Leases no more; what is not done within the grace is handed back for another worker to go on with. */
    async stop(graceMs: number): Promise<void> {
      stopped = true;
      unsubscribe();
      await queued.stop();
      await leases.stop(graceMs);
    },
  };
};

export type RunWorker = ReturnType<typeof runWorker>;
