import { api } from '../api.ts';
import { useLoaded } from '../loaded.ts';

const FRESH_MS = 60_000;

/** Who is signed in; null until it is known. */
export const useWho = () => useLoaded('whoami', (signal) => api.get('/api/v1/whoami', { signal }), { freshMs: FRESH_MS }).data;

/** The agents that the user sees. */
export const useAgents = () => {
  const loaded = useLoaded('agents', (signal) => api.get('/api/v1/agents', { signal }));
  const agents = loaded.data?.agents ?? [];
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? '';
  return { agents, nameOf, isLoading: loaded.data === null, loaded };
};
