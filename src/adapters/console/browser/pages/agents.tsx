import type { Schemas } from '../../../../client/portico.ts';
import { to } from '../address.ts';
import { useKeys } from '../keys.ts';
import { useAgents } from '../parts/agents.ts';
import { Empty, Heading } from '../parts/basics.tsx';
import { type Columns, rowKeys, Table } from '../parts/lists.tsx';

const kinds: Readonly<Record<Schemas['WorkflowType'], string>> = {
  document_extraction: 'Reads documents',
  document_routing: 'Divides files',
  assistant: 'Assistant',
};

const lead = ({ id, name, description: more }: Schemas['Agent']) => ({ address: to(`/agents/${id}`), name, more });
const columns: Columns<Schemas['Agent']> = ['Agent', ['Kind', ({ workflow_type: type }) => kinds[type], 'kind']];

export const Agents = () => {
  const { agents, isLoading, loaded } = useAgents();
  useKeys(rowKeys);
  return (
    <>
      <Heading title="Agents" of={loaded} />
      {!isLoading && agents.length === 0 && (
        <Empty title="No agents yet">
          <p>
            Agents are described in a workspace file. An administrator makes them with{' '}
            <code>npx portico apply -f workspace.yaml</code>.
          </p>
        </Empty>
      )}
      {agents.length > 0 && <Table items={agents} lead={lead} columns={columns} />}
    </>
  );
};
