import type { Command } from 'commander';
import { type Context, inContext, type Json, resultCommand, withOperator } from '../command.ts';
import { printable } from '../printable.ts';

const list = (context: Context, { json }: Json) =>
  withOperator(context, async (operator, terminal) => {
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
    terminal.table(
      ['EMAIL', 'ROLE', 'WORKSPACE', 'NAME'],
      found.map(({ email, role, workspace, name }) => [email, role, workspace, name]),
      'There are no users yet: portico apply -f workspace.yaml makes them.',
    );
  });

const invite = (context: Context, email: string, { json }: Json) =>
  withOperator(context, async (operator, terminal) => {
    const { url, expiresAt } = await operator.accounts.invite(email);
    if (json) return terminal.json({ url, expires_at: expiresAt });
    terminal.note(`Give this address to ${printable(email)} alone: it sets the password of the account.`);
    terminal.note(`It works once, until ${expiresAt.toISOString()}; an earlier one does not work any more.`);
    terminal.out(url);
  });

export const userCommands = (program: Command, context: Context) => {
  const users = program.command('users').description('who may use the server');
  const lists = ['portico users list', 'portico users list --json'];
  resultCommand(users, 'list', 'list the users of every workspace', lists).action(inContext(context, list));
  resultCommand(users, 'invite', 'make an address by which a user sets a password', [
    'portico users invite ada@example.com',
  ])
    .argument('<email>', 'a user of one of the workspaces')
    .action(inContext(context, invite));
};
