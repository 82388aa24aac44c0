import type { PartKind } from '../../domain/routing/part.ts';
import type { PartReader } from '../ports/run-parts.ts';
import type { AgentRepository } from '../ports/storage.ts';

/** Who reads each part, by its name, as the agents are now; null: nobody does. A part whose agent is not there any more has none. */
export const readersOf = async (
  agents: Pick<AgentRepository, 'findNamed'>,
  workspaceId: string,
  kinds: readonly PartKind[],
): Promise<ReadonlyMap<string, PartReader | null>> => {
  const readers = new Map<string, PartReader | null>();
  for (const { name, agent: agentName } of kinds) {
    if (agentName === null) {
      readers.set(name, null);
      continue;
    }
    const agent = await agents.findNamed(workspaceId, agentName);
    if (agent?.workflowType === 'document_extraction')
      readers.set(name, { agentId: agent.id, agentVersion: agent.version });
  }
  return readers;
};
