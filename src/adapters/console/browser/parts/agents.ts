import { useQueries, useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../client/portico.ts';
import { type Get, reading } from '../queries.ts';

const FRESH_MS = 60_000;

const who = reading(['whoami'], (get) => get('/api/v1/whoami'), FRESH_MS);

/** Who is signed in; undefined until it is known. */
export const useWho = () => useQuery(who).data;

/** Whether the user may change what is not theirs alone; not before it is known. */
export const useMayWrite = () => (useWho()?.user.role ?? 'viewer') !== 'viewer';

/** Whether the user is an administrator; not before it is known. */
export const useIsAdmin = () => useWho()?.user.role === 'admin';

const visibleAgents = reading(['agents'], (get) => get('/api/v1/agents'));

/** The agents that the user sees. */
export const useAgents = () => {
  const loaded = useQuery(visibleAgents);
  const agents = loaded.data?.agents ?? [];
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? '';
  return { agents, nameOf, isLoading: loaded.data === undefined, loaded };
};

/** A version of an agent never changes, so what was read stays. */
const versionOf = (agentId: string, version: number) => {
  const params = { path: { agent_id: agentId, version } };
  const key = ['agent', agentId, version];
  return reading(
    key,
    (get) => get('/api/v1/agents/{agent_id}/versions/{version}', { params }),
    Number.POSITIVE_INFINITY,
  );
};

export const useVersion = (agentId: string | null, version: number) =>
  useQuery({ ...versionOf(agentId ?? '', version), enabled: agentId !== null });

type MadeBy = Pick<Schemas['ListedDocument'], 'agent_id' | 'agent_version'>;

/** The schema of a document by the version of its agent that made it: undefined until it is known, and of other documents than these. */
export const useSchemas = (documents: readonly MadeBy[]) => {
  const keyOf = ({ agent_id: id, agent_version: version }: MadeBy) => `${id} ${version}`;
  const made = [...new Map(documents.map((each) => [keyOf(each), each])).values()];
  const loaded = useQueries({ queries: made.map((each) => versionOf(each.agent_id, each.agent_version)) });
  const schemas = new Map(made.map((each, index) => [keyOf(each), loaded[index]?.data?.definition.document_schema]));
  return (document: MadeBy) => schemas.get(keyOf(document)) ?? undefined;
};

/** What its documents are shown by, and where they are posted to, as its live version says. */
const liveDefinition = async (get: Get, id: string) => {
  const path = { agent_id: id };
  const newest = await get('/api/v1/agents/{agent_id}/versions', { params: { path, query: { limit: 100 } } });
  // An older version may have been published again.
  const { version } = newest.versions.find(({ live }) => live) ?? newest.versions[0] ?? { version: 1 };
  const params = { path: { ...path, version } };
  return (await get('/api/v1/agents/{agent_id}/versions/{version}', { params })).definition;
};

/** Undefined until it is known. */
export const useDefinition = (id: string | undefined) =>
  useQuery({
    ...reading(['definition', id], (get) => liveDefinition(get, id ?? ''), FRESH_MS),
    enabled: id !== undefined,
  }).data;
