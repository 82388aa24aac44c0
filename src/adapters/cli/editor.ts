import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonValue } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import type { Context } from './command.ts';
import { CliFailure } from './failures.ts';

const openEditor = async ({ dependencies: { env } }: Context, file: string) => {
  const editor = env.VISUAL || env.EDITOR;
  if (!editor)
    throw new CliFailure('EDITOR is not set: it is the program that opens the data', ['for example: EDITOR=nano']);
  // An editor may come with arguments, such as `code --wait`, so a shell reads it. The file is passed beside it and never read as a command.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env: { ...env } });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new CliFailure(`${editor} ended with ${code ?? 'a signal'}: nothing was changed`);
};

const edited = async (file: string): Promise<JsonValue> => {
  try {
    return parseJson(await readFile(file, 'utf8')) as JsonValue;
  } catch (error) {
    throw new CliFailure(`${file} is not JSON any more: ${(error as Error).message}`, [
      'nothing was changed; the file is kept',
    ]);
  }
};

/** Opens the JSON text in the user's editor, and answers what it is then. The file stays until it is removed. */
export const inEditor = async (context: Context, name: string, text: string) => {
  const folder = await mkdtemp(path.join(context.dependencies.env.TMPDIR || tmpdir(), 'portico-edit-'));
  const file = path.join(folder, name);
  await writeFile(file, text, { mode: 0o600 });
  await openEditor(context, file);
  return {
    value: await edited(file),
    remove: () => rm(folder, { recursive: true }),
    /** For what the server refuses. */
    keep: (error: unknown): never => {
      context.terminal.note(`Your text is kept in ${file}`);
      throw error;
    },
  };
};
