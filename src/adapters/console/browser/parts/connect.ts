import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { snakeCase } from '../../../../domain/tool.ts';
import { copy } from './basics.ts';
import { act } from './notice.ts';

interface Line {
  readonly client: string;
  readonly text: string;
  readonly hint: string;
}

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
export const Connect = ({ agent }: { readonly agent: Schemas['Agent'] }) =>
  html`<section class="panel"><h2>Use its tools in other programs</h2>
    <p class="soft">The agent is a server of the Model Context Protocol. Paste the line of your program; it opens a page where you sign in.</p>
    <dl class="connect">${linesFor(agent).map(
      (
        line,
      ) => html`<div><dt>${line.client} <button type="button" class="text" aria-label=${`Copy the line for ${line.client}`} onClick=${() => void act(() => copy(line.text), `The line for ${line.client} is in the clipboard.`)}>Copy</button></dt>
        <dd><code>${line.text}</code><span class="soft">${line.hint}</span></dd></div>`,
    )}</dl>
  </section>`;
