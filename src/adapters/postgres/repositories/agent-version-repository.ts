import type { AgentVersionRepository, StoredVersion } from '../../../application/ports/storage.ts';
import type { Act } from '../../../domain/audit.ts';
import { readTool } from '../../../domain/tool-json.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as sql from '../statements/agent-statements.ts';
import * as keyBackfills from '../statements/key-backfill-statements.ts';
import type { AgentVersionRow } from '../tables/entities.ts';
import { record } from './acts.ts';

type Row = Omit<StoredVersion, 'tools'> & Pick<AgentVersionRow, 'tools'>;

export const agentVersionRepository = ({
  query,
  atomically,
}: Pick<Database, 'query' | 'atomically'>): AgentVersionRepository => ({
  async listVisible({ workspaceId, userId }, agentId, below, limit) {
    if (!isId(agentId)) return null;
    const rows = await query<Row>(sql.listVersions, [workspaceId, userId, agentId, below, limit]);
    if (rows.length === 0) return null;
    return rows
      .filter(({ version }) => version !== null)
      .map(({ tools, ...row }) => ({ ...row, tools: tools.map(readTool) }));
  },

  async find(agentId, version) {
    const [row] = await query<AgentVersionRow>(sql.findVersion, [agentId, version]);
    return row ? { ...row, tools: row.tools.map(readTool) } : null;
  },

  async nameable(workspaceId, userId) {
    const rows = await query<{ kind: 'connections' | 'databases' | 'agents'; id: string; name: string }>(sql.nameable, [
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

  publish: (agentId, version, by) =>
    atomically(async (run) => {
      const [before] = await run<{ version: number; workspaceId: string }>(
        'select version, workspace_id as "workspaceId" from agents where id = $1 for no key update',
        [agentId],
      );
      const [after] = await run<{ version: number }>(sql.publishVersion, [agentId, version]);
      if (!before || !after) throw new Error(`Agent ${agentId} has no version ${version}.`);
      await run(keyBackfills.begin, [before.workspaceId]);
      if (after.version > before.version) {
        await run('update agent_versions set created_by = $1 where agent_id = $2 and version = $3', [
          by.actor.id,
          agentId,
          after.version,
        ]);
        const subject = { type: 'agent', id: agentId, name: null } as const;
        const details = { version: after.version, from: version };
        const act: Act = { ...by, workspaceId: null, action: 'agent.published', subject, details };
        await record(run, act);
      }
      return after.version;
    }),
});
