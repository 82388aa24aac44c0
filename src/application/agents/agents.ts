import type { Caller } from '../../domain/caller.ts';
import { mustExist } from '../../domain/errors.ts';
import type { AgentRepository } from '../ports/storage.ts';

export const agentService = ({ agents }: { agents: AgentRepository }) => ({
  /** The agents the caller can see, ordered by name. */
  list: (caller: Caller) => agents.listVisible(caller),
  get: async (caller: Caller, id: string) => mustExist(await agents.findVisible(caller, id), 'agent'),
});

export type AgentService = ReturnType<typeof agentService>;
