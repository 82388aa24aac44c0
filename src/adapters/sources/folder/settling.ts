import { hash } from 'node:crypto';
import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, DomainError } from '../../../domain/errors.ts';
import type { SourceAfter } from '../../../domain/source.ts';
import { isFile, nameOf, statsOf, within } from './files.ts';

const DONE = 'done';
/** File systems that know no second name of a file answer one of these. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** `scan.pdf`, `scan-2.pdf`, …: what a file is called where its name is taken. */
function* candidates(name: Buffer): Iterable<Buffer> {
  yield name;
  const dot = name.lastIndexOf('.');
  const cut = dot > 0 ? dot : name.length;
  for (let number = 2; ; number += 1)
    yield Buffer.concat([name.subarray(0, cut), Buffer.from(`-${number}`), name.subarray(cut)]);
}

/** Gives the file a second name, unless another file has it. */
const linked = async (file: Buffer, target: Buffer): Promise<boolean> => {
  try {
    await link(file, target);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    // A process that was killed may have come so far.
    return (await statsOf(target))?.ino === (await statsOf(file))?.ino;
  }
};

/** Without links: takes the name with an empty file, which the file then replaces. */
const replaced = async (file: Buffer, target: Buffer): Promise<boolean> => {
  try {
    await (await open(target, 'wx')).close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  await rename(file, target);
  return true;
};

/** Moves a file into a folder, never over another file. */
const moveTo = async (file: Buffer, folder: string, name: Buffer): Promise<void> => {
  for (const candidate of candidates(name)) {
    const target = within(folder, candidate);
    try {
      if (!(await linked(file, target))) continue;
      return await unlink(file);
    } catch (error) {
      if (!NO_LINKS.includes(codeOf(error))) throw error;
    }
    if (await replaced(file, target)) return;
  }
};

const doneIn = async (folder: string): Promise<string> => {
  const done = path.join(folder, DONE);
  await mkdir(done).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  if (!(await statsOf(Buffer.from(done)))?.isDirectory())
    throw new DomainError('unavailable', `${done} is not a folder: what was read cannot be moved there.`);
  return done;
};

/**
 * Moves or deletes a file that was taken. It first gets a hidden name that follows from what it is, so that a file which takes its place at
 * this moment is not moved in its stead, and a process that comes after a crash finds it.
 */
export const settleFile = async (folder: string, ref: string, { act }: SourceAfter): Promise<void> => {
  const name = nameOf(ref);
  const file = within(folder, name);
  const aside = within(folder, `.portico-${hash('sha256', ref).slice(0, 32)}`);
  if ((await statsOf(aside)) === null) {
    const present = await statsOf(file);
    if (present === null || !isFile(present, ref, name)) return;
    await rename(file, aside);
  }
  const taken = await statsOf(aside);
  if (taken === null) return;
  // Someone put another file in its place since it was looked at: that one is taken at its turn.
  if (!isFile(taken, ref, name)) return moveTo(aside, folder, name);
  if (act === 'delete') return unlink(aside);
  await moveTo(aside, await doneIn(folder), name);
};
