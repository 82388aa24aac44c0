import type { Command } from 'commander';
import {
  type Context,
  idCommand,
  inContext,
  type Json,
  mustFit,
  resultCommand,
  wholeNumber,
  withOperator,
} from '../command.ts';
import { printable, shownTime } from '../printable.ts';

const list = (context: Context, { json, limit }: Json & { readonly limit: number }) =>
  withOperator(context, async (operator, terminal) => {
    const holds = await operator.holds.list(limit);
    if (json) {
      const rows = holds.map(({ id, by: { name, email }, ...rest }) => ({
        document_id: id,
        ...rest,
        by: { name, email },
      }));
      return terminal.json({ holds: rows });
    }
    const rows = holds.map(({ id, workspace, name, reason, by, at }) => [
      id,
      workspace,
      shownTime(at.toISOString()),
      by.name,
      name,
      reason,
    ]);
    terminal.table(['DOCUMENT', 'WORKSPACE', 'SINCE (UTC)', 'BY', 'NAME', 'REASON'], rows, 'No document is held.');
  });

const set = async (context: Context, id: string, { json, reason }: Json & { readonly reason: string }) => {
  await mustFit({ reason }, async () => (await import('../../../wire/hold.ts')).givenHold);
  await withOperator(context, async (operator, terminal) => {
    const { name } = await operator.holds.set(id, reason);
    if (json) return terminal.json({ document_id: id, held: true });
    terminal.out(`${printable(name)} is held: nobody deletes it, nor its run, its conversation and its files.`);
  });
};

const release = (context: Context, id: string, { json }: Json) =>
  withOperator(context, async (operator, terminal) => {
    const { name } = await operator.holds.release(id);
    if (json) return terminal.json({ document_id: id, held: false });
    terminal.out(`${printable(name)} is not held: it may be deleted.`);
  });

export const holdCommands = (program: Command, context: Context) => {
  const holds = program.command('holds').description('documents that nobody deletes');
  const about = "the document's id";
  resultCommand(holds, 'list', 'list the documents that are held, the newest holds first', ['portico holds list'])
    .option('--limit <n>', 'how many, 1 to 1000', wholeNumber(1, 1000), 100)
    .action(inContext(context, list));
  idCommand(holds, 'set', 'hold a document, in place of an earlier hold', about, [' --reason "Audit of 2026"'])
    .requiredOption('--reason <text>', 'why, as it is shown with the document')
    .action(inContext(context, set));
  idCommand(holds, 'release', 'lift the hold of a document', about).action(inContext(context, release));
};
