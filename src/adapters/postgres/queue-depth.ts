import type { Database } from './database.ts';

export interface QueueDepth {
  readonly queued: number;
  readonly running: number;
  /** How long the oldest queued run has waited. */
  readonly oldestSeconds: number;
}

/** Counted in the indexes that hold nothing but such runs. */
const depth = {
  name: 'queue_depth',
  text: `
select (select count(*) from runs where status = 'queued')::int as queued,
  (select count(*) from runs where status = 'running')::int as running,
  coalesce(extract(epoch from clock_timestamp() - (select min(created_at) from runs where status = 'queued')), 0)::float8 as "oldestSeconds"`,
};

/** How much there is to do, for all workers together. */
export const queueDepth =
  ({ query }: Pick<Database, 'query'>) =>
  async (): Promise<QueueDepth> => {
    const [found] = await query<QueueDepth>(depth, []);
    return found ?? { queued: 0, running: 0, oldestSeconds: 0 };
  };
