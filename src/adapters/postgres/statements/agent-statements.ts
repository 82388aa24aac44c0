import { snakeCase } from '../../../domain/text.ts';
import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { AgentTable, AgentVersionTable, definitionNames } from '../tables/entities.ts';
import { isSeenBy, visible } from './visibility.ts';

/** Triggers send on it when agents are written. */
export const CHANNEL = 'portico_agents';

/** Whether documents of the agent `a` are posted. */
export const posts = 'a.system_of_record is not null';

/** Requests ask for agents, as often as the cache does not know them: these are prepared, which the mapper's are not. */
export const listVisible = prepared('agents_list_visible')`
select a.id, a.name, a.description, a.workflow_type as "workflowType", ${posts} as posts from agents a where ${visible('a')} order by a.name, a.id`;

const agent = `select ${columnsOf(AgentTable, 'a')} from agents a`;
export const find = prepared('agents_find')`${agent} where a.removed_at is null and a.id = $1`;
export const findVisible = prepared('agents_find_visible')`${agent} where ${visible('a')} and a.id = $3`;

export const findNamed = prepared(
  'agents_find_named',
)`${agent} where a.removed_at is null and a.workspace_id = $1 and a.name = $2`;

export const withTools = prepared('agents_with_tools')`
select a.id, a.name, w.name as workspace, a.workspace_id as "workspaceId", u.id as "userId", u.email, u.role
from agents a join workspaces w on w.id = a.workspace_id
left join lateral (
  select id, email, role from users
  where workspace_id = a.workspace_id and removed_at is null and ${isSeenBy('id', 'a')}
  order by role = 'admin' desc, email limit 1
) u on true
where a.removed_at is null and json_array_length(a.tools) > 0 order by w.name, a.name`;

/** Finds the definition that a run is bound to, as `v`. */
export const joinVersion = (run: string) =>
  `join agent_versions v on v.agent_id = ${run}.agent_id and v.version = ${run}.agent_version`;

/** One row without a version where the agent is visible and none of its versions is asked for. */
export const listVersions = prepared('agent_versions_list_visible')`
select ${columnsOf(AgentVersionTable, 'v', ['agentId', 'createdBy'])}, v.version = a.version as live, c.name as "connectionName",
  case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as "createdBy"
from agents a left join lateral (
  select * from agent_versions v where v.agent_id = a.id and ($4::bigint is null or v.version < $4) order by v.version desc limit $5
) v on true
  left join users u on u.id = v.created_by
  left join connections c on c.id = (v.system_of_record ->> 'connectionId')::uuid
where ${visible('a')} and a.id = $3 order by v.version desc`;

export const findVersion = prepared('agent_versions_find')`
select ${columnsOf(AgentVersionTable, 'v')} from agent_versions v where v.agent_id = $1 and v.version = $2`;

const definition = definitionNames.map(snakeCase);
/** Copied within the database: JSON that is read and written again may differ in its text, and would be another version. */
export const publishVersion = `
update agents a set ${definition.map((column) => `${column} = v.${column}`).join(', ')}, updated_at = now()
from agent_versions v where a.id = $1 and v.agent_id = a.id and v.version = $2 returning a.version`;

const seen = (row: string) => `($2::uuid is null or ${isSeenBy('$2', row)})`;

/** Three tables in one round trip. */
export const nameable = prepared('agent_versions_nameable')`
select 'connections' as kind, c.id::text, c.name from connections c
  where c.workspace_id = $1 and c.removed_at is null and ${seen('c')}
union all select 'databases', d.id, d.name from databases d join connections c on c.id = d.connection_id and c.removed_at is null
  where d.workspace_id = $1 and ${seen('d')}
union all select 'agents', a.id::text, a.name from agents a where a.workspace_id = $1 and a.removed_at is null and ${seen('a')}`;
