import type { Agent } from '../../domain/agent.ts';
import type { Connection } from '../../domain/connection.ts';
import { sealTools } from '../tools/secrets.ts';
import { type Ground, type Merged, merge } from './merge.ts';
import type { Audiences } from './people.ts';
import type { WorkspaceSpec } from './spec.ts';

type AgentSpec = WorkspaceSpec['agents'][number];

const systemOf = ({ systemOfRecord: system }: AgentSpec, connections: readonly Connection[]): Agent['systemOfRecord'] => {
  if (!system) return null;
  const { connection: name, entity, columns, documentIdColumn } = system;
  const connectionId = connections.find((connection) => connection.name === name)?.id ?? '';
  return { connectionId, entity, columns, documentIdColumn };
};

export const mergeAgents = (
  { workspace, now, ids, sealer }: Ground,
  wanted: readonly AgentSpec[],
  stored: readonly Agent[],
  { connections, who }: { readonly connections: readonly Connection[]; readonly who: Audiences },
): Merged<Agent> =>
  merge<AgentSpec, Agent>('agents', wanted, stored, {
    idOf: ({ id }) => id,
    nameOf: ({ name }) => name,
    build: (spec, found) => {
      const { id, name, description, workflowType, model, instructions, documentSchema, tools, visibleTo } = spec;
      return {
        ...{ id: found?.id ?? id ?? ids.next(), workspaceId: workspace.id },
        ...{ name, description, workflowType, model, instructions, documentSchema },
        ...{ systemOfRecord: systemOf(spec, connections), tools: sealTools(tools, found?.tools ?? [], sealer) },
        ...{ visibleTo: who(visibleTo), createdAt: found?.createdAt ?? now, updatedAt: now },
      };
    },
  });
