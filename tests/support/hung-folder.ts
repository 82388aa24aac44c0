import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

export interface HungFolder {
  /** Ends its file system: what waits for an answer fails, and the folder is an empty one again. */
  end(): Promise<void>;
}

const run = async (program: string, args: readonly string[], fd: number | 'ignore' = 'ignore'): Promise<boolean> => {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', fd] });
  const [code] = (await once(child, 'exit').catch(() => [null])) as [number | null];
  return code === 0;
};

/** Makes the folder one of a file system that never answers, as one over a network that is away (FUSE, without its program). null where that is not allowed. */
export const hang = async (folder: string): Promise<HungFolder | null> => {
  let device: number;
  try {
    device = openSync('/dev/fuse', 'r+');
  } catch {
    return null;
  }
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
  const isHung = await run('mount', ['-i', '-t', 'fuse', '-o', options, 'portico-test', folder], device);
  if (!isHung) closeSync(device);
  return isHung
    ? {
        async end() {
          // At once: each thread that could close it otherwise may be one that waits.
          closeSync(device);
          await run('umount', ['-l', folder]);
        },
      }
    : null;
};
