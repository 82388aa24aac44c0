import type { BudgetReport, ListedBudget, SpentBudget } from '../../domain/budget.ts';
import type { Usage } from '../../domain/run.ts';
import type { Viewer } from './storage.ts';

/** What a step of a model may use at most. */
export interface StepBound extends Usage {
  /** What OCR has read for its document: these pages are paid for when it is done. */
  readonly pagesOcr: number;
}

/** `full`: all that is left is reserved for steps under way, so that there may be more in a moment. `spent`: not before the period ends. */
export type Reservation =
  | { readonly outcome: 'reserved' | 'full' }
  | { readonly outcome: 'spent'; readonly budget: SpentBudget };

/** Of what is stored under a lease. */
export interface Limited {
  /** Whether a budget stops the agent once it is spent: then each step is to be reserved. */
  readonly isLimited: boolean;
}

export interface BudgetRepository {
  /** The budget that stops the agent, because nothing of it is left; null if none does. */
  spent(workspaceId: string, agentId: string): Promise<SpentBudget | null>;
  /** How the budgets stand that are for all agents, or for one that the viewer sees; by name. */
  report(viewer: Viewer, signal: AbortSignal): Promise<BudgetReport>;
  /** Every budget of every workspace. */
  all(): Promise<readonly ListedBudget[]>;
}
