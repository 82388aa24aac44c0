import type { Command } from 'commander';
import { type Context, inContext, type Json, resultCommand, withOperator } from '../command.ts';
import { UsageFailure } from '../failures.ts';

const erase = (context: Context, { json, replay = false }: Json & { readonly replay?: boolean }) => {
  if (!replay)
    throw new UsageFailure(
      'portico erase does the erasures of the ledger again: --replay says so. To erase something, POST /api/v1/erasures.',
    );
  return withOperator(context, async (operator, terminal) => {
    const replayed = await operator.erasures.replay();
    if (json) return terminal.json({ replayed: replayed.map(({ id }) => id) });
    for (const { id, subject } of replayed) terminal.out(`erased ${subject.type} ${subject.id} again (erasure ${id})`);
    terminal.out(
      replayed.length === 0
        ? 'The database has every erasure of the ledger.'
        : 'Everything that was erased is erased. The server may start.',
    );
  });
};

export const eraseCommand = (program: Command, context: Context) => {
  resultCommand(program, 'erase', 'erase again what a restored backup has brought back', ['portico erase --replay'])
    .option('--replay', 'do the erasures of the file store’s ledger that this database lacks')
    .action(inContext(context, erase));
};
