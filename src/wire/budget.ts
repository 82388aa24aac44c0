import { type BudgetMark, type BudgetReport, budgetActions, budgetPeriods } from '../domain/budget.ts';
import { about, component, list, nullable, wire } from './kit/structures.ts';
import { oneOf, text } from './kit/values.ts';
import { decimal } from './run.ts';
import { currency, day, named } from './usage.ts';

const fields = {
  agent: about('The agent that it is for; null: all agents together.', nullable(named)),
  periodStart: about('The first day of the period, in UTC.', day),
  limit: about('What may be spent in a period, as the workspace file has it.', decimal),
  spent: about(
    'What was spent in the period: what `GET /usage` counts, and what was reserved for steps whose worker died.',
    decimal,
  ),
};

export const budgetMark = component('BudgetMark', {
  budget: about('The name of the budget.', text({ max: 1000 })),
  ...fields,
  currency,
});

export const budgetReport = wire({
  budgets: about(
    'By name.',
    list(
      component('Budget', {
        name: text({ max: 1000 }),
        ...fields,
        period: oneOf(...budgetPeriods),
        periodEnd: about('The first day of the next period, in UTC.', day),
        reserved: about('What the steps under way may cost at most.', decimal),
        left: about('What is neither spent nor reserved.', decimal),
        action: about('What becomes of work once it is spent.', oneOf(...budgetActions)),
      }),
    ),
  ),
  currency,
});

export const exampleBudgets: BudgetReport = {
  budgets: [
    {
      name: 'All agents',
      agent: null,
      period: 'month',
      periodStart: '2026-11-01',
      periodEnd: '2026-12-01',
      limit: '500.00',
      spent: '401.27',
      reserved: '0.33',
      left: '98.4',
      action: 'stop',
    },
  ],
  currency: 'EUR',
};

export const exampleBudgetMark: BudgetMark = {
  budget: 'All agents',
  agent: null,
  periodStart: '2026-11-01',
  limit: '500.00',
  spent: '401.27',
  currency: 'EUR',
};
