import { useSignal } from '@preact/signals';
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../client/portico.ts';
import { type JsonValue, resolvePointer } from '../../../../domain/json.ts';
import { snakeCase } from '../../../../domain/tool.ts';
import { to } from '../address.ts';
import { useKeys } from '../keys.ts';
import { useAgents, useMayWrite, useVersion } from '../parts/agents.ts';
import { copy, Disclosure, Empty, Heading, LoadedList, Loading, setting, Time } from '../parts/basics.tsx';
import { Conversation } from '../parts/conversation.tsx';
import { type Columns, rowKeys, Table } from '../parts/lists.tsx';
import { Action } from '../parts/notice.tsx';
import { reading } from '../queries.ts';

const shown = (definition: Schemas['AgentDefinition'], pointer: string): string | null => {
  const value = resolvePointer(definition as unknown as JsonValue, pointer);
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
};

type SidesProps = { readonly pointer: string; readonly before: string | null; readonly after: string | null };

const Change = ({ pointer, before, after }: SidesProps) => (
  <div class="change">
    <h4 class="mono">{pointer}</h4>
    {before !== null && (
      <del>
        <span class="unseen">before: </span>
        {before}
      </del>
    )}
    {after !== null && (
      <ins>
        <span class="unseen">after: </span>
        {after}
      </ins>
    )}
  </div>
);

/** What the version has otherwise than the one before it. */
const Difference = ({ agentId, of }: { readonly agentId: string; readonly of: Schemas['AgentVersion'] }) => {
  const [before, after] = [useVersion(agentId, of.version - 1), useVersion(agentId, of.version)];
  if (!after.data || !before.data) return <Loading of={before.error === null ? after : before} lines={2} />;
  const [older, newer] = [before.data.definition, after.data.definition];
  return of.changes.map((pointer) => (
    <Change key={pointer} pointer={pointer} before={shown(older, pointer)} after={shown(newer, pointer)} />
  ));
};

const Version = ({ agentId, of }: { readonly agentId: string; readonly of: Schemas['AgentVersion'] }) => {
  const line = (
    <>
      <span class="name">
        Version {of.version} {of.live && <span class="flag">live</span>}
      </span>
      <span class="soft">
        <Time at={of.created_at} />
        {of.created_by && ` by ${of.created_by.name}`}
      </span>
    </>
  );
  if (of.changes.length === 0)
    return (
      <li class="unit">
        <p class="version">{line}</p>
      </li>
    );
  return (
    <li class="unit">
      <Disclosure summary={line}>{() => <Difference agentId={agentId} of={of} />}</Disclosure>
    </li>
  );
};

const MOST_VERSIONS = 100;

/** The newest versions of an agent, each with what it changed. */
const Versions = ({ agentId }: { readonly agentId: string }) => {
  const limit = useSignal(10);
  const params = { path: { agent_id: agentId }, query: { limit: limit.value } };
  const newest = reading(['versions', params], (get) => get('/api/v1/agents/{agent_id}/versions', { params }));
  const loaded = useQuery({ ...newest, placeholderData: keepPreviousData });
  const entry = (of: Schemas['AgentVersion']) => <Version key={of.version} agentId={agentId} of={of} />;
  const hasMore = loaded.data?.next && limit.value < MOST_VERSIONS;
  return (
    <section class="panel">
      <h2>Versions</h2>
      <LoadedList of={loaded} items={loaded.data?.versions} look="units" entry={entry} />
      {hasMore && (
        <p class="more">
          <button type="button" class="text" onClick={setting(limit, MOST_VERSIONS)}>
            Show older versions
          </button>
        </p>
      )}
    </section>
  );
};

/** For each program: its line, and what comes then. */
const linesFor = ({ name, mcp_url: url }: Schemas['Agent']) => {
  const server = snakeCase(name, 'agent');
  const vscode = JSON.stringify({ name: server, type: 'http', url }).replaceAll("'", "'\\''");
  return [
    [
      'Claude Code',
      `claude mcp add --transport http ${server} ${url}`,
      'Then type /mcp, choose the server and sign in.',
    ],
    [
      'Claude and Claude Desktop',
      url,
      'Settings → Connectors → Add custom connector. Claude must reach the address from the internet.',
    ],
    [
      'Cursor',
      JSON.stringify({ mcpServers: { [server]: { url } } }),
      'The file .cursor/mcp.json; Cursor offers to sign you in.',
    ],
    ['VS Code', `code --add-mcp '${vscode}'`, 'In bash or zsh. VS Code signs you in.'],
  ] as const;
};

/** How other programs use the tools of the agent. */
const Connect = ({ agent }: { readonly agent: Schemas['Agent'] }) => (
  <section class="panel">
    <h2>Use its tools in other programs</h2>
    <p class="soft">
      The agent is a server of the Model Context Protocol. Paste the line of your program; it opens a page where you
      sign in.
    </p>
    <dl class="connect">
      {linesFor(agent).map(([client, text, hint]) => (
        <div>
          <dt>
            {client}{' '}
            <Action
              class="text"
              aria-label={`Copy the line for ${client}`}
              does={() => copy(text)}
              done={`The line for ${client} is in the clipboard.`}
            >
              Copy
            </Action>
          </dt>
          <dd>
            <code>{text}</code>
            <span class="soft">{hint}</span>
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

/** What a person has to know before the tool is called. */
const effectsOf = (tool: Schemas['AgentTool']): readonly string[] => [
  tool.read_only ? 'reads' : tool.destructive ? 'changes' : 'adds',
  ...(tool.open_world ? ['reaches outside'] : []),
  ...(tool.requires_approval ? ['needs approval'] : []),
];

const Tool = ({ tool }: { readonly tool: Schemas['AgentTool'] }) => (
  <li class="unit">
    <details>
      <summary>
        <span class="name">{tool.title}</span>
        <span>
          {effectsOf(tool).map((effect) => (
            <>
              <span class={effect === 'reads' ? 'soft' : 'flag'}>{effect}</span>{' '}
            </>
          ))}
        </span>
      </summary>
      <p>
        <code>{tool.name}</code>
      </p>
      <p class="said">{tool.description}</p>
    </details>
  </li>
);

/** The tools, and how other programs use them. */
const Tools = ({ agent }: { readonly agent: Schemas['Agent'] }) => {
  const params = { path: { agent_id: agent.id } };
  const loaded = useQuery(reading(['tools', agent.id], (get) => get('/api/v1/agents/{agent_id}/tools', { params })));
  const entry = (tool: Schemas['AgentTool']) => <Tool key={tool.name} tool={tool} />;
  return (
    <>
      <section class="panel">
        <h2>Tools</h2>
        <LoadedList of={loaded} items={loaded.data?.tools} look="units" none="This agent has no tools." entry={entry} />
      </section>
      {loaded.data && loaded.data.tools.length > 0 && <Connect agent={agent} />}
    </>
  );
};

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
      {mayWrite && <Conversation key={id} agentId={id} />}
      <Tools agent={agent} />
      <Versions agentId={id} />
    </>
  );
};

const kinds: Readonly<Record<Schemas['WorkflowType'], string>> = {
  document_extraction: 'Reads documents',
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
