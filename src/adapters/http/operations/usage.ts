import { budgetReport, exampleBudgets } from '../../../wire/budget.ts';
import { about, optional, wire } from '../../../wire/kit/structures.ts';
import { day, exampleUsage, groupBy, usageReport } from '../../../wire/usage.ts';
import { operation } from '../operation.ts';

export const getUsage = operation({
  id: 'getUsage',
  method: 'get',
  path: '/usage',
  resource: 'usage',
  tag: 'Usage',
  access: 'api-key',
  summary: 'Add up what was done and what it cost',
  description:
    'Runs, documents, pages, tokens and costs of the agents that you see, turns of conversations included, by what `group_by` names. ' +
    'Costs are those of the `prices` that the workspace file had when each step ended. Days are those of UTC.',
  query: wire({
    from: about('The first day. Absent: 30 days up to the last.', optional(day)),
    to: about('The last day, which belongs to it. Absent: today.', optional(day)),
    groupBy: about(
      'What rows are made of: up to three of `day`, `agent`, `agent_version`, `model`, `user`, separated by commas. Absent: one row.',
      optional(groupBy),
    ),
  }),
  example: { query: { from: '2026-11-01', to: '2026-11-30', groupBy: ['day', 'agent'] } },
  success: { description: 'The rows and their total.', data: usageReport, example: exampleUsage },
  handle: ({ usage }, { caller, query, signal }) => usage.report(caller, query, signal),
});

export const listBudgets = operation({
  id: 'listBudgets',
  method: 'get',
  path: '/budgets',
  resource: 'budgets',
  tag: 'Usage',
  access: 'api-key',
  summary: 'List budgets with what is left',
  description:
    'The `budgets` of the workspace file that are for all agents, or for one that you see, with what is spent and reserved in the day or month that it is. ' +
    'Spent is what `GET /usage` counts, and what was reserved for steps whose worker died.',
  success: { description: 'Every budget.', data: budgetReport, example: exampleBudgets },
  handle: ({ usage }, { caller, signal }) => usage.budgets(caller, signal),
});
