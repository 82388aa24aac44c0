import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { type Context, inContext, type Json, resultCommand, withOperator } from '../command.ts';
import { CliFailure } from '../failures.ts';

const nameOf = (text: string): string => {
  if (/^[a-z][a-z0-9_]{0,39}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a name of lower-case letters, digits and _, such as bills.');
};

const statementsOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliFailure(`the file ${file} cannot be read (${error.code})`);
  });

const create = async (context: Context, name: string, { sql, json }: Json & { readonly sql?: string }) => {
  const statements = sql === undefined ? null : await statementsOf(sql);
  await withOperator(context, async (operator, terminal) => {
    const url = await operator.makeDatabase(name, statements);
    if (json) return terminal.json({ url });
    terminal.note('The address contains a new password, and is shown only now:');
    terminal.out(url);
  });
};

export const databaseCommands = (program: Command, context: Context) => {
  const database = program.command('database').description('databases to try things in, in the embedded PostgreSQL');
  resultCommand(database, 'create', 'make a database of your own, or a new password for it', [
    'export MY_DATABASE_URL=$(portico database create bills --sql bills.sql)',
  ])
    .argument('<name>', 'its name', nameOf)
    .option('--sql <file>', 'statements to run there')
    .action(inContext(context, create));
};
