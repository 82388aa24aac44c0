import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../../client/portico.ts';
import { slugOf } from '../../../../../domain/tool.ts';
import { copy, LoadedList } from '../../parts/basics.tsx';
import { Action } from '../../parts/notice.tsx';
import { reading } from '../../queries.ts';

/** For each program: its line, and what comes then. */
const linesFor = ({ name, mcp_url: url }: Schemas['Agent']) => {
  const server = slugOf(name, 'agent');
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
      The agent is a server of the Model Context Protocol: a program has its tools, and upload_file, start_run and
      get_run, which send it files and follow what it reads of them. Paste the line of your program; it opens a page
      where you sign in.
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

const effectOf = ({ read_only, destructive }: Schemas['AgentTool']) => {
  if (read_only) return 'reads';
  return destructive ? 'changes' : 'adds';
};

/** What a person has to know before the tool is called. */
const effectsOf = (tool: Schemas['AgentTool']): readonly string[] => [
  effectOf(tool),
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
export const Tools = ({ agent }: { readonly agent: Schemas['Agent'] }) => {
  const params = { path: { agent_id: agent.id } };
  const loaded = useQuery(reading(['tools', agent.id], (get) => get('/api/v1/agents/{agent_id}/tools', { params })));
  const entry = (tool: Schemas['AgentTool']) => <Tool key={tool.name} tool={tool} />;
  return (
    <>
      <section class="panel">
        <h2>Tools</h2>
        <LoadedList
          of={loaded}
          items={loaded.data?.tools}
          look="units"
          none="It calls no tools while it works."
          entry={entry}
        />
      </section>
      <Connect agent={agent} />
    </>
  );
};
