import type { Doer } from '../../domain/audit.ts';
import type { Erasure, ErasureStore, StoreReceipt } from '../../domain/erasure.ts';
import type { CursorPage, Position, Viewer } from './storage.ts';

export interface NewErasure extends Pick<Erasure, 'id' | 'subject' | 'reason'> {
  readonly by: Doer;
}

/** What a step removed and kept. */
export type StepCounts = Readonly<Partial<Record<ErasureStore, Partial<Pick<StoreReceipt, 'removed' | 'kept'>>>>>;

export interface StoredAnswer {
  readonly id: string;
  /** Sealed. */
  readonly answer: string;
}

export interface ErasureRepository {
  /**
   * Removes the subject, and all that was read from the same files, in one transaction. null if the viewer sees no such thing. Refuses what
   * is held, and what is not at rest.
   */
  begin(viewer: Viewer, erasure: NewErasure): Promise<Erasure | null>;
  /** Does an erasure of the ledger again, whatever state things are in; what is there of it no more is no error. */
  repeat(erasure: Erasure): Promise<Erasure>;
  /** Takes those that are not complete and that no process is at: no other gets them for a minute. */
  due(): Promise<readonly Erasure[]>;
  /** Removes what else names it, and counts it: events, deliveries, calls of programs, and turns of other conversations that have read it. */
  removeTraces(erasure: Pick<Erasure, 'id' | 'workspaceId' | 'targets'>): Promise<void>;
  /** Answers to requests with an `Idempotency-Key`, some at a time, in the order of their ids. */
  answers(after: string | null): Promise<readonly StoredAnswer[]>;
  /** Removes these answers and adds their number to the receipt of the erasure. A client that repeats one of the requests gets `outcome_unknown`. */
  forgetAnswers(id: string, answers: readonly string[]): Promise<void>;
  /** With what the last step removed and kept. */
  complete(id: string, counts: StepCounts): Promise<Erasure>;
  /** Newest first. */
  list(
    workspaceId: string,
    page: CursorPage<Position>,
  ): Promise<{ readonly erasures: readonly Erasure[]; readonly next: Position | null }>;
  /** Which of these the database does not have. */
  missing(ids: readonly string[]): Promise<readonly string[]>;
}

/** Erasures as the file store keeps them, so that a database from a backup can be told of them. */
export interface ErasureLedger {
  write(id: string, text: string): Promise<void>;
  ids(): Promise<readonly string[]>;
  read(id: string): Promise<string | null>;
}
