import type { Command } from 'commander';
import { type Context, examples, withJson, withOperator } from '../command.ts';
import { printable } from '../printable.ts';

export const migrateCommand = (program: Command, context: Context) => {
  const { terminal } = context;
  const migrate = withJson(program.command('migrate').description('bring the database up to date'));
  examples(migrate, 'portico migrate').action(({ json }: { json?: boolean }) =>
    withOperator(context, async (operator) => {
      const { applied } = await operator.migrate();
      if (json) return terminal.json({ applied });
      for (const name of applied) terminal.out(`applied ${printable(name)}`);
      if (applied.length === 0) terminal.out('The database is up to date.');
    }),
  );
};
