import { DomainError } from '../../domain/errors.ts';
import { type RunFile, unitsOf } from '../../domain/run.ts';
import { isWanted, whyNots } from '../../domain/source.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { Ids } from '../ports/runtime.ts';
import {
  ItemGone,
  ItemUnreadable,
  type LeasedSource,
  NotTaken,
  type OpenSource,
  type SetAside,
  type SourceItem,
  type SourceQueue,
  type Spool,
} from '../ports/sources.ts';
import type { UploadService } from '../runs/uploads.ts';

interface Dependencies {
  readonly queue: SourceQueue;
  readonly uploads: Pick<UploadService, 'receive'>;
  readonly spool: Spool;
  readonly ids: Ids;
  readonly limits: {
    readonly maxUploadBytes: number;
    readonly runDeadlineSeconds: number;
    readonly sourceMaxRuns: number;
  };
  readonly now?: () => number;
}

/** A source under a look, by the user in whose name its runs are. */
interface Looked {
  readonly source: LeasedSource & { readonly userId: string };
  readonly opened: OpenSource;
  readonly signal: AbortSignal;
}

/** `cut`: there may be more, which waits so that other sources are looked at too; `full`: there may be more, which waits until runs have ended. */
export interface LookEnd {
  readonly end: 'whole' | 'cut' | 'full';
  /** The first failure of a single item; null if there was none. */
  readonly failure: unknown;
}

const SETTLED_AT_ONCE = 1000;
/** So many items that fail one after the other are taken for a failure of the source. */
const MOST_FAILURES = 3;
/** So long after its first page a look begins no other item. */
const LOOK_MS = 60_000;

/** What ends a look at once: nothing that comes after it could be recorded, or become a run. */
const endsLook = (error: unknown, signal: AbortSignal) =>
  signal.aborted ||
  error instanceof LeaseLost ||
  (error instanceof DomainError && ['budget_exhausted', 'upload_quota_exceeded'].includes(error.code));

/** Failures of single items, which leave the others alone: the look tells the first of them at its end. */
const failures = () => {
  let first: unknown = null;
  let inARow = 0;
  return {
    async during(work: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
      try {
        await work();
        inARow = 0;
        return true;
      } catch (error) {
        first ??= error;
        if (!(error instanceof ItemUnreadable)) inARow += 1;
        if (endsLook(error, signal) || inARow >= MOST_FAILURES) throw error;
        return false;
      }
    },
    first: () => first,
  };
};

type Failures = ReturnType<typeof failures>;

