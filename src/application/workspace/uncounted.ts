import type { WorkspaceSpec } from '../../domain/workspace-spec.ts';

/** Whose steps a budget does not count, because their model has no price. */
interface Uncounted {
  readonly budget: string;
  readonly agent: string;
  readonly model: string;
}

/** It costs nothing, with a price or without. */
const OFFLINE = 'offline';

/** What the budgets of a file cannot count: it is no error, as a model may cost nothing. */
export const uncountedIn = ({ budgets, agents, prices }: WorkspaceSpec): readonly Uncounted[] => {
  const unpriced = agents.filter(({ model }) => model !== OFFLINE && !Object.hasOwn(prices?.models ?? {}, model));
  return budgets.flatMap(({ name: budget, agent: only }) =>
    unpriced.filter(({ name }) => (only ?? name) === name).map(({ name: agent, model }) => ({ budget, agent, model })),
  );
};
