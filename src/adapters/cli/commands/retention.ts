import type { Command } from 'commander';
import { type Context, inContext, type Json, resultCommand, withOperator } from '../command.ts';

const retention = (context: Context, { json, dryRun = false }: Json & { readonly dryRun?: boolean }) =>
  withOperator(context, async (operator, terminal) => {
    const workspaces = await (dryRun ? operator.retention.countAll() : operator.retention.removeAll());
    if (json) return terminal.json({ dry_run: dryRun, workspaces });
    if (workspaces.length === 0) return terminal.out('No workspace has a retention: everything is kept.');
    terminal.table(
      ['WORKSPACE', 'FILES', 'CONVERSATIONS', 'DOCUMENTS', 'RUNS'],
      workspaces.map(({ workspace, files, conversations, documents, runs }) => [
        workspace,
        ...[files, conversations, documents, runs].map(String),
      ]),
    );
    terminal.out(dryRun ? 'So many would be removed now. Nothing was.' : 'So many were removed.');
  });

export const retentionCommand = (program: Command, context: Context) => {
  resultCommand(program, 'retention', 'remove what is kept no longer, as the server does every minute', [
    'portico retention --dry-run',
    'portico retention',
  ])
    .option('--dry-run', 'count, and remove nothing')
    .action(inContext(context, retention));
};
