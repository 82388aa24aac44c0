import { access, constants, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { invalid, messageOf } from '../domain/errors.ts';

const isFolder = (folder: string) =>
  stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

/** Each folder after the one above it: where a folder cannot be made, as in /proc, Node's own recursive `mkdir` never ends. */
const makeFolder = async (folder: string): Promise<void> => {
  if (await isFolder(folder)) return;
  await makeFolder(path.dirname(folder));
  await mkdir(folder, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have made it meanwhile.
    if (!(await isFolder(folder))) throw error;
  });
};

/** Makes the data folder, where it is not there yet; `forWriting` refuses one that cannot be written. */
export const makeDataDir = async (dataDir: string, forWriting: boolean): Promise<void> => {
  try {
    await makeFolder(path.resolve(dataDir));
    if (forWriting) await access(dataDir, constants.W_OK);
  } catch (error) {
    throw invalid({
      path: 'DATA_DIR',
      message: `must be a folder that this user may make and write (${messageOf(error)})`,
    });
  }
};
