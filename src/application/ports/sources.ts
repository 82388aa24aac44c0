import { DomainError } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { RunSource, Source, SourceAfter, SourcePlace, SourceState } from '../../domain/source.ts';
import type { NewRun, Viewer } from './storage.ts';

/** What lies in a source: a mail, a file, an object. */
export interface SourceItem {
  /**
   * By what it is known before it is read, and found again by `settle`: account, mailbox, UIDVALIDITY and UID; key and version; path, size and
   * times. A file that changes is another item.
   */
  readonly ref: string;
  /** The key by which it is listed; `digest` is null of what was not read. */
  keyOf(digest: string | null): string;
  /** The name of the file that its run has. */
  readonly name: string;
  readonly contentType: string;
  /** null: not known before it is read. */
  readonly sizeBytes: number | null;
  /** The only address of the only `From` header of a mail; null: there is none, or several. */
  readonly from: string | null;
  readonly subject: string | null;
  /** Why it becomes no run, as far as that is known without reading it. */
  readonly whyNot: string | null;
  /** Nothing else is known of it but that it cannot be read at the moment. */
  readonly unreadable?: ItemUnreadable;
  /** Its bytes, a chunk at a time. Throws `ItemGone` if it is not there any more, or is changing; `NotTaken` if they show why it becomes no run. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** It is not there any more, or has become another one: a later look finds what there is then. */
export class ItemGone extends Error {
  constructor() {
    super('the item is gone or has changed');
    this.name = 'ItemGone';
  }
}

/** It becomes no run, as was seen when it was read. */
export class NotTaken extends Error {
  readonly whyNot: string;

  constructor(whyNot: string) {
    super(whyNot);
    this.name = 'NotTaken';
    this.whyNot = whyNot;
  }
}

/** It cannot be read, which says nothing about others. It is tried again at each look. */
export class ItemUnreadable extends DomainError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause });
    this.name = 'ItemUnreadable';
  }
}

/** Some of what there is. Everything up to here was seen once its items are recorded: `cursor` is stored then. */
export interface SourcePage {
  /** Those that have been recorded before may be among them. */
  readonly items: readonly SourceItem[];
  readonly cursor: JsonValue;
}