/** Takes what has come to a source: each item becomes a run once, or is listed with why not. */
export const sourceIntake = ({ queue, uploads, spool, ids, limits, now = () => performance.now() }: Dependencies) => {
  const { maxUploadBytes, runDeadlineSeconds, sourceMaxRuns } = limits;

  /** Why an item is not read, as far as that is known before. */
  const whyNotOf = ({ from }: LeasedSource, item: SourceItem): string | null => {
    if (!isWanted(from, item.from)) return whyNots.sender;
    return item.whyNot ?? ((item.sizeBytes ?? 0) > maxUploadBytes ? whyNots.large : null);
  };

  const pass = (
    { source }: Looked,
    item: SourceItem,
    whyNot: string,
    read: SetAside | null,
    runId: string | null = null,
  ) => {
    const { ref, name, sizeBytes } = item;
    const digest = read?.digest ?? null;
    const known = { ref, key: item.keyOf(digest), name, sizeBytes: read?.byteLength ?? sizeBytes, digest };
    return queue.pass(source, known, whyNot, runId);
  };

  /** What was erased, or was kept long enough, comes once more: nothing is kept of what it is called. */
  const passRemoved = ({ source }: Looked, { ref }: SourceItem, { digest, byteLength }: SetAside) => {
    const known = { ref, key: '', name: 'erased', sizeBytes: byteLength, digest };
    return queue.pass(source, known, whyNots.taken, null);
  };

  const settle = async ({ source, opened, signal }: Looked, ref: string) => {
    if (source.after.act !== 'keep') await opened.settle(ref, signal);
    await queue.settled(source, ref);
  };

  const start = async ({ source }: Looked, item: SourceItem, { digest, byteLength }: SetAside, file: RunFile) => {
    const { ref, name, from, subject } = item;
    const { id: _, workspaceId, agentId, userId } = source;
    const key = item.keyOf(digest);
    const run = {
      id: ids.next(),
      workspaceId,
      agentId,
      agentVersion: null,
      userId,
      origin: 'api' as const,
      files: [file],
      processTogether: false,
      userMessage: null,
      units: unitsOf(1, false),
      traceId: ids.traceId(),
      deadlineSeconds: runDeadlineSeconds,
      source: { name: source.name, key, from, subject },
    };
    const taken = await queue.take(source, { ref, key, name, sizeBytes: byteLength, digest }, run);
    if (taken === 'no agent') throw new DomainError('unavailable', 'The agent of this source is not there any more.');
    return taken === 'taken';
  };

  /**
   * How many runs the source may start. Once it has waited for room it waits until half of it is free, so that it is not listed anew for each
   * run that ends.
   */
  const roomOf = async ({ id, isWaiting }: LeasedSource) => {
    const open = await queue.openRuns(id, sourceMaxRuns);
    return isWaiting && open > sourceMaxRuns / 2 ? 0 : sourceMaxRuns - open;
  };

  /** Those that no look has recorded. */
  const newOf = async (source: LeasedSource, items: readonly SourceItem[]) => {
    if (items.length === 0) return [];
    const refs = items.map(({ ref }) => ref);
    const unknown = await queue.unknown(source.id, refs);
    return items.filter(({ ref }) => unknown.has(ref));
  };

  const receive = async (looked: Looked, item: SourceItem, content: SetAside) => {
    const { source, signal } = looked;
    if (content.byteLength === 0) return pass(looked, item, whyNots.empty, content);
    const before = await queue.takenAs(source.id, content.digest);
    if (before?.runId === null) return passRemoved(looked, item, content);
    if (before !== null) return pass(looked, item, whyNots.taken, content, before.runId);
    signal.throwIfAborted();
    const file = await uploads.receive(source, { fileName: item.name, contentType: item.contentType }, content);
    if (await start(looked, item, content, file)) await settle(looked, item.ref);
  };

  const take = async (looked: Looked, item: SourceItem) => {
    looked.signal.throwIfAborted();
    if (item.unreadable) throw item.unreadable;
    const whyNot = whyNotOf(looked.source, item);
    if (whyNot !== null) return pass(looked, item, whyNot, null);
    const content = await spool.setAside(item.read(looked.signal), maxUploadBytes).catch((error: unknown) => {
      if (error instanceof ItemGone || error instanceof NotTaken) return error;
      throw error;
    });
    if (content instanceof ItemGone) return;
    if (content instanceof NotTaken) return pass(looked, item, content.whyNot, null);
    if (content === null) return pass(looked, item, whyNots.large, null);
    await receive(looked, item, content).finally(content.dispose);
  };

  /** What an earlier process took and did not settle. */
  const settleAll = async (looked: Looked, failed: Failures) => {
    for (const ref of await queue.unsettled(looked.source.id, SETTLED_AT_ONCE))
      await failed.during(() => settle(looked, ref), looked.signal);
  };

  /** `left`: what the look may still do. */
  const takeSome = async (
    looked: Looked,
    items: readonly SourceItem[],
    left: { room: number; readonly until: number },
    failed: Failures,
  ): Promise<LookEnd['end']> => {
    const { source, signal } = looked;
    for (const item of await newOf(source, items)) {
      if (left.room === 0) left.room = await roomOf(source);
      if (left.room === 0) return 'full';
      if (now() > left.until) return 'cut';
      // As if each became a run: when none is left, they are counted.
      left.room -= 1;
      await failed.during(() => take(looked, item), signal);
    }
    return 'whole';
  };

  /** From the cursor on; where the next look begins. */
  const takeNew = async (looked: Looked, failed: Failures): Promise<LookEnd['end']> => {
    const { source, opened, signal } = looked;
    const room = await roomOf(source);
    if (room === 0) return 'full';
    let left: { room: number; readonly until: number } | null = null;
    for await (const { items, cursor } of opened.pages(source.cursor, signal)) {
      left ??= { room, until: now() + LOOK_MS };
      const end = await takeSome(looked, items, left, failed).catch(async (error: unknown) => {
        // What keeps failing does not hide what lies behind it.
        if (opened.comesRound && !endsLook(error, signal)) await queue.advance(source, cursor);
        throw error;
      });
      if (end !== 'whole') return end;
      if (failed.first() === null || opened.comesRound) await queue.advance(source, cursor);
      if (now() > left.until) return 'cut';
    }
    return 'whole';
  };

  return async (looked: Looked): Promise<LookEnd> => {
    const settling = failures();
    const taking = failures();
    await settleAll(looked, settling);
    const end = await takeNew(looked, taking);
    return { end, failure: settling.first() ?? taking.first() };
  };
};

export type SourceIntake = ReturnType<typeof sourceIntake>;
