import type { Command } from 'commander';
import { type Context, inContext, type Json, resultCommand, withOperator } from '../command.ts';

const reseal = (context: Context, { json }: Json) =>
  withOperator(context, async (operator, terminal) => {
    const { resealed } = await operator.reseal();
    if (json) return terminal.json({ resealed });
    terminal.out(
      resealed === 0
        ? 'Everything is sealed with the first ENCRYPTION_KEY already.'
        : `Sealed ${resealed} values anew: every process that has this key first can do without the others now.`,
    );
  });

export const secretCommands = (program: Command, context: Context) => {
  const secrets = program.command('secrets').description('what is encrypted at rest');
  resultCommand(secrets, 'reseal', 'seal everything with the first ENCRYPTION_KEY', [
    'ENCRYPTION_KEY=new,old portico secrets reseal',
  ]).action(inContext(context, reseal));
};
