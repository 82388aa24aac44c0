import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A migration is a folder here: its SQL files are run in the order of their names, in one transaction. */
const folder = path.join(import.meta.dirname, '../migrations');

/** In the order in which they are run. */
export const migrationNames = async (): Promise<readonly string[]> => (await readdir(folder)).sort();

/** The SQL of one migration. */
export const migrationText = async (name: string): Promise<string> => {
  const files = (await readdir(path.join(folder, name))).sort();
  return (await Promise.all(files.map((file) => readFile(path.join(folder, name, file), 'utf8')))).join('\n');
};
