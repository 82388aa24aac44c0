import type { Rotation, RunLease, RunQueue, Work } from '../../../application/ports/queue.ts';
import type { Run, RunUnit } from '../../../domain/run.ts';
import type { Database } from '../connection/database.ts';
import { deleteOldKeys } from '../statements/run-creation-statements.ts';
import * as sql from '../statements/run-queue-statements.ts';
import { rollUp } from '../statements/usage-statements.ts';
import { fromJson, type Json } from '../tables/columns.ts';
import type { AgentRow } from '../tables/entities.ts';
import { agentOf } from './agent-repository.ts';
import { runWork } from './run-work.ts';

interface Leased extends Run {
  readonly remainingMs: number;
  readonly isLastAttempt: boolean;
  readonly agent: Json<AgentRow>;
  readonly units: readonly RunUnit[] | null;
}

const workOf = ({ remainingMs, isLastAttempt, agent, units, ...run }: Leased): Work => ({
  lease: { runId: run.id, attempt: run.attempt },
  run,
  agent: agentOf(fromJson<AgentRow>(agent, 'createdAt', 'updatedAt')),
  units: units ?? [],
  remainingMs,
  isLastAttempt,
});

/** Sorts before every workspace. */
const NIL = '00000000-0000-0000-0000-000000000000';
const FROM_THE_FIRST: Rotation = { after: null, except: [] };

/** How often it is asked where the leases begin. */
const LOOK_MS = 1000;

/** The end of the earliest lease, or an earlier time. */
const leasesFrom = ({ query }: Pick<Database, 'query'>) => {
  let end = '-infinity';
  let asked = Number.NEGATIVE_INFINITY;
  return {
    async end(): Promise<string> {
      if (performance.now() - asked < LOOK_MS) return end;
      asked = performance.now();
      [{ end }] = (await query<{ end: string }>(sql.earliestEnd, [end])) as [{ end: string }];
      return end;
    },
    /** All leases are looked through again: should the clock of the database have gone back, none is passed over for long. */
    forget(): void {
      end = '-infinity';
      asked = Number.NEGATIVE_INFINITY;
    },
  };
};

/** The runs table is the queue: no run can be stored without being in it. */
export const runQueue = ({ query }: Pick<Database, 'query'>): RunQueue => {
  const from = leasesFrom({ query });
  return {
    ...runWork({ query }),

    async lease(worker, most, leaseSeconds, { after, except } = FROM_THE_FIRST) {
      const values = [worker, most, leaseSeconds, after ?? NIL, except, await from.end()];
      return (await query<Leased>(sql.lease, values)).map(workOf);
    },

    async renew(leases: readonly RunLease[], leaseSeconds) {
      const ids = leases.map(({ runId }) => runId);
      const attempts = leases.map(({ runId, attempt }) => `${runId} ${attempt}`);
      const rows = await query<{ id: string }>(sql.renew, [ids, attempts, leaseSeconds]);
      return new Set(rows.map(({ id }) => id));
    },

    async sweep() {
      from.forget();
      let total = 0;
      for (let ended = sql.BATCH; ended >= sql.BATCH; total += ended) {
        [{ ended }] = (await query<{ ended: number }>(sql.sweep, [])) as [{ ended: number }];
      }
      await query(deleteOldKeys, []);
      await query(sql.rollUpCounters, []);
      await query(rollUp, []);
      return total;
    },
  };
};

export interface QueueDepth {
  readonly queued: number;
  readonly running: number;
  /** How long the oldest queued run has waited. */
  readonly oldestSeconds: number;
}

/** How much there is to do, for all workers together. */
export const queueDepth =
  ({ query }: Pick<Database, 'query'>) =>
  async (): Promise<QueueDepth> => {
    const [found] = await query<QueueDepth>(sql.depth, []);
    return found ?? { queued: 0, running: 0, oldestSeconds: 0 };
  };
