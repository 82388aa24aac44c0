export const erasureStores = ['database', 'files', 'events', 'webhooks', 'system_of_record', 'audit'] as const;
export type ErasureStore = (typeof erasureStores)[number];

/** What became of it in one store: how much went and stayed, and why it stayed. */
export interface StoreReceipt {
  readonly store: ErasureStore;
  readonly removed: number;
  readonly kept: number;
  readonly why: string | null;
}

export interface ErasureSubject {
  readonly type: 'document' | 'run' | 'thread';
  readonly id: string;
}

/** Everything that goes along, by ids and keys. */
export interface ErasureTargets {
  readonly documents: readonly string[];
  readonly conversations: readonly string[];
  /** Runs that go as a whole. */
  readonly runs: readonly string[];
  /** Units of runs that stay, because other documents of them do. */
  readonly units: readonly { readonly runId: string; readonly index: number }[];
  /** Of objects in the file store. */
  readonly keys: readonly string[];
}

export interface Erasure {
  readonly id: string;
  readonly workspaceId: string;
  readonly subject: ErasureSubject;
  readonly reason: string;
  /** The user who asked for it. */
  readonly requestedBy: string | null;
  readonly requestedAt: Date;
  readonly completedAt: Date | null;
  readonly stores: readonly StoreReceipt[];
  readonly targets: ErasureTargets;
}

const whyKept: Readonly<Record<ErasureStore, string>> = {
  database: '',
  files: 'The file store did not let Portico see or remove older versions of these files: a rule of the bucket has to.',
  events: '',
  webhooks: 'These events were delivered before: what receivers have is theirs to remove.',
  system_of_record: 'Rows in a system of record are for those to remove whose system it is.',
  audit: 'The audit log has names and ids of what was done, and no content. It is kept.',
};

const nothing = (store: ErasureStore): StoreReceipt => ({ store, removed: 0, kept: 0, why: null });

type Counts = Pick<StoreReceipt, 'removed' | 'kept'>;

/** The receipts with what a step came to. A step that is done once more adds what it found then. */
export const withCounts = (
  stores: readonly StoreReceipt[],
  counts: Readonly<Partial<Record<ErasureStore, Partial<Counts>>>>,
): readonly StoreReceipt[] =>
  erasureStores.map((store) => {
    const before = stores.find((each) => each.store === store) ?? nothing(store);
    const { removed = 0, kept = 0 } = counts[store] ?? {};
    const sum = { removed: before.removed + removed, kept: Math.max(before.kept, kept) };
    return { store, ...sum, why: sum.kept > 0 ? whyKept[store] : null };
  });
