import { api } from '../api.ts';
import { useLoaded } from '../loaded.ts';

/** The agents that the user sees. */
export const useAgents = () => {
  const loaded = useLoaded('agents', (signal) => api.get('/api/v1/agents', { signal }));
  const agents = loaded.data?.agents ?? [];
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? '';
  return { agents, nameOf, isLoading: loaded.data === null, loaded };
};
