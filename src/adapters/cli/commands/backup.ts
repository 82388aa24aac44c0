import type { Command } from 'commander';
import { inUnits } from '../../../domain/storage-quota.ts';
import { type Context, inContext, interruptible, type Json, resultCommand } from '../command.ts';
import { printable } from '../printable.ts';

interface Options extends Json {
  readonly key?: string;
}

const backup = async (context: Context, folder: string, { key, json }: Options) => {
  const { dependencies, terminal } = context;
  const { database, files, ...report } = await interruptible(
    context,
    (signal) => dependencies.backup({ folder, keyFile: key ?? null }, signal),
    'Interrupted: nothing was backed up, and the same command may be given again.',
  );
  if (json) return terminal.json({ ...report, database, files });
  terminal.out(
    `Copied the database (${inUnits(database.bytes)}) and ${files.files} files (${inUnits(files.bytes)}) to ${printable(folder)}.`,
  );
  terminal.note(
    key === undefined
      ? 'The encryption key is not among them: keep a copy of it elsewhere. Without it no stored secret can be read again.'
      : `The encryption key is in ${printable(key)}: keep it elsewhere than the backup.`,
  );
};

const restore = async (context: Context, folder: string, { key, json }: Options) => {
  const { dependencies, terminal } = context;
  const report = await interruptible(
    context,
    (signal) => dependencies.restore({ folder, keyFile: key ?? null }, signal),
    'Interrupted: nothing was restored, and the same command may be given again.',
  );
  if (json) return terminal.json(report);
  terminal.out(
    `Restored what was backed up at ${report.made_at}: ${report.runs} runs, ${report.documents} documents, ${report.files.files} files.`,
  );
};

export const backupCommands = (program: Command, context: Context) => {
  resultCommand(program, 'backup', 'copy the embedded database and its files, while the server may be working', [
    'portico backup /backups/monday --key /elsewhere/portico.key',
  ])
    .argument('<dir>', 'a new folder')
    .option('--key <file>', 'write the encryption key into this file, outside of the folder')
    .action(inContext(context, backup));
  resultCommand(program, 'restore', 'put a backup into a new DATA_DIR', [
    'DATA_DIR=/srv/portico portico restore /backups/monday --key /elsewhere/portico.key',
  ])
    .argument('<dir>', 'the folder of a backup')
    .option('--key <file>', 'the file with its encryption key; without it, ENCRYPTION_KEY or the key of DATA_DIR')
    .action(inContext(context, restore));
};
