import type { AgentVersionRepository, StoredVersion } from '../../application/ports/storage.ts';
import { readTool } from '../../domain/tool-json.ts';
import { columnsOf, snakeCase } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { type AgentVersionRow, AgentVersionTable, definitionNames } from './entities.ts';
import { isId } from './ids.ts';
import { isSeenBy, visible } from './visibility.ts';

/** Finds the definition that a run is bound to, as `v`. */
export const joinVersion = (run: string) =>
  `join agent_versions v on v.agent_id = ${run}.agent_id and v.version = ${run}.agent_version`;

/** One row without a version where the agent is visible and none of its versions is asked for. */
const listVisible = prepared('agent_versions_list_visible')`
select ${columnsOf(AgentVersionTable, 'v', ['agentId', 'createdBy'])}, v.version = a.version as live, c.name as "connectionName",
  case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as "createdBy"
from agents a left join lateral (
  select * from agent_versions v where v.agent_id = a.id and ($4::bigint is null or v.version < $4) order by v.version desc limit $5
) v on true
  left join users u on u.id = v.created_by
  left join connections c on c.id = (v.system_of_record ->> 'connectionId')::uuid
where ${visible('a')} and a.id = $3 order by v.version desc`;

const definition = definitionNames.map(snakeCase);
const publish = `
update agents a set ${definition.map((column) => `${column} = v.${column}`).join(', ')}, updated_at = now()
from agent_versions v where a.id = $1 and v.agent_id = a.id and v.version = $2 returning a.version`;

const seen = (row: string) => `($2::uuid is null or ${isSeenBy('$2', row)})`;

const nameable = prepared('agent_versions_nameable')`
select 'connections' as kind, c.id::text, c.name from connections c
  where c.workspace_id = $1 and c.removed_at is null and ${seen('c')}
union all select 'databases', d.id, d.name from databases d join connections c on c.id = d.connection_id and c.removed_at is null
  where d.workspace_id = $1 and ${seen('d')}
union all select 'agents', a.id::text, a.name from agents a where a.workspace_id = $1 and a.removed_at is null and ${seen('a')}`;

type Row = Omit<StoredVersion, 'tools'> & Pick<AgentVersionRow, 'tools'>;

export const agentVersionRepository = ({
  query,
  atomically,
}: Pick<Database, 'query' | 'atomically'>): AgentVersionRepository => ({
  async listVisible({ workspaceId, userId }, agentId, below, limit) {
    if (!isId(agentId)) return null;
    const rows = await query<Row>(listVisible, [workspaceId, userId, agentId, below, limit]);
    if (rows.length === 0) return null;
    return rows
      .filter(({ version }) => version !== null)
      .map(({ tools, ...row }) => ({ ...row, tools: tools.map(readTool) }));
  },

  async nameable(workspaceId, userId) {
    const rows = await query<{ kind: 'connections' | 'databases' | 'agents'; id: string; name: string }>(nameable, [
      workspaceId,
      userId ?? null,
    ]);
    const all = (kind: (typeof rows)[number]['kind'], field: 'id' | 'name') =>
      new Set(rows.filter((row) => row.kind === kind).map((row) => row[field]));
    return {
      connections: all('connections', 'name'),
      connectionIds: all('connections', 'id'),
      databases: all('databases', 'id'),
      agents: all('agents', 'name'),
    };
  },

  publish: (agentId, version, userId) =>
    atomically(async (client) => {
      const locked = await client.query<{ version: number }>(
        'select version from agents where id = $1 for no key update',
        [agentId],
      );
      const published = await client.query<{ version: number }>(publish, [agentId, version]);
      const [before, after] = [locked.rows[0], published.rows[0]];
      if (!before || !after) throw new Error(`Agent ${agentId} has no version ${version}.`);
      if (after.version > before.version) {
        await client.query('update agent_versions set created_by = $1 where agent_id = $2 and version = $3', [
          userId,
          agentId,
          after.version,
        ]);
      }
      return after.version;
    }),
});
