import type { BudgetReport } from '../../domain/budget.ts';
import type { Caller } from '../../domain/caller.ts';
import { DomainError, invalid } from '../../domain/errors.ts';
import { MOST_USAGE_ROWS, type UsageGroup, type UsageReport } from '../../domain/usage.ts';
import type { BudgetRepository } from '../ports/budgets.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Days, UsageRepository } from '../ports/usage.ts';

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

interface Dependencies {
  readonly usage: UsageRepository;
  readonly budgets: Pick<BudgetRepository, 'report'>;
  readonly clock: Clock;
}

export const usageService = ({ usage, budgets, clock }: Dependencies) => ({
  budgets: (caller: Caller, signal: AbortSignal): Promise<BudgetReport> => budgets.report(caller, signal),

  /** How much was done, and what it has cost, of the agents that the caller sees. Without days, those of the last 30. */
  async report(
    caller: Caller,
    { from, to, groupBy = [] }: Partial<Days> & { readonly groupBy?: readonly UsageGroup[] },
    signal: AbortSignal,
  ): Promise<UsageReport> {
    const last = to ?? dayOf(clock.now().getTime());
    const first = from ?? dayOf(Date.parse(last) - (USUAL_DAYS - 1) * DAY_MS);
    if (first > last) throw invalid({ path: 'from', message: `is after ${last}, the last day` });
    const report = await usage.report(caller, { from: first, to: last }, groupBy, signal);
    if (report === null)
      throw new DomainError(
        'invalid',
        `There are over ${MOST_USAGE_ROWS} rows: ask for fewer days, or for fewer groups.`,
      );
    return report;
  },
});

export type UsageService = ReturnType<typeof usageService>;
