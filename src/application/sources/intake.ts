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

type Services = Required<Dependencies>;

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
class Failures {
  first: unknown = null;
  #inARow = 0;

  async during(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await work();
      this.#inARow = 0;
    } catch (error) {
      this.first ??= error;
      if (!(error instanceof ItemUnreadable)) this.#inARow += 1;
      if (endsLook(error, signal) || this.#inARow >= MOST_FAILURES) throw error;
    }
  }
}

/** A source under a look, by the user in whose name its runs are. */
interface Looked {
  readonly source: LeasedSource & { readonly userId: string };
  readonly opened: OpenSource;
  readonly signal: AbortSignal;
}

/** One look at a source. */
class Look {
  readonly #services: Services;
  readonly #source: Looked['source'];
  readonly #opened: OpenSource;
  readonly #signal: AbortSignal;
  readonly #settling = new Failures();
  readonly #taking = new Failures();
  /** How many items the look may still take before the runs are counted again. */
  #room = 0;

  constructor(services: Services, { source, opened, signal }: Looked) {
    this.#services = services;
    this.#source = source;
    this.#opened = opened;
    this.#signal = signal;
  }

  async take(): Promise<LookEnd> {
    await this.#settleAll();
    const end = await this.#takeNew();
    return { end, failure: this.#settling.first ?? this.#taking.first };
  }

  /** What an earlier process took and did not settle. */
  async #settleAll() {
    for (const ref of await this.#services.queue.unsettled(this.#source.id, SETTLED_AT_ONCE))
      await this.#settling.during(() => this.#settle(ref), this.#signal);
  }

  async #settle(ref: string) {
    if (this.#source.after.act !== 'keep') await this.#opened.settle(ref, this.#signal);
    await this.#services.queue.settled(this.#source, ref);
  }

  /** From the cursor on; where the next look begins. */
  async #takeNew(): Promise<LookEnd['end']> {
    const { queue, now } = this.#services;
    const { comesRound } = this.#opened;
    this.#room = await this.#countRoom();
    if (this.#room === 0) return 'full';
    let until: number | null = null;
    for await (const { items, cursor } of this.#opened.pages(this.#source.cursor, this.#signal)) {
      until ??= now() + LOOK_MS;
      const end = await this.#takeSome(items, until).catch(async (error: unknown) => {
        // What keeps failing does not hide what lies behind it.
        if (comesRound && !endsLook(error, this.#signal)) await queue.advance(this.#source, cursor);
        throw error;
      });
      if (end !== 'whole') return end;
      if (this.#taking.first === null || comesRound) await queue.advance(this.#source, cursor);
      if (now() > until) return 'cut';
    }
    return 'whole';
  }

  async #takeSome(items: readonly SourceItem[], until: number): Promise<LookEnd['end']> {
    for (const item of await this.#newOf(items)) {
      if (this.#room === 0) this.#room = await this.#countRoom();
      if (this.#room === 0) return 'full';
      if (this.#services.now() > until) return 'cut';
      // As if each became a run: when none is left, they are counted.
      this.#room -= 1;
      await this.#taking.during(() => this.#takeOne(item), this.#signal);
    }
    return 'whole';
  }

  /**
   * How many runs the source may start. Once it has waited for room it waits until half of it is free, so that it is not listed anew for each
   * run that ends.
   */
  async #countRoom() {
    const { id, isWaiting } = this.#source;
    const { sourceMaxRuns } = this.#services.limits;
    const open = await this.#services.queue.openRuns(id, sourceMaxRuns);
    return isWaiting && open > sourceMaxRuns / 2 ? 0 : sourceMaxRuns - open;
  }

  /** Those that no look has recorded. */
  async #newOf(items: readonly SourceItem[]) {
    if (items.length === 0) return [];
    const refs = items.map(({ ref }) => ref);
    const unknown = await this.#services.queue.unknown(this.#source.id, refs);
    return items.filter(({ ref }) => unknown.has(ref));
  }

  async #takeOne(item: SourceItem) {
    this.#signal.throwIfAborted();
    if (item.unreadable) throw item.unreadable;
    const whyNot = this.#whyNotOf(item);
    if (whyNot !== null) return this.#pass(item, whyNot, null);
    const { spool, limits } = this.#services;
    const content = await spool.setAside(item.read(this.#signal), limits.maxUploadBytes).catch((error: unknown) => {
      if (error instanceof ItemGone || error instanceof NotTaken) return error;
      throw error;
    });
    if (content instanceof ItemGone) return;
    if (content instanceof NotTaken) return this.#pass(item, content.whyNot, null);
    if (content === null) return this.#pass(item, whyNots.large, null);
    await this.#receive(item, content).finally(content.dispose);
  }

  /** Why an item is not read, as far as that is known before. */
  #whyNotOf(item: SourceItem): string | null {
    if (!isWanted(this.#source.from, item.from)) return whyNots.sender;
    return item.whyNot ?? ((item.sizeBytes ?? 0) > this.#services.limits.maxUploadBytes ? whyNots.large : null);
  }

  async #receive(item: SourceItem, content: SetAside) {
    if (content.byteLength === 0) return this.#pass(item, whyNots.empty, content);
    const { queue, uploads } = this.#services;
    const before = await queue.takenAs(this.#source.id, content.digest);
    if (before?.runId === null) return this.#passRemoved(item, content);
    if (before !== null) return this.#pass(item, whyNots.taken, content, before.runId);
    this.#signal.throwIfAborted();
    const { name: fileName, contentType } = item;
    const file = await uploads.receive(this.#source, { fileName, contentType }, content);
    if (await this.#start(item, content, file)) await this.#settle(item.ref);
  }

  async #start(item: SourceItem, { digest, byteLength }: SetAside, file: RunFile) {
    const { queue, ids, limits } = this.#services;
    const { ref, name, from, subject } = item;
    const { workspaceId, agentId, userId } = this.#source;
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
      deadlineSeconds: limits.runDeadlineSeconds,
      source: { name: this.#source.name, key, from, subject },
    };
    const taken = await queue.take(this.#source, { ref, key, name, sizeBytes: byteLength, digest }, run);
    if (taken === 'no agent') throw new DomainError('unavailable', 'The agent of this source is not there any more.');
    return taken === 'taken';
  }

  #pass(item: SourceItem, whyNot: string, content: SetAside | null, runId: string | null = null) {
    const { ref, name, sizeBytes } = item;
    const digest = content?.digest ?? null;
    const known = { ref, key: item.keyOf(digest), name, sizeBytes: content?.byteLength ?? sizeBytes, digest };
    return this.#services.queue.pass(this.#source, known, whyNot, runId);
  }

  /** An item that was erased, or that retention removed, came once more: its name is not kept. */
  #passRemoved({ ref }: SourceItem, { digest, byteLength }: SetAside) {
    const known = { ref, key: '', name: 'erased', sizeBytes: byteLength, digest };
    return this.#services.queue.pass(this.#source, known, whyNots.taken, null);
  }
}

/** Takes what has come to a source: each item becomes a run once, or is listed with why not. */
export const sourceIntake =
  ({ now = () => performance.now(), ...services }: Dependencies) =>
  (looked: Looked): Promise<LookEnd> =>
    new Look({ ...services, now }, looked).take();

export type SourceIntake = ReturnType<typeof sourceIntake>;
