import { type Command, Option } from 'commander';
import { type Role, roles } from '../../../domain/access.ts';
import { type Context, inContext, type Json, mustFit, resultCommand, withOperator } from '../command.ts';
import { printable } from '../printable.ts';

const list = (context: Context, { json }: Json) =>
  withOperator(context, async (operator, terminal) => {
    const users = await operator.people.list();
    if (json) {
      const rows = users.map(({ id, email, name, role, workspace, createdAt, disabled, signIn, lastSeenAt }) => ({
        id,
        email,
        name,
        role,
        workspace,
        created_at: createdAt,
        disabled,
        sign_in: signIn,
        last_seen_at: lastSeenAt,
      }));
      return terminal.json({ users: rows });
    }
    terminal.table(
      ['EMAIL', 'ROLE', 'WORKSPACE', 'NAME', 'SIGNS IN BY', 'LAST SEEN', 'STATE'],
      users.map(({ email, role, workspace, name, disabled, signIn, lastSeenAt }) => [
        email,
        role,
        workspace,
        name,
        signIn,
        lastSeenAt?.toISOString() ?? 'never',
        disabled ? 'disabled' : 'enabled',
      ]),
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

const link = (context: Context, email: string, { json }: Json) =>
  withOperator(context, async (operator, terminal) => {
    const { url, expiresAt } = await operator.people.link(email);
    if (json) return terminal.json({ url, expires_at: expiresAt });
    terminal.note(`Give this address to ${printable(email)} alone: it signs in as that user, once.`);
    terminal.note(`It works until ${expiresAt.toISOString()}.`);
    terminal.out(url);
  });

interface NewUser extends Json {
  readonly name: string;
  readonly role: Role;
  readonly workspace?: string | null;
}

const add = async (context: Context, email: string, { name, role, workspace = null, json }: NewUser) => {
  await mustFit({ email, name, role }, async () => (await import('../../../wire/account.ts')).personFields);
  await withOperator(context, async (operator, terminal) => {
    const { id } = await operator.people.add({ email, name, role }, workspace);
    if (json) return terminal.json({ id, email, name, role });
    terminal.note(`${printable(email)} is a user now: portico users invite makes an address to sign in by.`);
    terminal.out(id);
  });
};

const setDisabled =
  (disabled: boolean) =>
  (context: Context, email: string, { json }: Json) =>
    withOperator(context, async (operator, terminal) => {
      await operator.people.setDisabled(email, disabled);
      if (json) return terminal.json({ email, disabled });
      terminal.out(
        disabled
          ? `${printable(email)} is disabled: sessions and programs have ended, keys are refused.`
          : `${printable(email)} is enabled: keys work again, and the user can sign in.`,
      );
    });

export const userCommands = (program: Command, context: Context) => {
  const users = program.command('users').description('who may use the server');
  const lists = ['portico users list', 'portico users list --json'];
  resultCommand(users, 'list', 'list the users of every workspace', lists).action(inContext(context, list));
  resultCommand(users, 'add', 'add a user whom no workspace file names', [
    'portico users add grace@example.com --name "Grace Hopper" --role member',
  ])
    .argument('<email>', 'the address that the user signs in with')
    .requiredOption('--name <name>', 'the name of the user')
    .addOption(new Option('--role <role>', 'what the user may do').choices(roles).default('member'))
    .option('--workspace <name>', 'the workspace, where the server has several')
    .action(inContext(context, add));
  resultCommand(users, 'disable', 'let nothing of a user work any more', ['portico users disable bob@example.com'])
    .argument('<email>', 'a user of one of the workspaces')
    .action(inContext(context, setDisabled(true)));
  resultCommand(users, 'enable', 'let a user in again', ['portico users enable bob@example.com'])
    .argument('<email>', 'a user of one of the workspaces')
    .action(inContext(context, setDisabled(false)));
  resultCommand(users, 'link', 'make an address that signs a user in once, within half an hour', [
    'portico users link ada@example.com',
  ])
    .argument('<email>', 'a user of one of the workspaces')
    .action(inContext(context, link));
  resultCommand(users, 'invite', 'make an address by which a user sets a password', [
    'portico users invite ada@example.com',
  ])
    .argument('<email>', 'a user of one of the workspaces')
    .action(inContext(context, invite));
};
