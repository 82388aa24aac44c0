import { constants } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import type { Ask } from './calls.ts';

/** A folder that is open: its files are reached through it, so that nothing which takes its place meanwhile is read or written. */
export interface HeldFolder {
  /** As people know it, without links. */
  readonly path: string;
  /** By which its files are reached. */
  readonly at: string;
  readonly ask: Ask;
  readonly handle: FileHandle;
}

/** Elsewhere a folder is reached by its path alone. */
const isLinux = process.platform === 'linux';

/** Closes it after the answer that it still owes, if that is late. */
export const close = (ask: Ask, open: { close(): Promise<void> }): Promise<void> =>
  ask(() => open.close()).catch(() => void open.close().catch(() => {}));

/** Opens a folder, and none to which a link leads. */
export const hold = async (ask: Ask, path: string, at = path): Promise<HeldFolder> => {
  const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;
  const handle = await ask(
    () => open(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
    (late) => late.close(),
  );
  return { path, at: isLinux ? `/proc/self/fd/${handle.fd}` : at, ask, handle };
};

/** Where it lies at this moment, as the operating system knows it. */
export const placeOf = ({ path, at }: HeldFolder): Promise<string> => (isLinux ? readlink(at) : Promise.resolve(path));
