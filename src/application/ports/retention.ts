import type { RemovedCounts, RetainedKind, Retention } from '../../domain/retention.ts';

export interface RetentionRule {
  readonly workspaceId: string;
  readonly workspace: string;
  readonly retention: Retention;
}

/** Documents in the trash are walked through on their own. */
export type WalkedKind = RetainedKind | 'trash';

/** How far a walk has come, from the oldest on. */
export interface Walked {
  readonly at: Date;
  readonly id: string;
}

interface RemovedBatch {
  readonly removed: number;
  /** Keys of objects that no run can take any more: they go now, and once more after a while. */
  readonly objects: readonly string[];
  /** Where the walk goes on; null at its end. */
  readonly next: Walked | null;
}

export interface RetentionStore {
  /** By the name of the workspace. */
  rules(): Promise<readonly RetentionRule[]>;
  /** Whether it is this process's turn: of all processes one has it, once a minute. */
  takeTurn(): Promise<boolean>;
  /** All that was kept no longer is removed. */
  endTurn(): Promise<void>;
  /** Removes what is too old among the next few of a kind. What is not at rest, waits for a decision or is held stays. */
  remove(kind: WalkedKind, rule: RetentionRule, after: Walked | null): Promise<RemovedBatch>;
  /** What would be removed now. */
  count(rule: RetentionRule): Promise<RemovedCounts>;
}
