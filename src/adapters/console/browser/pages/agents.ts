import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { type JsonValue, resolvePointer } from '../../../../domain/json.ts';
import { snakeCase } from '../../../../domain/tool.ts';
import { api } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useLoaded } from '../loaded.ts';
import { useAgents, useMayWrite, useVersion } from '../parts/agents.ts';
import { copy, Disclosure, Empty, Failure, Heading, Loading, Skeleton, setting, Time } from '../parts/basics.ts';
import { Conversation } from '../parts/conversation.ts';
import { rowKeys } from '../parts/lists.ts';
import { act } from '../parts/notice.ts';
import { to } from '../router.ts';

const shown = (definition: Schemas['AgentDefinition'], pointer: string): string | null => {
  const value = resolvePointer(definition as unknown as JsonValue, pointer);
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
};

type SidesProps = { readonly pointer: string; readonly before: string | null; readonly after: string | null };

const Change = ({ pointer, before, after }: SidesProps) =>
  html`<div class="change"><h4 class="mono">${pointer}</h4>
    ${before !== null && html`<del><span class="unseen">before: </span>${before}</del>`}
    ${after !== null && html`<ins><span class="unseen">after: </span>${after}</ins>`}
  </div>`;

/** What the version has otherwise than the one before it. */
const Difference = ({ agentId, of }: { readonly agentId: string; readonly of: Schemas['AgentVersion'] }) => {
  const [after, before] = [of.version, of.version - 1].map((version) => useVersion(version === 0 ? null : agentId, version));
  const error = after?.error ?? before?.error ?? null;
  if (error !== null) return html`<${Failure} error=${error} retry=${after?.reload} />`;
  if (!after?.data || !before?.data) return html`<${Skeleton} lines=${2} />`;
  const [newer, older] = [after.data.definition, before.data.definition];
  return of.changes.map(
    (pointer) => html`<${Change} key=${pointer} pointer=${pointer} before=${shown(older, pointer)} after=${shown(newer, pointer)} />`,
  );
};

const Version = ({ agentId, of }: { readonly agentId: string; readonly of: Schemas['AgentVersion'] }) => {
  const line = html`<span class="name">Version ${of.version} ${of.live && html`<span class="flag">live</span>`}</span>
    <span class="soft"><${Time} at=${of.created_at} />${of.created_by && ` by ${of.created_by.name}`}</span>`;
  if (of.changes.length === 0) return html`<li class="unit"><p class="version">${line}</p></li>`;
  return html`<li class="unit"><${Disclosure} summary=${line}>${() => html`<${Difference} agentId=${agentId} of=${of} />`}<//></li>`;
};

/** The newest versions of an agent, each with what it changed. */
const Versions = ({ agentId }: { readonly agentId: string }) => {
  const limit = useSignal(10);
  const load = (signal: AbortSignal) =>
    api.get('/api/v1/agents/{agent_id}/versions', { params: { path: { agent_id: agentId }, query: { limit: limit.value } }, signal });
  const loaded = useLoaded(`versions ${agentId} ${limit.value}`, load, { keep: true });
  return html`<section class="panel"><h2>Versions</h2>
    <${Loading} of=${loaded} lines=${2} />
    <ul class="units">${loaded.data?.versions.map((of) => html`<${Version} key=${of.version} agentId=${agentId} of=${of} />`)}</ul>
    ${
      loaded.data?.next &&
      limit.value < 100 &&
      html`<p class="more"><button type="button" class="text" onClick=${setting(limit, 100)}>Show older versions</button></p>`
    }
  </section>`;
};

type Line = { readonly client: string; readonly text: string; readonly hint: string };

const linesFor = ({ name, mcp_url: url }: Schemas['Agent']): readonly Line[] => {
  const server = snakeCase(name, 'agent');
  const json = (of: object) => JSON.stringify(of);
  const vscode = json({ name: server, type: 'http', url }).replaceAll("'", "'\\''");
  return [
    {
      client: 'Claude Code',
      text: `claude mcp add --transport http ${server} ${url}`,
      hint: 'Then type /mcp, choose the server and sign in.',
    },
    {
      client: 'Claude and Claude Desktop',
      text: url,
      hint: 'Settings → Connectors → Add custom connector. Claude must reach the address from the internet.',
    },
    {
      client: 'Cursor',
      text: json({ mcpServers: { [server]: { url } } }),
      hint: 'The file .cursor/mcp.json; Cursor offers to sign you in.',
    },
    { client: 'VS Code', text: `code --add-mcp '${vscode}'`, hint: 'In bash or zsh. VS Code signs you in.' },
  ];
};

/** How other programs use the tools of the agent. */
const Connect = ({ agent }: { readonly agent: Schemas['Agent'] }) =>
  html`<section class="panel"><h2>Use its tools in other programs</h2>
    <p class="soft">The agent is a server of the Model Context Protocol. Paste the line of your program; it opens a page where you sign in.</p>
    <dl class="connect">${linesFor(agent).map(
      (
        line,
      ) => html`<div><dt>${line.client} <button type="button" class="text" aria-label=${`Copy the line for ${line.client}`} onClick=${() => void act(() => copy(line.text), `The line for ${line.client} is in the clipboard.`)}>Copy</button></dt>
        <dd><code>${line.text}</code><span class="soft">${line.hint}</span></dd></div>`,
    )}</dl>
  </section>`;

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
