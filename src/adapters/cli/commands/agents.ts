import { type Command, Option } from 'commander';
import { type Context, examples, type Json, withClient, withJson } from '../command.ts';
import { claudeCommand, configurationFor, type McpClient, mcpClients, serversOf } from '../mcp-clients.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import type { Agent } from '../wire.ts';

interface Options extends Json {
  readonly mcp?: McpClient;
}

const show = ({ out, table, paint }: Terminal, agents: readonly Agent[]) => {
  table(
    ['ID', 'NAME', 'DESCRIPTION'],
    agents.map(({ id, name, description }) => [id, name, description ?? '']),
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
  out(`Use the tools of ${printable(agents[example]?.name ?? '')} in Claude Code (without the header, it signs you in by the browser):`);
  out();
  out(`  ${printable(claudeCommand(server))}`);
  out();
  out(paint('dim', `Other programs: portico agents list --mcp ${mcpClients.join('|')} prints the file that they read.`));
};

const list = (context: Context, { json, mcp }: Options) =>
  withClient(context, async ({ client, wire }) => {
    const { terminal } = context;
    const { value, raw } = await client.call({ path: 'agents', answer: wire.agents });
    if (mcp !== undefined) return terminal.json(configurationFor(mcp, value.agents));
    if (json) return terminal.json(raw);
    if (value.agents.length === 0) return terminal.out('There is no agent that you can see.');
    show(terminal, value.agents);
  });

export const agentCommands = (program: Command, context: Context) => {
  const agents = program.command('agents').description('the agents you can see');
  const mcp = new Option('--mcp <program>', 'print the file by which a program uses their tools over MCP').choices(mcpClients);
  const listed = withJson(agents.command('list').description('list them, ordered by name, and how to use their tools elsewhere'))
    .addOption(mcp.conflicts('json'))
    .action((options: Options) => list(context, options));
  examples(listed, 'portico agents list', 'portico agents list --json', 'portico agents list --mcp cursor > .cursor/mcp.json');
};
