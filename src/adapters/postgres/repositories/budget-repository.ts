import type { BudgetRepository, Reservation } from '../../../application/ports/budgets.ts';
import type { BudgetAction, BudgetStanding, BudgetState, ListedBudget, SpentBudget } from '../../../domain/budget.ts';
import { omit } from '../../../domain/omit.ts';
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

type Row = BudgetState & { readonly currency: string | null };

export const budgetRepository = ({
  read,
  query,
  search,
}: Pick<Database, 'read' | 'query' | 'search'>): BudgetRepository => ({
  async spent(workspaceId, agentId) {
    if (!isId(agentId)) return null;
    const [row] = await read<{ budget: SpentBudget | null }>(sql.spent, [workspaceId, agentId]);
    return row?.budget ?? null;
  },

  async report(sharer, signal) {
    const { workspaceId, userId } = sharer;
    const rows = await search<Row>(sql.report, [workspaceId, userId], { sharer, signal });
    const budgets = rows.filter(({ name }) => name !== null).map((row) => omit(row, 'currency'));
    return { budgets, currency: rows[0]?.currency ?? null };
  },

  all: () => query<ListedBudget>(sql.all, []),
});

/** How many budgets of every workspace stand so. */
export const budgetStates =
  ({ query }: Pick<Database, 'query'>) =>
  () =>
    query<{ readonly action: BudgetAction; readonly state: BudgetStanding; readonly count: number }>(sql.states, []);
