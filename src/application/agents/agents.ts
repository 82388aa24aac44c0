import type { Agent } from '../../domain/agent.ts';
import { notFound } from '../../domain/errors.ts';
import type { Caller } from '../access/caller.ts';
import type { AgentRepository, AgentSummary } from '../ports/storage.ts';

export interface AgentService {
  /** The agents the caller can see, ordered by name. */
  list(caller: Caller): Promise<readonly AgentSummary[]>;
  get(caller: Caller, id: string): Promise<Agent>;
}

export const agentService = ({ agents }: { agents: AgentRepository }): AgentService => ({
  list: (caller) => agents.listVisible(caller),
  async get(caller, id) {
    const agent = await agents.findVisible(caller, id);
    if (!agent) throw notFound('agent');
    return agent;
  },
});
