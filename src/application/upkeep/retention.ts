import { type RemovedCounts, type RetainedKind, retainedKinds } from '../../domain/retention.ts';
import type { BlobStore } from '../ports/blobs.ts';
import type { RetentionRule, RetentionStore, Walked, WalkedKind } from '../ports/retention.ts';
import type { Log } from '../ports/runtime.ts';
import { abortable, concurrently, pause } from '../shared/async.ts';
import { poller } from '../shared/poller.ts';

const EVERY_MS = 60_000;
const REQUESTS_AT_ONCE = 8;
/** A batch is followed by a pause of the same length, and no shorter one than this: requests come first. */
const SHORTEST_PAUSE_MS = 10;

const walksOf: Readonly<Record<RetainedKind, readonly WalkedKind[]>> = {
  files: ['files'],
  conversations: ['conversations'],
  documents: ['trash', 'documents'],
  runs: ['runs'],
};

interface Dependencies {
  readonly store: RetentionStore;
  readonly blobs: Pick<BlobStore, 'remove'>;
  readonly log: Log;
}

interface WorkspaceRemoved extends RemovedCounts {
  readonly workspace: string;
}

/** Removes what workspaces keep no longer, in small batches, the oldest first. */
export const retentionService = ({ store, blobs, log }: Dependencies) => {
  /** The objects of a store that is away are removed by upkeep later: no run can take them any more. */
  const removeObjects = (keys: readonly string[]) =>
    concurrently(keys, REQUESTS_AT_ONCE, (key) => blobs.remove(key)).catch((err: unknown) =>
      log.warn({ err }, 'files that are kept no longer could not be removed yet; trying again within two hours'),
    );

  const walk = async (kind: WalkedKind, rule: RetentionRule, signal: AbortSignal): Promise<number> => {
    let removed = 0;
    let after: Walked | null = null;
    do {
      signal.throwIfAborted();
      const begun = performance.now();
      const batch = await store.remove(kind, rule, after);
      await removeObjects(batch.objects);
      removed += batch.removed;
      after = batch.next;
      await abortable(pause(Math.max(SHORTEST_PAUSE_MS, performance.now() - begun)), signal);
    } while (after !== null);
    return removed;
  };

  const removeOf = async (rule: RetentionRule, signal: AbortSignal): Promise<WorkspaceRemoved> => {
    const counts = { files: 0, conversations: 0, documents: 0, runs: 0 };
    for (const kind of retainedKinds)
      if (rule.retention[kind] !== null)
        for (const walked of walksOf[kind]) counts[kind] += await walk(walked, rule, signal);
    if (Object.values(counts).some((count) => count > 0))
      log.info({ workspace: rule.workspace, ...counts }, 'removed what is kept no longer');
    return { workspace: rule.workspace, ...counts };
  };

  const removeAll = async (signal: AbortSignal = new AbortController().signal) => {
    const removed: WorkspaceRemoved[] = [];
    for (const rule of await store.rules()) removed.push(await removeOf(rule, signal));
    await store.endTurn();
    return removed;
  };

  const ended = new AbortController();
  const upkeep = poller({
    everyMs: EVERY_MS,
    async look() {
      if (await store.takeTurn()) await removeAll(ended.signal);
      return false;
    },
    failed: (err) => {
      if (!ended.signal.aborted) log.warn({ err }, 'what is kept no longer could not be removed; trying again');
    },
  });

  return {
    /** For the operator, of every workspace that has a rule. */
    removeAll,

    async countAll(): Promise<readonly WorkspaceRemoved[]> {
      const counted: WorkspaceRemoved[] = [];
      for (const rule of await store.rules()) counted.push({ workspace: rule.workspace, ...(await store.count(rule)) });
      return counted;
    },

    start: upkeep.start,
    /** The batch under way ends first. */
    stop() {
      ended.abort();
      return upkeep.stop();
    },
  };
};

export type RetentionService = ReturnType<typeof retentionService>;
