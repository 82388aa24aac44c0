import type { Command } from 'commander';
import { type Context, examples, withJson, withOperator } from '../command.ts';

export const userCommands = (program: Command, context: Context) => {
  const { terminal } = context;
  const users = program.command('users').description('who may use the server');
  const list = withJson(users.command('list').description('list the users of every workspace'));
  examples(list, 'portico users list', 'portico users list --json').action(({ json }: { json?: boolean }) =>
    withOperator(context, async (operator) => {
      const found = await operator.users.list();
      if (json) {
        const rows = found.map(({ id, email, name, role, workspace, createdAt }) => ({
          id,
          email,
          name,
          role,
          workspace,
          created_at: createdAt,
        }));
        return terminal.json({ users: rows });
      }
      if (found.length === 0) return terminal.out('There are no users yet: portico apply -f workspace.yaml makes them.');
      terminal.table(
        ['EMAIL', 'ROLE', 'WORKSPACE', 'NAME'],
        found.map(({ email, role, workspace, name }) => [email, role, workspace, name]),
      );
    }),
  );
};
