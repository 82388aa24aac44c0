import type { BudgetMark } from '../domain/budget.ts';
import { about, component, nullable } from './kit/structures.ts';
import { text } from './kit/values.ts';
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

export const exampleBudgetMark: BudgetMark = {
  budget: 'All agents',
  agent: null,
  periodStart: '2026-11-01',
  limit: '500.00',
  spent: '401.27',
  currency: 'EUR',
};
