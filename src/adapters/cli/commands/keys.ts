import { type Command, InvalidArgumentError } from 'commander';
import type { CreatedKey } from '../../../application/access/keys.ts';
import type { ApiKey } from '../../../domain/access.ts';
import { type Context, idCommand, inContext, type Json, mustFit, resultCommand, withOperator } from '../command.ts';
import { printable } from '../printable.ts';

const HOURS_A_DAY = 24;
const LONGEST_DAYS = 3650;

const lifetimeDays = (text: string): number => {
  const [, count, unit] = /^(\d{1,5})(d|h)$/.exec(text) ?? [];
  const days = unit === 'h' ? Number(count) / HOURS_A_DAY : Number(count);
  if (days > 0 && days <= LONGEST_DAYS) return days;
  throw new InvalidArgumentError(`It must be a time such as 90d or 12h, at most ${LONGEST_DAYS}d.`);
};

const scopeList = (text: string): readonly string[] => {
  const scopes = text.split(',').map((scope) => scope.trim());
  if (scopes.every((scope) => scope !== '')) return scopes;
  throw new InvalidArgumentError('It must be scopes separated by commas, such as agents:read,runs:read.');
};

interface CreateOptions extends Json {
  readonly user: string;
  readonly name: string;
  readonly expires?: number;
  readonly scopes?: readonly string[];
}

const show = ({ terminal }: Context, made: CreatedKey, json: boolean | undefined) => {
  const wire = {
    id: made.id,
    key: made.key,
    name: made.name,
    user: made.user,
    expires_at: made.expiresAt,
    scopes: made.scopes,
  };
  if (json) return terminal.json(wire);
  const until = made.expiresAt === null ? '' : ` until ${made.expiresAt.toISOString()}`;
  terminal.note(`A key for ${printable(made.user)}${until}. It is shown only now:`);
  terminal.out(made.key);
};

const create = async (context: Context, { user, name, expires, scopes, json }: CreateOptions) => {
  await mustFit({ name }, async () => (await import('../../../wire/account.ts')).keyFields);
  await withOperator(context, async ({ keys }) =>
    show(
      context,
      await keys.create({ email: user, name, lifetimeDays: expires ?? null, scopes: scopes ?? null }),
      json,
    ),
  );
};

const SECONDS_A_DAY = 86_400;

const rotate = (context: Context, id: string, { overlap, json }: Json & { overlap: number }) =>
  withOperator(context, async ({ keys }) =>
    show(context, await keys.rotate(id, Math.round(overlap * SECONDS_A_DAY)), json),
  );

const stateOf = ({ revokedAt, expiresAt }: ApiKey, now: Date) => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid';
};

const list = (context: Context, { user, json }: Json & { user?: string }) =>
  withOperator(context, async (operator, terminal) => {
    const keys = await operator.keys.list(user ?? null);
    const now = new Date();
    if (json) {
      const rows = keys.map(({ id, name, email, scopes, expiresAt, lastUsedAt, revokedAt, createdAt }) => ({
        id,
        name,
        user: email,
        scopes,
        expires_at: expiresAt,
        last_used_at: lastUsedAt,
        revoked_at: revokedAt,
        created_at: createdAt,
      }));
      return terminal.json({ keys: rows });
    }
    const minute = (time: Date | null) => time?.toISOString().slice(0, 16).replace('T', ' ') ?? '-';
    const rows = keys.map((key) => [
      key.id,
      key.email,
      stateOf(key, now),
      minute(key.expiresAt),
      minute(key.lastUsedAt),
      key.scopes?.join(',') ?? 'all',
      key.name,
    ]);
    const header = ['ID', 'USER', 'STATE', 'EXPIRES', 'LAST USED', 'SCOPES', 'NAME'];
    terminal.table(header, rows, 'There are no keys: portico keys create --user EMAIL makes one.');
  });

const revoke = (context: Context, id: string, { json }: Json) =>
  withOperator(context, async (operator) => {
    await operator.keys.revoke(id);
    if (json) return context.terminal.json({ id, revoked: true });
    context.terminal.out('The key is revoked.');
  });

export const keyCommands = (program: Command, context: Context) => {
  const keys = program.command('keys').description('API keys');
  const user = '--user ada@example.com';
  const made = [`portico keys create ${user} --expires 90d`, `export PORTICO_API_KEY=$(portico keys create ${user})`];
  resultCommand(keys, 'create', 'make a key; it is shown once', made)
    .requiredOption('--user <email>', 'whose key it is')
    .option('--name <name>', 'what it is for', 'cli')
    .option('--expires <time>', 'how long it is valid, such as 90d or 12h (default: for ever)', lifetimeDays)
    .option('--scopes <scopes>', 'what it may do, such as agents:read,runs:read (default: all its user may)', scopeList)
    .action(inContext(context, create));
  resultCommand(keys, 'list', 'list the keys, newest first', [`portico keys list ${user}`])
    .option('--user <email>', 'only those of this user')
    .action(inContext(context, list));
  const id = "the key's id, as keys list shows it";
  idCommand(keys, 'rotate', 'make a key in place of another one; it is shown once', id, ['', ' --overlap 7d'])
    .option('--overlap <time>', 'how long the old key goes on working, such as 12h', lifetimeDays, 1)
    .action(inContext(context, rotate));
  idCommand(keys, 'revoke', 'end a key at once', id).action(inContext(context, revoke));
};
