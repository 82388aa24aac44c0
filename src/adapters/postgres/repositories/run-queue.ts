import type { Rotation, RunLease, RunQueue, Work } from '../../../application/ports/queue.ts';
import type { Run, RunUnit } from '../../../domain/run.ts';
import type { Database } from '../connection/database.ts';
import { deleteOldKeys } from '../statements/run-creation-statements.ts';
import * as sql from '../statements/run-queue-statements.ts';
import { rollUp } from '../statements/usage-upkeep-statements.ts';
import { fromJson, type Json } from '../tables/columns.ts';
import type { AgentRow } from '../tables/entities.ts';
import { agentOf } from './agent-repository.ts';
import { type Head, queuePosition } from './queue-position.ts';
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

/** Other workers may have taken all that some workspaces had since the heads were looked for. */
const SPARE_HEADS = 100;

/** The heads in the order in which they are leased from. */
const headsFrom = (heads: readonly Head[], after: string | null, except: readonly string[]) => {
  const open = heads.filter(({ workspaceId }) => !except.includes(workspaceId));
  const begin = open.findIndex(({ workspaceId }) => after === null || workspaceId > after);
  return begin <= 0 ? open : [...open.slice(begin), ...open.slice(0, begin)];
};

/** The runs table is the queue: no run can be stored without being in it. */
export const runQueue = ({ query, apart }: Pick<Database, 'query' | 'apart'>): RunQueue => {
  const position = queuePosition({ query });
  return {
    ...runWork({ query }),

    async lease(worker, most, leaseSeconds, { after, except } = FROM_THE_FIRST) {
      const { end, since, heads } = await position.look();
      const next = headsFrom(heads, after, except).slice(0, most + SPARE_HEADS);
      const values = [worker, most, leaseSeconds, after ?? NIL, except, end, JSON.stringify(next), since];
      return (await query<Leased>(sql.lease, values)).map(workOf);
    },

    async renew(leases: readonly RunLease[], leaseSeconds) {
      const ids = leases.map(({ runId }) => runId);
      const attempts = leases.map(({ runId, attempt }) => `${runId} ${attempt}`);
      const rows = await apart<{ id: string }>(sql.renew, [ids, attempts, leaseSeconds]);
      return new Set(rows.map(({ id }) => id));
    },

    async sweep() {
      await position.lookAgain();
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

interface QueueDepth {
  readonly queued: number;
  readonly running: number;
  /** How long the oldest queued run has waited. */
  readonly oldestSeconds: number;
}

/** How much there is to do, for all workers together. */
export const queueDepth =
  ({ query }: Pick<Database, 'query'>) =>
  async (): Promise<QueueDepth> => {
    const [depth] = await query<QueueDepth>(sql.depth, []);
    return depth ?? { queued: 0, running: 0, oldestSeconds: 0 };
  };
