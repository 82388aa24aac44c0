import { type Command, Option } from 'commander';
import { claimNames, slugOf } from '../../../domain/tool.ts';
import type { Agent } from '../answers.ts';
import { type Context, inContext, type Json, resultCommand, withClient } from '../command.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { agentVersionCommands } from './agent-versions.ts';

/** Programs whose configuration can be printed. */
const mcpClients = ['claude', 'cursor', 'vscode'] as const;
type McpClient = (typeof mcpClients)[number];

const HEADER = 'X-API-Key';
const KEY = 'PORTICO_API_KEY';
const INPUT = 'portico-api-key';

/** Some programs refuse tools whose name and server's name are over 60 characters together. */
const MAX_NAME = 20;

/** A name for each agent's server that every program takes, none of them twice. */
const serversOf = (agents: readonly Agent[]): readonly { readonly name: string; readonly url: string }[] => {
  const taken = new Set<string>();
  return agents.map(({ name, mcp_url: url }) => {
    const base = slugOf(name, 'agent').slice(0, MAX_NAME).replace(/_+$/, '');
    return { name: claimNames(taken, base, [''])[0] ?? base, url };
  });
};

/** Quoted for the shell: it must not run what a server answers. */
const shellWord = (text: string) => (/^[\w:/.,~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Adds the server to Claude Code; the shell fills the key in. */
const claudeCommand = ({ name, url }: { readonly name: string; readonly url: string }) =>
  `claude mcp add --transport http ${name} ${shellWord(url)} --header "${HEADER}: $${KEY}"`;

const entries = (agents: readonly Agent[], more: (url: string) => object) =>
  Object.fromEntries(serversOf(agents).map(({ name, url }) => [name, more(url)]));

/** The configuration file of each program, without the key itself. */
const configurations: Readonly<Record<McpClient, (agents: readonly Agent[]) => object>> = {
  claude: (agents) => ({
    mcpServers: entries(agents, (url) => ({ type: 'http', url, headers: { [HEADER]: `\${${KEY}}` } })),
  }),
  cursor: (agents) => ({ mcpServers: entries(agents, (url) => ({ url, headers: { [HEADER]: `\${env:${KEY}}` } })) }),
  vscode: (agents) => ({
    inputs: [{ type: 'promptString', id: INPUT, description: 'Portico API key', password: true }],
    servers: entries(agents, (url) => ({ type: 'http', url, headers: { [HEADER]: `\${input:${INPUT}}` } })),
  }),
};

interface Options extends Json {
  readonly mcp?: McpClient;
}

const show = ({ out, table, paint }: Terminal, agents: readonly Agent[]) => {
  table(
    ['ID', 'NAME', 'DESCRIPTION'],
    agents.map(({ id, name, description }) => [id, name, description]),
  );
  out();
  table(
    ['AGENT', 'MCP URL'],
    agents.map(({ name, mcp_url: url }) => [name, url]),
  );
  // An assistant is more likely to have tools than an agent that reads documents.
  const example = Math.max(
    0,
    agents.findIndex(({ workflow_type: type }) => type === 'assistant'),
  );
  const server = serversOf(agents)[example];
  if (!server) return;
  out();
  out(
    `Use the tools of ${printable(agents[example]?.name ?? '')} in Claude Code (without the header, it signs you in by the browser):`,
  );
  out();
  out(`  ${printable(claudeCommand(server))}`);
  out();
  out(
    paint('dim', `Other programs: portico agents list --mcp ${mcpClients.join('|')} prints the file that they read.`),
  );
};

const list = (context: Context, { json, mcp }: Options) =>
  withClient(context, async ({ client, read, terminal }) => {
    const value = await read('agents', client.get('/api/v1/agents'));
    if (mcp !== undefined) return terminal.json(configurations[mcp](value.agents));
    if (json) return terminal.json(value);
    if (value.agents.length === 0) return terminal.out('There is no agent that you can see.');
    show(terminal, value.agents);
  });

export const agentCommands = (program: Command, context: Context) => {
  const agents = program.command('agents').description('the agents you can see, and the versions of what they do');
  const mcp = new Option('--mcp <program>', 'print the file by which a program uses their tools over MCP').choices(
    mcpClients,
  );
  const lines = [
    'portico agents list',
    'portico agents list --json',
    'portico agents list --mcp cursor > .cursor/mcp.json',
  ];
  resultCommand(agents, 'list', 'list them, ordered by name, and how to use their tools elsewhere', lines)
    .addOption(mcp.conflicts('json'))
    .action(inContext(context, list));
  agentVersionCommands(agents, context);
};
