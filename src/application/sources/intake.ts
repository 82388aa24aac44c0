import { DomainError } from '../../domain/errors.ts';
import { type RunFile, unitsOf } from '../../domain/run.ts';
import { isWanted, whyNots } from '../../domain/source.ts';
import { LeaseLost } from '../ports/leases.ts';
import type { Ids } from '../ports/runtime.ts';
import {
  ItemGone,
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
  readonly limits: { readonly maxUploadBytes: number; readonly runDeadlineSeconds: number };
}

/** A source under a look, by the user in whose name its runs are. */
interface Looked {
  readonly source: LeasedSource & { readonly userId: string };
  readonly opened: OpenSource;
  readonly signal: AbortSignal;
}

const SETTLED_AT_ONCE = 1000;
/** So many items that fail one after the other are taken for a failure of the source. */
const MOST_FAILURES = 3;

/** What ends a look at once: nothing that comes after it could be recorded, or become a run. */
const endsLook = (error: unknown, signal: AbortSignal) =>
  signal.aborted ||
  error instanceof LeaseLost ||
  (error instanceof DomainError && ['budget_exhausted', 'upload_quota_exceeded'].includes(error.code));

/** Failures of single items, which leave the others alone: the look fails with the first of them at its end. */
const failures = () => {
  let first: unknown;
  let inARow = 0;
  return {
    async during(work: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
      try {
        await work();
        inARow = 0;
        return true;
      } catch (error) {
        first ??= error;
        inARow += 1;
        if (endsLook(error, signal) || inARow >= MOST_FAILURES) throw error;
        return false;
      }
    },
    end(): void {
      if (first !== undefined) throw first;
    },
  };
};

/** Takes what has come to a source: each item becomes a run once, or is listed with why not. */
export const sourceIntake = ({ queue, uploads, spool, ids, limits }: Dependencies) => {
  const { maxUploadBytes, runDeadlineSeconds } = limits;

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

  const receive = async (looked: Looked, item: SourceItem, content: SetAside) => {
    const { source, signal } = looked;
    if (content.byteLength === 0) return pass(looked, item, whyNots.empty, content);
    const before = await queue.takenAs(source.id, content.digest);
    if (before !== null) return pass(looked, item, whyNots.taken, content, before);
    signal.throwIfAborted();
    const file = await uploads.receive(source, { fileName: item.name, contentType: item.contentType }, content);
    if (await start(looked, item, content, file)) await settle(looked, item.ref);
  };

  const take = async (looked: Looked, item: SourceItem) => {
    looked.signal.throwIfAborted();
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

  /** One look, from the cursor on; where the next one begins. What an earlier process took and did not settle, it settles first. */
  return async (looked: Looked): Promise<void> => {
    const { source, opened, signal } = looked;
    const failed = failures();
    for (const ref of await queue.unsettled(source.id, SETTLED_AT_ONCE))
      await failed.during(() => settle(looked, ref), signal);
    let isWhole = true;
    for await (const { items, cursor } of opened.pages(source.cursor, signal)) {
      const unknown =
        items.length === 0
          ? new Set()
          : await queue.unknown(
              source.id,
              items.map(({ ref }) => ref),
            );
      for (const item of items.filter(({ ref }) => unknown.has(ref)))
        isWhole = (await failed.during(() => take(looked, item), signal)) && isWhole;
      if (isWhole) await queue.advance(source, cursor);
    }
    failed.end();
  };
};

export type SourceIntake = ReturnType<typeof sourceIntake>;