/** A source under a look, with its session if it needs one. */
export interface OpenSource {
  /** Whether looks come round again to what was not recorded: then the cursor goes on behind a failure too. */
  readonly comesRound?: boolean;
  /** What there is behind the cursor (null: from the beginning), a page at a time. What nobody has finished writing yet is left out. */
  pages(cursor: JsonValue | null, signal: AbortSignal): AsyncIterable<SourcePage>;
  /** Does to the item what the source's `after` says, except `keep`. Done again after a crash: what is done or gone already is well. */
  settle(ref: string, signal: AbortSignal): Promise<void>;
  /** Resolves when something may have come, or after so many seconds: of sources that can tell. Others are opened again for each look. */
  news?(seconds: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Keeps the refresh token that a provider gave at the last use in place of the one before (RFC 6749 section 6). */
export interface KeptToken {
  /** What stands in for the token that is in the place: the token itself if it was never renewed. */
  latest(given: string): string;
  keep(given: string, latest: string): Promise<void>;
}

/** A place to look at, in the clear. */
export interface OpeningTerms {
  readonly place: SourcePlace;
  readonly after: SourceAfter;
  readonly token: KeptToken;
}

/** The sources that this server can open. */
export interface Sources {
  /** Why the operator of this server does not allow the place, or why it cannot be one; null if it may be used. */
  defect(place: SourcePlace): Promise<string | null>;
  /** Throws, in words for people, if it cannot be reached or is not allowed. */
  open(terms: OpeningTerms, signal: AbortSignal): Promise<OpenSource>;
}

/** Bytes that are set aside on this machine until they are stored; nothing of them stays if the process ends. */
export interface SetAside {
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
  readonly byteLength: number;
  read(): AsyncIterable<Uint8Array>;
  dispose(): Promise<void>;
}

export interface Spool {
  /** Reads at most so many bytes; null if there are more. */
  setAside(chunks: AsyncIterable<Uint8Array>, mostBytes: number): Promise<SetAside | null>;
}

/** The right to look at a source until the lease is over. */
export interface SourceLease {
  readonly id: string;
  readonly fence: number;
}

export interface LeasedSource extends SourceLease, Omit<Source, 'createdAt' | 'updatedAt'> {
  /** See `keptToken`; null if none was renewed. */
  readonly sealedToken: string | null;
  readonly cursor: JsonValue | null;
  /** Looks that failed since the last one that did not. */
  readonly failures: number;
  /** Whether the last look ended because too many of its runs had not. */
  readonly isWaiting: boolean;
  /** In whose name its runs are: the first administrator, else member, who sees the agent; null if nobody does. */
  readonly userId: string | null;
}

/** What is recorded of an item. */
export interface Intake {
  readonly ref: string;
  /** Empty of an item whose run is removed: its words are not kept, those of its reference neither. */
  readonly key: string;
  readonly name: string;
  readonly sizeBytes: number | null;
  readonly digest: string | null;
}

export interface ShownIntake extends Omit<Intake, 'ref'> {
  /** Its place in the list: later ones have greater places. */
  readonly place: number;
  readonly receivedAt: Date;
  readonly runId: string | null;
  readonly whyNot: string | null;
}

export type Taken = 'taken' | 'known' | 'no agent';

/** The looks that are due and what they found; times are the database's. What a lease that is over would write is refused with `LeaseLost`. */
export interface SourceQueue {
  /** Sources that are due and that no process looks at, the longest due first. */
  lease(most: number, leaseSeconds: number): Promise<readonly LeasedSource[]>;
  /** The ids of those that are still held. */
  renew(leases: readonly SourceLease[], leaseSeconds: number): Promise<ReadonlySet<string>>;
  /** How many of its runs have not ended, counted up to the most. */
  openRuns(sourceId: string, most: number): Promise<number>;
  /** Which of these have not been recorded. */
  unknown(sourceId: string, refs: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether a run took these bytes from this source, and which; its `runId` is null once it is removed. */
  takenAs(sourceId: string, digest: string): Promise<{ readonly runId: string | null } | null>;
  /** The item and its run, both or neither: `known` if the item, or one of the same bytes, was recorded meanwhile. */
  take(
    lease: SourceLease,
    item: Intake & { readonly digest: string },
    run: NewRun & { readonly source: RunSource },
  ): Promise<Taken>;
  /** Records what became no run. */
  pass(lease: SourceLease, item: Intake, whyNot: string, runId: string | null): Promise<void>;
  /** Items whose runs are stored, and that are not settled yet, the earliest first. */
  unsettled(sourceId: string, most: number): Promise<readonly string[]>;
  settled(lease: SourceLease, ref: string): Promise<void>;
  /** Whoever used the token last has the newest, with or without a lease. */
  keepToken(sourceId: string, sealedToken: string): Promise<void>;
  advance(lease: SourceLease, cursor: JsonValue): Promise<void>;
  /** How far it was seen, and in whose name its runs are by now. */
  present(sourceId: string): Promise<Pick<LeasedSource, 'cursor' | 'userId'>>;
  /** Notes how a look ended. The lease ends with it, unless the source is still watched. */
  looked(
    lease: SourceLease,
    outcome: {
      readonly error: string | null;
      readonly isWaiting: boolean;
      readonly nextSeconds: number;
      readonly isWatched: boolean;
    },
  ): Promise<void>;
  /** Hands it back at once, for another worker to look at. */
  release(lease: SourceLease): Promise<void>;
}

/** Notifies that a source is to be looked at now; null: perhaps any. A missed one costs a poll. */
export interface SourceWakeups {
  subscribe(wake: (sourceId: string | null) => void): () => void;
}

export interface ShownSource extends Pick<Source, 'id' | 'name' | 'type' | 'address'> {
  /** The name of its agent. */
  readonly agent: string;
  readonly state: SourceState;
  readonly lastCheckedAt: Date | null;
  readonly error: string | null;
}

export interface SourceStates {
  readonly well: number;
  readonly waiting: number;
  readonly failing: number;
  readonly lateSeconds: number;
}

export interface SourceRepository {
  /** Those whose agents the user sees, by name. */
  listVisible(viewer: Viewer): Promise<readonly ShownSource[]>;
  findVisible(viewer: Viewer, name: string): Promise<ShownSource | null>;
  /** Newest first, those at places below `after`. */
  intake(sourceId: string, limit: number, after: number | null): Promise<readonly ShownIntake[]>;
  /** Has it looked at now. */
  check(sourceId: string): Promise<void>;
  /** How many of all workspaces are well, wait for the end of their runs, and failed at their last look; for how long the one that is due longest waits for a look. */
  states(): Promise<SourceStates>;
  /** For the operator: of every workspace. */
  all(): Promise<
    readonly (Pick<Source, 'id' | 'name' | 'type' | 'sealedPlace' | 'after' | 'address'> &
      Pick<LeasedSource, 'sealedToken'> & { readonly workspace: string })[]
  >;
}
