import type { EquippedAgent } from '../../application/ports/doctor.ts';
import type { AgentRepository, AgentSummary, Viewer } from '../../application/ports/storage.ts';
import type { Agent } from '../../domain/agent.ts';
import { readTool } from '../../domain/tool-json.ts';
import { openCache } from './cache.ts';
import { columnsOf } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { type AgentRow, AgentTable } from './entities.ts';
import { findById } from './ids.ts';
import type { Listener } from './listener.ts';
import { isSeenBy, visible } from './visibility.ts';

const listVisible = prepared('agents_list_visible')`
select a.id, a.name, a.description, a.workflow_type as "workflowType" from agents a where ${visible('a')} order by a.name, a.id`;

const agent = `select ${columnsOf(AgentTable, 'a')} from agents a`;
const find = prepared('agents_find')`${agent} where a.removed_at is null and a.id = $1`;
const findVisible = prepared('agents_find_visible')`${agent} where ${visible('a')} and a.id = $3`;

const withTools = prepared('agents_with_tools')`
select a.id, a.name, w.name as workspace, a.workspace_id as "workspaceId", u.id as "userId", u.email, u.role
from agents a join workspaces w on w.id = a.workspace_id
left join lateral (
  select id, email, role from users
  where workspace_id = a.workspace_id and removed_at is null and ${isSeenBy('id', 'a')}
  order by role = 'admin' desc, email limit 1
) u on true
where a.removed_at is null and json_array_length(a.tools) > 0 order by w.name, a.name`;

/** For the operator: the agents of every workspace that have tools. */
export const agentsWithTools = ({ query }: Pick<Database, 'query'>) => query<EquippedAgent>(withTools, []);

export const agentOf = (row: AgentRow): Agent => ({ ...row, tools: row.tools.map(readTool) });

export const agentRepository = (database: Pick<Database, 'read'>): AgentRepository => ({
  listVisible: ({ workspaceId, userId }) => database.read<AgentSummary>(listVisible, [workspaceId, userId]),
  findVisible: ({ workspaceId, userId }, id) => findById(database, findVisible, [workspaceId, userId, id], agentOf),
  find: (id) => findById(database, find, [id], agentOf),
});

/** Triggers send when agents are written. */
const CHANNEL = 'portico_agents';
const MAX_ENTRIES = 1_000;

/** Agents change when an operator applies a workspace file, and every request looks one up: they are cached until the change. */
export const cachedAgents = (agents: AgentRepository, listener: Listener, ttlMs = 1000): AgentRepository => {
  const options = { listener, channel: CHANNEL, maxEntries: MAX_ENTRIES, ttlMs };
  const lists = openCache<readonly AgentSummary[]>(options);
  const found = openCache<Agent>(options);
  const keyOf = ({ workspaceId, userId }: Viewer) => `${workspaceId}/${userId}`;
  return {
    ...agents,
    listVisible: async (viewer) => (await lists.get(keyOf(viewer), () => agents.listVisible(viewer))) ?? [],
    findVisible: (viewer, id) => found.get(`${keyOf(viewer)}/${id}`, () => agents.findVisible(viewer, id)),
  };
};
