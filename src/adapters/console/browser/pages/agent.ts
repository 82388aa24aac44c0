import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { useLoaded } from '../loaded.ts';
import { Versions } from '../parts/agent-versions.ts';
import { useAgents, useMayWrite } from '../parts/agents.ts';
import { Empty, Heading, Loading } from '../parts/basics.ts';
import { Connect } from '../parts/connect.ts';
import { Conversation } from '../parts/conversation.ts';
import { to } from '../router.ts';

/** What a person has to know before the tool is called. */
const effectsOf = (tool: Schemas['AgentTool']): readonly string[] => [
  tool.read_only ? 'reads' : tool.destructive ? 'changes' : 'adds',
  ...(tool.open_world ? ['reaches outside'] : []),
  ...(tool.requires_approval ? ['needs approval'] : []),
];

const Tool = ({ tool }: { readonly tool: Schemas['AgentTool'] }) =>
  html`<li class="unit"><details><summary><span class="name">${tool.title}</span>
      <span>${effectsOf(tool).map((effect) => html`<span class=${effect === 'reads' ? 'soft' : 'flag'}>${effect}</span> `)}</span></summary>
    <p><code>${tool.name}</code></p><p class="said">${tool.description}</p></details></li>`;

/** The tools, and how other programs use them. */
const Tools = ({ agent }: { readonly agent: Schemas['Agent'] }) => {
  const params = { path: { agent_id: agent.id } };
  const loaded = useLoaded(`tools ${agent.id}`, (signal) => api.get('/api/v1/agents/{agent_id}/tools', { params, signal }));
  return html`<section class="panel"><h2>Tools</h2>
    <${Loading} of=${loaded} lines=${2} />
    ${loaded.data?.tools.length === 0 && html`<p class="soft">This agent has no tools.</p>`}
    <ul class="units">${loaded.data?.tools.map((tool) => html`<${Tool} key=${tool.name} tool=${tool} />`)}</ul>
  </section>
  ${loaded.data && loaded.data.tools.length > 0 && html`<${Connect} agent=${agent} />`}`;
};

export const Agent = ({ id }: { readonly id: string }) => {
  const { agents, isLoading, loaded } = useAgents();
  const mayWrite = useMayWrite();
  const agent = agents.find((each) => each.id === id);
  const back = html`<a class="back" href=${to('/agents')}>Agents</a>`;
  if (isLoading) return html`<${Heading} title="Agent" back=${back} /><${Loading} of=${loaded} />`;
  if (!agent)
    return html`<${Heading} title="Agent" back=${back} /><${Empty} title="There is no such agent"><p>It may be gone, or you may not see it.</p><//>`;
  return html`<${Heading} title=${agent.name} back=${back} />
    ${agent.description && html`<p class="lead">${agent.description}</p>`}
    ${mayWrite && html`<${Conversation} key=${id} agentId=${id} />`}
    <${Tools} agent=${agent} />
    <${Versions} agentId=${id} />`;
};
