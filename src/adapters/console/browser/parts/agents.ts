import { type Get, useLoaded } from '../loaded.ts';

const FRESH_MS = 60_000;

/** Who is signed in; null until it is known. */
export const useWho = () => useLoaded('whoami', (get) => get('/api/v1/whoami'), { freshMs: FRESH_MS }).data;

/** Whether the user may change what is not theirs alone; not before it is known. */
export const useMayWrite = () => (useWho()?.user.role ?? 'viewer') !== 'viewer';

/** The agents that the user sees. */
export const useAgents = () => {
  const loaded = useLoaded('agents', (get) => get('/api/v1/agents'));
  const agents = loaded.data?.agents ?? [];
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? '';
  return { agents, nameOf, isLoading: loaded.data === null, loaded };
};

/** A version of an agent never changes, so what was loaded stays. */
export const useVersion = (agentId: string | null, version: number) => {
  const params = { path: { agent_id: agentId ?? '', version } };
  const load = (get: Get) => get('/api/v1/agents/{agent_id}/versions/{version}', { params });
  return useLoaded(agentId && `agent ${agentId} ${version}`, load, { freshMs: Number.POSITIVE_INFINITY });
};

/** Which of these agents have a system of record now: it takes what any of their versions has read. */
export const useSystems = (agentIds: readonly string[]) => {
  const load = async (get: Get) => {
    const found = agentIds.map(async (id) => {
      const path = { agent_id: id };
      const newest = await get('/api/v1/agents/{agent_id}/versions', { params: { path, query: { limit: 1 } } });
      const params = { path: { ...path, version: newest.versions[0]?.version ?? 1 } };
      const { definition } = await get('/api/v1/agents/{agent_id}/versions/{version}', { params });
      return definition.system_of_record === null ? [] : [id];
    });
    return new Set((await Promise.all(found)).flat());
  };
  return useLoaded(agentIds.length > 0 ? `systems ${agentIds.join()}` : null, load, { freshMs: FRESH_MS, keep: true });
};
