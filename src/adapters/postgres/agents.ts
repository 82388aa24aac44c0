import type { AgentRepository, AgentSummary } from '../../application/ports/storage.ts';
import type { Role } from '../../domain/access.ts';
import type { Agent } from '../../domain/agent.ts';
import type { Database } from './database.ts';
import { isId } from './ids.ts';

const listVisible = {
  name: 'agents_list_visible',
  text: `
select id, name, description, workflow_type as "workflowType" from agents
where workspace_id = $1 and removed_at is null and (visible_to is null or $2 = any (visible_to))
order by name, id`,
};

const agent = `
select id, workspace_id as "workspaceId", name, description, workflow_type as "workflowType", model, instructions,
       document_schema as "documentSchema", system_of_record as "systemOfRecord", tools, visible_to as "visibleTo",
       created_at as "createdAt", updated_at as "updatedAt"
from agents where id = $1 and removed_at is null`;

const find = { name: 'agents_find', text: agent };

const findVisible = {
  name: 'agents_find_visible',
  text: `${agent} and workspace_id = $2 and (visible_to is null or $3 = any (visible_to))`,
};

const withTools = {
  name: 'agents_with_tools',
  text: `
select a.id, a.name, w.name as workspace, a.workspace_id as "workspaceId", u.id as "userId", u.email, u.role
from agents a join workspaces w on w.id = a.workspace_id
left join lateral (
  select id, email, role from users
  where workspace_id = a.workspace_id and removed_at is null and (a.visible_to is null or id = any (a.visible_to))
  order by role = 'admin' desc, email limit 1
) u on true
where a.removed_at is null and json_array_length(a.tools) > 0 order by w.name, a.name`,
};

export interface EquippedAgent {
  readonly id: string;
  readonly name: string;
  readonly workspace: string;
  readonly workspaceId: string;
  /** A user who sees the agent, an administrator if possible; null if no user does. */
  readonly userId: string | null;
  readonly email: string;
  readonly role: Role;
}

/** For the operator: the agents of every workspace that have tools. */
export const agentsWithTools = ({ query }: Pick<Database, 'query'>) => query<EquippedAgent>(withTools, []);

export const agentRepository = (database: Pick<Database, 'read'>): AgentRepository => ({
  listVisible: (viewer) => database.read<AgentSummary>(listVisible, [viewer.workspaceId, viewer.userId]),
  async findVisible(viewer, id) {
    if (!isId(id)) return null;
    const [found] = await database.read<Agent>(findVisible, [id, viewer.workspaceId, viewer.userId]);
    return found ?? null;
  },
  async find(id) {
    if (!isId(id)) return null;
    const [found] = await database.read<Agent>(find, [id]);
    return found ?? null;
  },
});
