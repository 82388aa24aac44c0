import { DomainError } from './errors.ts';

export const budgetPeriods = ['day', 'month'] as const;
type BudgetPeriod = (typeof budgetPeriods)[number];

/** What becomes of work once a budget is spent: it goes on, or no step of a model begins any more. */
export const budgetActions = ['warn', 'stop'] as const;
export type BudgetAction = (typeof budgetActions)[number];

/** What the agents of a workspace, or one of them, may spend in a period. Periods are those of UTC. */
export interface Budget {
  readonly id: string;
  readonly workspaceId: string;
  /** Unique in the workspace. */
  readonly name: string;
  /** null: all agents together. */
  readonly agentId: string | null;
  readonly period: BudgetPeriod;
  /** A decimal number, as the workspace file has it. */
  readonly limit: string;
  readonly action: BudgetAction;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A budget that stops its agents until its period ends. */
export interface SpentBudget extends Pick<Budget, 'name' | 'period' | 'limit'> {
  /** The name of its agent; null: all agents. */
  readonly agent: string | null;
  readonly currency: string | null;
  /** Until the end of the period. */
  readonly seconds: number;
}

/** How far it is spent: `nearly` once its workspace is warned. */
export type BudgetStanding = 'within' | 'nearly' | 'spent';

/** A budget of any workspace, for the operator. */
export interface ListedBudget extends Pick<Budget, 'name' | 'period' | 'limit' | 'action'> {
  readonly workspace: string;
  /** The name of its agent; null: all agents. */
  readonly agent: string | null;
  readonly spent: string;
  readonly state: BudgetStanding;
  /** The first day of the next period. */
  readonly periodEnd: string;
  readonly currency: string | null;
}

interface OfAgent {
  /** null: all agents. */
  readonly agent: { readonly id: string; readonly name: string } | null;
  /** The first day of the period. */
  readonly periodStart: string;
  readonly spent: string;
}

/** How a budget stands in the period that it is in. */
export interface BudgetState extends Pick<Budget, 'name' | 'period' | 'limit' | 'action'>, OfAgent {
  /** The first day of the next period. */
  readonly periodEnd: string;
  /** For steps under way. */
  readonly reserved: string;
  /** Neither spent nor reserved; not below zero. */
  readonly left: string;
}

export interface BudgetReport {
  readonly budgets: readonly BudgetState[];
  /** null: the workspace has no prices. */
  readonly currency: string | null;
}

/** What is told of a budget once most of it, or all, is spent. */
export interface BudgetMark extends OfAgent {
  readonly budget: string;
  readonly limit: string;
  /** null: the workspace has no prices any more. */
  readonly currency: string | null;
}

/** In words for the person who is refused. */
export const budgetWords = ({ name, agent, period, limit, currency }: SpentBudget): string => {
  const [span, next] =
    period === 'day' ? ['this day', 'the next day'] : ['this month', 'the first day of the next month'];
  const whose = agent === null ? '' : ` of the agent ${agent}`;
  return `The budget ${name}${whose}, ${amountOf(limit, currency)} for ${span}, is spent. It begins anew at 00:00 UTC on ${next}; an administrator can raise it in the workspace file.`;
};

const amountOf = (amount: string, currency: string | null) => (currency === null ? amount : `${amount} ${currency}`);

/** In words for the operator. */
export const standingWords = ({ agent, spent, limit, currency, state, action, periodEnd }: ListedBudget): string => {
  const whose = agent === null ? '' : ` for the agent ${agent}`;
  const what = `${spent} of ${amountOf(limit, currency)} are spent${whose}`;
  if (state === 'within' || action === 'warn') return `${what}; it begins anew on ${periodEnd}`;
  const who = agent === null ? 'the agents of the workspace stand' : 'the agent stands';
  const once = state === 'spent' ? '' : 'once all is, ';
  return `${what}: ${once}${who} still until ${periodEnd} (00:00 UTC), unless the limit in the workspace file is raised`;
};

export const budgetExhausted = (budget: SpentBudget) =>
  new DomainError('rate_limited', budgetWords(budget), {
    code: 'budget_exhausted',
    retryAfterSeconds: budget.seconds,
  });
