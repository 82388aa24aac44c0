import type { AgentRepository, AgentSummary } from '../../application/ports/storage.ts';
import type { Agent } from '../../domain/agent.ts';
import type { Listener } from './listener.ts';
import { memory } from './memory.ts';

/** Sent by a trigger whenever agents are written. */
const CHANNEL = 'portico_agents';
const MOST_LISTS = 1_000;
const MOST_AGENTS = 1_000;

/** Agents change when an operator applies a workspace file, and are looked up with every request: they are remembered until then. */
export const rememberAgents = (agents: AgentRepository, listener: Listener, rememberMs = 1000): AgentRepository => {
  const hears = () => listener.hears(CHANNEL);
  const lists = memory<readonly AgentSummary[]>({ most: MOST_LISTS, rememberMs, hears });
  const seen = memory<Agent>({ most: MOST_AGENTS, rememberMs, hears });
  const forget = () => {
    lists.forget();
    seen.forget();
  };
  listener.listen(CHANNEL, { message: forget, gap: forget });
  return {
    listVisible: async (viewer) => (await lists.recall(`${viewer.workspaceId}/${viewer.userId}`, () => agents.listVisible(viewer))) ?? [],
    findVisible: (viewer, id) => seen.recall(`${viewer.workspaceId}/${viewer.userId}/${id}`, () => agents.findVisible(viewer, id)),
    find: (id) => agents.find(id),
  };
};
