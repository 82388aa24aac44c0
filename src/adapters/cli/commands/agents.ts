import type { Command } from 'commander';
import { type Context, examples, interruptible, withJson } from '../command.ts';

export const agentCommands = (program: Command, context: Context) => {
  const { terminal, dependencies } = context;
  const agents = program.command('agents').description('the agents you can see');
  const list = withJson(agents.command('list').description('list them, ordered by name'));
  examples(list, 'portico agents list', 'portico agents list --json').action(({ json }: { json?: boolean }) =>
    interruptible(context, async (signal) => {
      const [{ apiClient }, wire] = await Promise.all([import('../client.ts'), import('../wire.ts')]);
      const { value, raw } = await apiClient(dependencies.env, signal, terminal.note).call({ path: 'agents', answer: wire.agents });
      if (json) return terminal.json(raw);
      if (value.agents.length === 0) return terminal.out('There is no agent that you can see.');
      terminal.table(
        ['ID', 'NAME', 'DESCRIPTION'],
        value.agents.map(({ id, name, description }) => [id, name, description ?? '']),
      );
    }),
  );
};
