import type { Command } from 'commander';
import { type Context, inContext, type Json, resultCommand, withOperator } from '../command.ts';

const reseal = (context: Context, { json, skipLost = false }: Json & { readonly skipLost?: boolean }) =>
  withOperator(context, async (operator, terminal) => {
    const { resealed, lost } = await operator.reseal(skipLost);
    if (json) return terminal.json({ resealed, lost });
    if (lost > 0)
      terminal.note(
        `${lost} values that no ENCRYPTION_KEY opens stay as they are: "portico apply -f workspace.yaml --reseal" replaces those of the file.`,
      );
    terminal.out(
      resealed === 0
        ? 'Everything that a key opens is sealed with the first ENCRYPTION_KEY already.'
        : `Sealed ${resealed} values anew: every process that has this key first can do without the others now.`,
    );
  });

export const secretCommands = (program: Command, context: Context) => {
  const secrets = program.command('secrets').description('what is encrypted at rest');
  resultCommand(secrets, 'reseal', 'seal everything with the first ENCRYPTION_KEY', [
    'ENCRYPTION_KEY=new,old portico secrets reseal',
  ])
    .option('--skip-lost', 'leave what no ENCRYPTION_KEY opens, because the key that sealed it is lost')
    .action(inContext(context, reseal));
};
