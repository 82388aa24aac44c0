import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { useKeys } from '../keys.ts';
import { useAgents } from '../parts/agents.ts';
import { Empty, Heading, Loading } from '../parts/basics.ts';
import { rowKeys } from '../parts/lists.ts';
import { to } from '../router.ts';

const kinds: Readonly<Record<Schemas['WorkflowType'], string>> = { document_extraction: 'Reads documents', assistant: 'Assistant' };

const Row = ({ agent }: { readonly agent: Schemas['Agent'] }) =>
  html`<tr data-row>
    <td class="name"><a href=${to(`/agents/${agent.id}`)}>${agent.name}</a><span class="soft cut">${agent.description}</span></td>
    <td>${kinds[agent.workflow_type]}</td>
  </tr>`;

export const Agents = () => {
  const { agents, isLoading, loaded } = useAgents();
  useKeys(rowKeys);
  return html`<${Heading} title="Agents" />
    <${Loading} of=${loaded} />
    ${!isLoading && agents.length === 0 && html`<${Empty} title="No agents yet"><p>Agents are described in a workspace file. An administrator makes them with <code>npx portico apply -f workspace.yaml</code>.</p><//>`}
    ${
      agents.length > 0 &&
      html`<table class="list">
      <thead><tr><th scope="col">Agent</th><th scope="col" class="wide">Kind</th></tr></thead>
      <tbody>${agents.map((agent) => html`<${Row} key=${agent.id} agent=${agent} />`)}</tbody>
    </table>`
    }`;
};
