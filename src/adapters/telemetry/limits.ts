import type { BudgetRepository } from '../../application/ports/budgets.ts';
import type { RetentionStore } from '../../application/ports/retention.ts';
import type { SourceQueue } from '../../application/ports/sources.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Metrics } from './metrics.ts';

/** Counts what is asked for and refused before it begins. */
export const observedBudgets = (budgets: BudgetRepository, { count }: Metrics): BudgetRepository => ({
  ...budgets,
  async spent(workspaceId, agentId) {
    const spent = await budgets.spent(workspaceId, agentId);
    if (spent !== null) count.budgetRefusals.inc();
    return spent;
  },
});

export const observedSources = (queue: SourceQueue, { count }: Metrics): SourceQueue => ({
  ...queue,
  async take(lease, item, run) {
    try {
      return await queue.take(lease, item, run);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'budget_exhausted') count.budgetRefusals.inc();
      throw error;
    }
  },
});

export const observedRetention = (store: RetentionStore, { count }: Metrics): RetentionStore => ({
  ...store,
  async remove(kind, rule, after) {
    const batch = await store.remove(kind, rule, after);
    count.removed.inc({ kind: kind === 'trash' ? 'documents' : kind }, batch.removed);
    return batch;
  },
});
