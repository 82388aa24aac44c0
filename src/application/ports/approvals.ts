import type { Approval, ApprovalStatus } from '../../domain/approval.ts';
import type { Reviewer } from '../../domain/review.ts';
import type { CursorPage, Position, Viewer } from './storage.ts';

/** null: any. */
export interface ApprovalFilter {
  readonly status: ApprovalStatus | null;
  readonly agentId: string | null;
  readonly runId: string | null;
}

export interface ApprovalPage {
  readonly approvals: readonly Approval[];
  readonly next: Position | null;
}

export interface CallDecision {
  readonly event: 'approve' | 'deny';
  readonly by: Reviewer;
  readonly note: string | null;
  /** What is decided on: an approval with another digest stays as it is. */
  readonly argumentsDigest: string;
}

/** Calls of tools that a person decides on. A viewer sees those of the agents that they see. */
export interface ApprovalRepository {
  /** Newest first. */
  list(viewer: Viewer, filter: ApprovalFilter, page: CursorPage<Position>): Promise<ApprovalPage>;
  findVisible(viewer: Viewer, id: string): Promise<Approval | null>;
  /** The approval as it was decided, and its run goes on; null if it is not pending, its time is over, or it has another digest. */
  decide(workspaceId: string, id: string, decision: CallDecision): Promise<Approval | null>;
  /** Ends those whose time is over; how many. */
  expire(): Promise<number>;
}
