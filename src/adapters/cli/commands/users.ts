import type { Command } from 'commander';
import { type Context, examples, type Json, withJson, withOperator } from '../command.ts';
import { printable } from '../printable.ts';

const list = (context: Context, { json }: Json) =>
  withOperator(context, async (operator) => {
    const { terminal } = context;
    const found = await operator.users.list();
    if (json) {
      const rows = found.map(({ id, email, name, role, workspace, createdAt }) => ({
        ...{ id, email, name, role, workspace, created_at: createdAt },
      }));
      return terminal.json({ users: rows });
    }
    if (found.length === 0) return terminal.out('There are no users yet: portico apply -f workspace.yaml makes them.');
    terminal.table(
      ['EMAIL', 'ROLE', 'WORKSPACE', 'NAME'],
      found.map(({ email, role, workspace, name }) => [email, role, workspace, name]),
    );
  });

const invite = (context: Context, email: string, { json }: Json) =>
  withOperator(context, async (operator) => {
    const { terminal } = context;
    const { url, expiresAt } = await operator.accounts.invite(email);
    if (json) return terminal.json({ url, expires_at: expiresAt });
    terminal.note(`Give this address to ${printable(email)} alone: it sets the password of the account.`);
    terminal.note(`It works once, until ${expiresAt.toISOString()}; an earlier one does not work any more.`);
    terminal.out(url);
  });

export const userCommands = (program: Command, context: Context) => {
  const users = program.command('users').description('who may use the server');
  const listed = withJson(users.command('list').description('list the users of every workspace')).action((options: Json) =>
    list(context, options),
  );
  examples(listed, 'portico users list', 'portico users list --json');
  const invited = withJson(users.command('invite').description('make an address by which a user sets a password'))
    .argument('<email>', 'a user of one of the workspaces')
    .action((email: string, options: Json) => invite(context, email, options));
  examples(invited, 'portico users invite ada@example.com');
};
