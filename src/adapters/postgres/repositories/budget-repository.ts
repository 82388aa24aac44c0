import type { BudgetRepository, Reservation } from '../../../application/ports/budgets.ts';
import type { SpentBudget } from '../../../domain/budget.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as sql from '../statements/budget-statements.ts';

/** As `reserve_step` answers it. */
export interface Reserved {
  readonly outcome: Reservation['outcome'];
  readonly budget: SpentBudget | null;
}

export const reservationOf = ({ outcome, budget }: Reserved): Reservation =>
  outcome === 'spent' ? { outcome, budget: budget as SpentBudget } : { outcome };

export const budgetRepository = ({ read }: Pick<Database, 'read'>): BudgetRepository => ({
  async spent(workspaceId, agentId) {
    if (!isId(agentId)) return null;
    const [found] = await read<{ budget: SpentBudget | null }>(sql.spent, [workspaceId, agentId]);
    return found?.budget ?? null;
  },
});
