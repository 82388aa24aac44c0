import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { ErasureLedger } from '../../application/ports/erasures.ts';
import { codeOf } from '../../domain/errors.ts';

const ENDING = '.json';

const unlessMissing =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return instead;
  };

const synced = async (file: string, flag: string, text?: string) => {
  const handle = await open(file, flag, 0o600);
  try {
    if (text !== undefined) await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** The ledger of erasures as files of their own in this folder, which can be kept while the rest comes from a backup. */
export const fileLedger = (folder: string): ErasureLedger => ({
  async write(id, text) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, id + ENDING);
    await synced(`${file}.new`, 'w', text);
    await rename(`${file}.new`, file);
    if (process.platform !== 'win32') await synced(folder, 'r');
  },

  async ids() {
    const names = await readdir(folder).catch(unlessMissing<string[]>([]));
    return names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
  },

  read: (id) => readFile(path.join(folder, id + ENDING), 'utf8').catch(unlessMissing(null)),
});
