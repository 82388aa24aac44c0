import type { Database } from './database.ts';
import { runStates } from './states.ts';

export interface QueueDepth {
  readonly queued: number;
  readonly running: number;
  /** How long the oldest queued run has waited. */
  readonly oldestSeconds: number;
}

/** Counted in the indexes that hold nothing but such runs; the queue is read once. */
const depth = {
  name: 'queue_depth',
  text: `
select count(*)::int as queued, (select count(*) from runs where status = ${runStates.after('start')})::int as running,
  coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as "oldestSeconds"
from runs where status ${runStates.before('start')}`,
};

/** How much there is to do, for all workers together. */
export const queueDepth =
  ({ query }: Pick<Database, 'query'>) =>
  async (): Promise<QueueDepth> => {
    const [found] = await query<QueueDepth>(depth, []);
    return found ?? { queued: 0, running: 0, oldestSeconds: 0 };
  };
