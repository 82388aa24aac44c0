import type { Agent } from '../../domain/agent.ts';
import type { Approval } from '../../domain/approval.ts';
import type { Message } from '../../domain/conversation.ts';
import type { Document, DocumentStatus } from '../../domain/document.ts';
import type { Step } from '../../domain/event.ts';
import type { Pages, Part, SplitFile } from '../../domain/routing/part.ts';
import type { Run, RunStatus, RunUnit, StatusReason, Usage } from '../../domain/run.ts';
import type { Limited, Reservation, StepBound } from './budgets.ts';
import type { DividedFile, PlacedPart } from './run-parts.ts';

/** A person changed the parts of the run before this unit was begun: its part is gone. */
export class PartGone extends Error {}

/** A person changed the parts of the run after it was looked up which pages are in none of them. */
export class PartsChanged extends Error {}

/** The right to work on a run: everything a worker writes carries it, and is refused once it is no longer the newest or its lease is over. */
export interface RunLease {
  readonly runId: string;
  readonly attempt: number;
}

/** A leased run with what is needed to go on from where it stopped. */
export interface Work {
  readonly lease: RunLease;
  readonly run: Run;
  readonly agent: Agent;
  readonly units: readonly RunUnit[];
  /** The database's remaining time until the deadline, in milliseconds. */
  readonly remainingMs: number;
  /** Whether the run is given up should this worker be lost with it; handing it back does not count as an attempt. */
  readonly isLastAttempt: boolean;
}

/** What a unit makes of its document, and what was found of it. */
export interface FinishedDocument
  extends Pick<
    Document,
    | 'evidence'
    | 'coverage'
    | 'einvoice'
    | 'contradictions'
    | 'checks'
    | 'duplicateKey'
    | 'reviewStatus'
    | 'reviewReasons'
  > {
  readonly data: NonNullable<Document['documentData']>;
  /** SHA-256 of each of its files. */
  readonly fileHashes: readonly string[];
  /** How many of the pages that were read OCR has read. */
  readonly pagesOcr: number;
}

export type UnitOutcome =
  | { readonly status: 'completed'; readonly document: FinishedDocument | null }
  /** `code` is for machines (`model_error`, `unreadable_file`, …). */
  | { readonly status: 'failed'; readonly error: string; readonly code: string };

/** What a unit makes of the files that it divides. */
export interface Division {
  readonly files: readonly DividedFile[];
  readonly parts: readonly (Part & PlacedPart)[];
}

/** A run whose files are divided. */
export interface Routed {
  /** The units that read its parts. */
  readonly units: readonly RunUnit[];
  /** All files and parts of the run; of one that reads some parts again, those of the run that has them. */
  readonly files: readonly SplitFile[];
  readonly parts: readonly Pages[];
  /** How often a person has changed the parts. */
  readonly revision: number;
}

/** A call that a person is asked to approve. */
export interface ApprovalRequest
  extends Pick<Approval, 'id' | 'tool' | 'approver' | 'arguments' | 'argumentsDigest' | 'rehearsal'> {
  readonly toolCallId: string;
}

/** Which workspaces runs are leased from, and in what order: those after `after`, as if they stood in a circle. */
export interface Rotation {
  /** The workspace of the last run that was leased; null before the first. */
  readonly after: string | null;
  /** Workspaces that are left out. */
  readonly except: readonly string[];
}

/** The runs table seen as a queue. Times are the database's; every write under a lease rejects with LeaseLost when it is not held. */
export interface RunQueue {
  /**
   * Leases up to `most` runs in one statement that never waits for another worker: abandoned ones (lease over) first, oldest
   * first; then one queued run of each workspace in turn, round after round; within a workspace one of each user in turn, oldest first.
   */
  lease(worker: string, most: number, leaseSeconds: number, rotation?: Rotation): Promise<readonly Work[]>;
  /** Extends the leases; answers the run ids whose leases are still held. */
  renew(leases: readonly RunLease[], leaseSeconds: number): Promise<ReadonlySet<string>>;
  /** Hands a run back at once, without counting the attempt against it. */
  release(lease: RunLease): Promise<void>;
  /** Marks the unit running, which is a step of it, and stores its conversation (and, for `documentName`, its document), once: a second call answers what is there. Rejects with PartGone. */
  beginUnit(
    lease: RunLease,
    unit: { index: number; conversationId: string; documentId: string; documentName: string | null },
  ): Promise<
    Limited & {
      readonly conversationId: string;
      readonly documentId: string | null;
      readonly messages: readonly Message[];
    }
  >;
  /** Appends messages in order, adds up the usage and logs the steps, together. What was reserved for the conversation is free again. */
  append(
    lease: RunLease,
    conversationId: string,
    messages: readonly Message[],
    usage: Usage,
    steps?: readonly Step[],
  ): Promise<Limited>;
  /** Reserves what the next step of the conversation may cost at most, in place of what is reserved for it. What a worker leaves behind that is lost counts as spent. */
  reserve(lease: RunLease, conversationId: string, bound: StepBound): Promise<Reservation>;
  /** Records that these calls of tools, which have side effects, are about to be made: after a crash their outcome is unknown. */
  intend(lease: RunLease, conversationId: string, toolCallIds: readonly string[]): Promise<void>;
  /** What is kept of a call that needs approval; null for nothing. */
  approvalOf(conversationId: string, toolCallId: string): Promise<Approval | null>;
  /** Keeps a call until a person has decided, for so many hours at most; of a call that is kept already, what is kept. */
  requestApproval(lease: RunLease, conversationId: string, request: ApprovalRequest, hours: number): Promise<Approval>;
  /**
   * Leaves a run that can only wait for these approvals: no worker leases it, and its deadline stands still, until one of them is decided. It
   * is handed back at once if one is decided already.
   */
  park(lease: RunLease, approvalIds: readonly string[]): Promise<void>;
  /**
   * Ends the unit and its document together; its conversation is idle afterwards. `partsRevision`: what is found of the document is so by these
   * parts of the run. Rejects with PartsChanged, and ends nothing, if they are others by now.
   */
  finishUnit(
    lease: RunLease,
    index: number,
    outcome: UnitOutcome,
    steps?: readonly Step[],
    partsRevision?: number | null,
  ): Promise<void>;
  /** Ends a unit that divides files: what came of it is stored with the units that read the parts. No two units of a run at the same time. */
  divide(lease: RunLease, index: number, division: Division, steps?: readonly Step[]): Promise<void>;
  routed(lease: RunLease): Promise<Routed>;
  /** Ends the run. */
  finish(
    lease: RunLease,
    end: { event: 'complete' } | { event: 'fail'; reason: StatusReason; error: string },
  ): Promise<void>;
  /** Fails runs past their deadline or out of attempts; how many. */
  sweep(): Promise<number>;
}

export interface RunChange {
  readonly runId: string;
  readonly status: RunStatus;
}

/** Changes as they are committed, from every process; the end of a unit notifies of `running` again, and `queued` may come after `running`. Missed ones are possible while a connection is renewed: `gap` is called then. */
export interface RunChanges {
  subscribe(listener: { change(change: RunChange): void; gap(): void }): () => void;
}

/** Changes of a document as they are committed, from every process; if some may have been missed, the current status is notified of. */
export interface DocumentChanges {
  subscribe(documentId: string, change: (status: DocumentStatus) => void): () => void;
}
