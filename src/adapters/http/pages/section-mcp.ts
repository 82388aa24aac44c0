import { API } from '../operation.ts';
import type { Facts, Section } from './developers.ts';
import { type Html, html } from './html.ts';

const shell = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;

export const mcp = ({ urls: { base } }: Facts): Section => ({
  id: 'mcp',
  title: 'Tools over MCP',
  body: html`<p>The tools of an agent are there for other programs too, over the Model Context Protocol: Claude, Cursor, VS Code and whatever else speaks
it. Each agent is a server of its own, at the <code>mcp_url</code> that the list of agents tells:</p>
${shell(`${base}${API}/agents/$AGENT_ID/mcp`)}
<p>Its transport is Streamable HTTP without sessions, for clients of every revision up to 2026-07-28. There are two ways in:</p>
<h3>With an API key</h3>
<p>The tools then act with the rights of the key’s user. A key that is limited to scopes does not work here: no scope names the tools.</p>
${shell(`claude mcp add --transport http my_agent ${base}${API}/agents/$AGENT_ID/mcp \\
  --header "X-API-Key: $PORTICO_API_KEY"`)}
<p><code>portico agents list</code> prints this for your agents, and with <code>--mcp cursor</code> or <code>--mcp vscode</code> the file that those
programs read.</p>
<h3>By signing in</h3>
<p>Give the address alone. The client is answered 401 with the way to the authorization server (RFC 9728), sends you to sign in, and gets a token for this
agent and for nothing else: on another agent, and on the operations of the API, it is no credential (401). For programs that are not on your computer, such
as claude.ai, the address has to be reachable from the internet by <code>https</code>.</p>
<h3>Calls</h3>
<p>Answers are JSON; a call that reports progress, or takes long, is answered by a stream of events. A client that hangs up cancels its call. Tools that a
person has to approve are not offered. Arguments that do not fit, and calls that fail, are results with <code>isError</code> and a text that a model can act
on.</p>`,
});
