import type { Division } from '../ports/queue.ts';
import type { AgentRepository } from '../ports/storage.ts';
import { readersOf } from '../runs/part-readers.ts';
import type { Divider } from '../turns/divider.ts';
import type { DivisionAsked } from '../turns/division-questions.ts';
import { UnitFailure } from '../turns/unit-failure.ts';

interface Dependencies {
  readonly divide: Divider;
  readonly agents: Pick<AgentRepository, 'findNamed'>;
}

/** What files are divided into, with the agents that read the parts, each by the version that is live now. */
export const divisionBy = async (
  { divide, agents }: Dependencies,
  task: DivisionAsked,
  signal: AbortSignal,
): Promise<Division> => {
  const { agent } = task;
  if (task.files.length === 0) throw new UnitFailure('nothing_to_divide', 'There is no file to divide.');
  const { files, parts } = await divide(task, signal);
  const readers = await readersOf(agents, agent.workspaceId, agent.parts);
  const placed = parts.map((part) => {
    const reader = readers.get(part.name);
    if (reader !== undefined) return { ...part, reader };
    const message = `The agent that reads the part ${part.name} is not there any more.`;
    throw new UnitFailure('agent_missing', message);
  });
  return { files, parts: placed };
};
