import { to } from '../../address.ts';
import { useAgents, useMayWrite } from '../../parts/agents.ts';
import { Empty, Heading } from '../../parts/basics.tsx';
import { Conversation } from '../../parts/conversation.tsx';
import { Definition } from './definition.tsx';
import { Tools } from './tools.tsx';
import { Trial } from './trial.tsx';
import { Versions } from './versions.tsx';

export const Agent = ({ id }: { readonly id: string }) => {
  const { agents, isLoading, loaded } = useAgents();
  const mayWrite = useMayWrite();
  const agent = agents.find((each) => each.id === id);
  const back = [to('/agents'), 'Agents'] as const;
  if (isLoading) return <Heading title="Agent" back={back} of={loaded} />;
  if (!agent)
    return (
      <>
        <Heading title="Agent" back={back} />
        <Empty title="There is no such agent">
          <p>It may be gone, or you may not see it.</p>
        </Empty>
      </>
    );
  return (
    <>
      <Heading title={agent.name} back={back} />
      {agent.description && <p class="lead">{agent.description}</p>}
      {mayWrite && <Trial key={`file ${id}`} agent={agent} />}
      {mayWrite && <Conversation key={id} agentId={id} />}
      <Definition agentId={id} />
      <Tools agent={agent} />
      <Versions agentId={id} />
    </>
  );
};
