import type { EquippedAgent } from '../../../application/ports/doctor.ts';
import type { AgentRepository, AgentSummary, Viewer } from '../../../application/ports/storage.ts';
import type { Agent } from '../../../domain/agent.ts';
import { readTool } from '../../../domain/tool-json.ts';
import { openCache } from '../connection/cache.ts';
import type { Database } from '../connection/database.ts';
import { findById } from '../connection/ids.ts';
import type { Listener } from '../connection/listener.ts';
import * as sql from '../statements/agent-statements.ts';
import type { AgentRow } from '../tables/entities.ts';

/** For the operator: the agents of every workspace that have tools. */
export const agentsWithTools = ({ query }: Pick<Database, 'query'>) => query<EquippedAgent>(sql.withTools, []);

export const agentOf = (row: AgentRow): Agent => ({ ...row, tools: row.tools.map(readTool) });
const agentOrNull = (row: AgentRow | null | undefined): Agent | null => (row ? agentOf(row) : null);

export const agentRepository = (database: Pick<Database, 'read'>): AgentRepository => ({
  listVisible: ({ workspaceId, userId }) => database.read<AgentSummary>(sql.listVisible, [workspaceId, userId]),
  findVisible: async ({ workspaceId, userId }, id) =>
    agentOrNull(await findById<AgentRow>(database, sql.findVisible, [workspaceId, userId, id])),
  find: async (id) => agentOrNull(await findById<AgentRow>(database, sql.find, [id])),
  async findNamed(workspaceId, name) {
    const [row] = await database.read<AgentRow>(sql.findNamed, [workspaceId, name]);
    return agentOrNull(row);
  },
});

const MAX_ENTRIES = 1_000;

/** Agents change when an operator applies a workspace file, and every request looks one up: they are cached until the change. */
export const cachedAgents = (agents: AgentRepository, listener: Listener, ttlMs = 1000): AgentRepository => {
  const options = { listener, channel: sql.CHANNEL, maxEntries: MAX_ENTRIES, ttlMs };
  const lists = openCache<readonly AgentSummary[]>(options);
  const single = openCache<Agent>(options);
  const keyOf = ({ workspaceId, userId }: Viewer) => `${workspaceId}/${userId}`;
  return {
    ...agents,
    listVisible: async (viewer) => (await lists.get(keyOf(viewer), () => agents.listVisible(viewer))) ?? [],
    findVisible: (viewer, id) => single.get(`${keyOf(viewer)}/${id}`, () => agents.findVisible(viewer, id)),
  };
};
