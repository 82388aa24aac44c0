import type { AgentRepository, AgentSummary } from '../../application/ports/storage.ts';
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
