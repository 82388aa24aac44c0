import { copyFile, mkdir, open, opendir } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../domain/errors.ts';

/** How much was copied. */
export interface Copied {
  readonly files: number;
  readonly bytes: number;
}

const unlessGone = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });

/** Copies one file and waits until it is on the disk; null if it is gone. */
export const copyDurably = async (from: string, to: string): Promise<Copied | null> => {
  if ((await unlessGone(copyFile(from, to))) === null) return null;
  const copy = await open(to, 'r');
  try {
    await copy.sync();
    return { files: 1, bytes: (await copy.stat()).size };
  } finally {
    await copy.close();
  }
};

/** Copies a folder while others work in it: what goes away meanwhile is left out. `isLeftOut` gets names below it, with slashes. */
export const copyTree = async (
  from: string,
  to: string,
  isLeftOut: (name: string) => boolean = () => false,
  below = '',
): Promise<Copied> => {
  await mkdir(to, { recursive: true, mode: 0o700 });
  let files = 0;
  let bytes = 0;
  for await (const entry of (await unlessGone(opendir(from))) ?? []) {
    const name = path.posix.join(below, entry.name);
    if (isLeftOut(name)) continue;
    const source = path.join(from, entry.name);
    const target = path.join(to, entry.name);
    let copied: Copied | null = null;
    if (entry.isDirectory()) copied = await copyTree(source, target, isLeftOut, name);
    else if (entry.isFile()) copied = await copyDurably(source, target);
    files += copied?.files ?? 0;
    bytes += copied?.bytes ?? 0;
  }
  return { files, bytes };
};
