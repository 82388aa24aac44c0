import type { Database } from '../connection/database.ts';
import * as sql from '../statements/run-queue-statements.ts';

/** The first run of a workspace that waits. */
export interface Head {
  readonly workspaceId: string;
  readonly turn: number;
  readonly createdAt: string;
}

interface Queued {
  /** What has come into the queue after the heads were looked for was created since. */
  readonly since: string;
  /** In the order of their workspaces. */
  readonly heads: readonly Head[];
}

interface Position extends Queued {
  /** The end of the earliest lease, or an earlier time. */
  readonly end: string;
}

/** How often the memory is renewed, and how often it is made anew. */
const every = { nextMs: 1000, allMs: 30_000 };

/**
 * Where the leases end first and where the queue of each workspace begins. A process remembers this, so that it does not read, each time it
 * looks for work, past the dead rows of all that was renewed and leased: these stay as long as a snapshot is older than they. Tests give
 * smaller times.
 */
export const queuePosition = ({ query }: Pick<Database, 'query'>, { nextMs, allMs } = every) => {
  let end = '-infinity';
  let queued: Queued | null = null;
  let looked = Number.NEGATIVE_INFINITY;
  let lookedForAll = Number.NEGATIVE_INFINITY;

  const lookForAll = async () => {
    lookedForAll = performance.now();
    [queued] = (await query<Queued>(sql.allHeads, [])) as [Queued];
    return queued;
  };

  const lookFrom = async (known: Queued) => {
    const [current] = (await query<Queued>(sql.heads, [JSON.stringify(known.heads), known.since])) as [Queued];
    // Meanwhile all may have been looked for, which found more.
    if (queued === known) queued = current;
    return current;
  };

  return {
    async look(): Promise<Position> {
      if (queued !== null && performance.now() - looked < nextMs) return { end, ...queued };
      looked = performance.now();
      [{ end }] = (await query<{ end: string }>(sql.earliestEnd, [end])) as [{ end: string }];
      return { end, ...(await (queued === null ? lookForAll() : lookFrom(queued))) };
    },

    /**
     * Looks through all leases, and now and then through the whole queue: should the clock of the database have gone back, or a run have
     * been stored late, none is passed over for long.
     */
    async lookAgain(): Promise<void> {
      end = '-infinity';
      looked = Number.NEGATIVE_INFINITY;
      if (performance.now() - lookedForAll >= allMs) await lookForAll();
    },
  };
};
