import { claimNames, snakeCase } from '../../domain/tool.ts';
import type { Agent } from './wire.ts';

/** Programs whose configuration can be printed. */
export const mcpClients = ['claude', 'cursor', 'vscode'] as const;
export type McpClient = (typeof mcpClients)[number];

const HEADER = 'X-API-Key';
const KEY = 'PORTICO_API_KEY';
const INPUT = 'portico-api-key';

/** Some programs refuse tools whose name and server's name are over 60 characters together. */
const MAX_NAME = 20;

/** A name for each agent's server that every program takes, none of them twice. */
export const serversOf = (agents: readonly Agent[]): readonly { readonly name: string; readonly url: string }[] => {
  const taken = new Set<string>();
  return agents.map(({ name, mcp_url: url }) => {
    const base = snakeCase(name, 'agent').slice(0, MAX_NAME).replace(/_+$/, '');
    return { name: claimNames(taken, base, [''])[0] ?? base, url };
  });
};

/** A word for the shell: what a server answers is not to be run. */
const shellWord = (text: string) => (/^[\w:/.,~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Adds the server to Claude Code; the shell fills the key in. */
export const claudeCommand = ({ name, url }: { readonly name: string; readonly url: string }) =>
  `claude mcp add --transport http ${name} ${shellWord(url)} --header "${HEADER}: $${KEY}"`;

const entries = (agents: readonly Agent[], more: (url: string) => object) =>
  Object.fromEntries(serversOf(agents).map(({ name, url }) => [name, more(url)]));

const configurations: Readonly<Record<McpClient, (agents: readonly Agent[]) => object>> = {
  claude: (agents) => ({ mcpServers: entries(agents, (url) => ({ type: 'http', url, headers: { [HEADER]: `\${${KEY}}` } })) }),
  cursor: (agents) => ({ mcpServers: entries(agents, (url) => ({ url, headers: { [HEADER]: `\${env:${KEY}}` } })) }),
  vscode: (agents) => ({
    inputs: [{ type: 'promptString', id: INPUT, description: 'Portico API key', password: true }],
    servers: entries(agents, (url) => ({ type: 'http', url, headers: { [HEADER]: `\${input:${INPUT}}` } })),
  }),
};

/** The program's configuration file, without the key itself. */
export const configurationFor = (client: McpClient, agents: readonly Agent[]): object => configurations[client](agents);
