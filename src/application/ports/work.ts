import type { RunSummary, Viewer } from './storage.ts';

/** No more of a kind are counted: this number stands for so many or more. */
export const MOST_COUNTED = 100;

/** How much of each kind waits for a person. */
export interface WorkCounts {
  /** Documents whose review is pending. */
  readonly needsReview: number;
  /** Documents that could not be read, or that their system of record refused, and that no review holds back. */
  readonly failedDocuments: number;
  readonly failedRuns: number;
  readonly readyToPost: number;
  /** Approvals that are pending. */
  readonly approvals: number;
}

/** What waits for a person, of all that a viewer sees. Each question costs the same however much waits. */
export interface WorkRepository {
  counts(viewer: Viewer): Promise<WorkCounts>;
  /**
   * Runs that failed and left no document that stands for them, newest first, without those that were dismissed: those among the newest
   * thousand that failed.
   */
  failedRuns(viewer: Viewer, limit: number): Promise<readonly RunSummary[]>;
  /** The run does not wait for a person any more. Nothing happens to a run that has not failed. */
  dismiss(runId: string): Promise<void>;
}
