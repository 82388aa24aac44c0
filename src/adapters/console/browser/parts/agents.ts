import { api } from '../api.ts';
import { useLoaded } from '../loaded.ts';

const FRESH_MS = 60_000;

/** Who is signed in; null until it is known. */
export const useWho = () => useLoaded('whoami', (signal) => api.get('/api/v1/whoami', { signal }), { freshMs: FRESH_MS }).data;

/** Whether the user may change what is not theirs alone; not before it is known. */
export const useMayWrite = () => (useWho()?.user.role ?? 'viewer') !== 'viewer';

/** The agents that the user sees. */
export const useAgents = () => {
  const loaded = useLoaded('agents', (signal) => api.get('/api/v1/agents', { signal }));
  const agents = loaded.data?.agents ?? [];
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? '';
  return { agents, nameOf, isLoading: loaded.data === null, loaded };
};

/** A version of an agent never changes, so what was loaded stays. */
export const useVersion = (agentId: string | null, version: number) => {
  const at = { params: { path: { agent_id: agentId ?? '', version } } };
  const load = (signal: AbortSignal) => api.get('/api/v1/agents/{agent_id}/versions/{version}', { ...at, signal });
  return useLoaded(agentId && `agent ${agentId} ${version}`, load, { freshMs: Number.POSITIVE_INFINITY });
};

/** Which of these agents have a system of record now: it takes what any of their versions has read. */
export const useSystems = (agentIds: readonly string[]) => {
  const load = async (signal: AbortSignal) => {
    const found = agentIds.map(async (id) => {
      const path = { agent_id: id };
      const newest = await api.get('/api/v1/agents/{agent_id}/versions', { params: { path, query: { limit: 1 } }, signal });
      const params = { path: { ...path, version: newest.versions[0]?.version ?? 1 } };
      const { definition } = await api.get('/api/v1/agents/{agent_id}/versions/{version}', { params, signal });
      return definition.system_of_record === null ? [] : [id];
    });
    return new Set((await Promise.all(found)).flat());
  };
  return useLoaded(agentIds.length > 0 ? `systems ${agentIds.join()}` : null, load, { freshMs: FRESH_MS, keep: true });
};
