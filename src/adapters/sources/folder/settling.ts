import { hash } from 'node:crypto';
import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, DomainError } from '../../../domain/errors.ts';
import type { SourceAfter } from '../../../domain/source.ts';
import { isFile, nameOf, statsOf, within } from './files.ts';
import { close, type HeldFolder, hold } from './held.ts';

const DONE = 'done';
/** File systems that know no second name of a file answer one of these. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
/** The longest name of a file, and the longest part behind its last dot that is taken for an ending. */
const MOST_BYTES = 255;
const MOST_ENDING_BYTES = 20;
/** So many names are counted through; a folder may have a hundred thousand of one name. */
const NUMBERED = 9;

/** The length of a beginning of the name that ends with a whole character. */
const wholeLength = (name: Buffer, most: number): number => {
  let length = Math.min(name.length, most);
  while (length > 0 && length < name.length && ((name[length] ?? 0) & 0xc0) === 0x80) length -= 1;
  return length;
};

const withMark = (name: Buffer, mark: string): Buffer => {
  const dot = name.lastIndexOf('.');
  const cut = dot > 0 && name.length - dot <= MOST_ENDING_BYTES ? dot : name.length;
  const room = MOST_BYTES - mark.length - (name.length - cut);
  const stem = name.subarray(0, cut);
  return Buffer.concat([stem.subarray(0, wholeLength(stem, room)), Buffer.from(mark), name.subarray(cut)]);
};

/** `scan.pdf`, `scan-2.pdf`, …: what a file is called where its name is taken; in the end a name that no other file has. */
function* candidates(name: Buffer, ref: string): Iterable<Buffer> {
  yield name;
  for (let number = 2; number <= NUMBERED; number += 1) yield withMark(name, `-${number}`);
  const mark = hash('sha256', ref).slice(0, 12);
  yield withMark(name, `-${mark}`);
  for (let number = 2; ; number += 1) yield withMark(name, `-${mark}-${number}`);
}

/** Gives the file a second name, unless another file has it. */
const linked = async (folder: HeldFolder, file: Buffer, target: Buffer): Promise<boolean> => {
  try {
    await folder.ask(() => link(file, target));
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    // A process that was killed may have come so far.
    return (await statsOf(folder, target))?.ino === (await statsOf(folder, file))?.ino;
  }
};

/** Without links: takes the name with an empty file, which the file then replaces. */
const replaced = async ({ ask }: HeldFolder, file: Buffer, target: Buffer): Promise<boolean> => {
  try {
    await ask(async () => (await open(target, 'wx')).close());
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  await ask(() => rename(file, target));
  return true;
};

/** Moves a file to a folder, never over another file. */
const moveTo = async (folder: HeldFolder, file: Buffer, ref: string): Promise<void> => {
  for (const candidate of candidates(nameOf(ref), ref)) {
    const target = within(folder, candidate);
    try {
      if (!(await linked(folder, file, target))) continue;
      return await folder.ask(() => unlink(file));
    } catch (error) {
      if (!NO_LINKS.includes(codeOf(error))) throw error;
    }
    if (await replaced(folder, file, target)) return;
  }
};

const doneIn = async ({ path: folder, at, ask }: HeldFolder): Promise<HeldFolder> => {
  const shown = path.join(folder, DONE);
  const done = path.join(at, DONE);
  await ask(() => mkdir(done)).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  try {
    return await hold(ask, shown, done);
  } catch (error) {
    if (!['ENOTDIR', 'ELOOP'].includes(codeOf(error))) throw error;
    throw new DomainError('unavailable', `${shown} is not a folder: what was read cannot be moved there.`);
  }
};

const moveToDone = async (folder: HeldFolder, file: Buffer, ref: string): Promise<void> => {
  const done = await doneIn(folder);
  try {
    await moveTo(done, file, ref);
  } finally {
    await close(done.ask, done.handle);
  }
};

/**
 * Moves or deletes a file that was taken. It first gets a hidden name that follows from what it is, so that a file which takes its place at
 * this moment is not moved in its stead, and a process that comes after a crash finds it.
 */
export const settleFile = async (folder: HeldFolder, ref: string, { act }: SourceAfter): Promise<void> => {
  const { ask } = folder;
  const name = nameOf(ref);
  const file = within(folder, name);
  const aside = within(folder, `.portico-${hash('sha256', ref).slice(0, 32)}`);
  if ((await statsOf(folder, aside)) === null) {
    const present = await statsOf(folder, file);
    if (present === null || !isFile(present, ref, name)) return;
    await ask(() => rename(file, aside));
  }
  const taken = await statsOf(folder, aside);
  if (taken === null) return;
  // Someone put another file in its place since it was looked at: that one is taken at its turn.
  if (!isFile(taken, ref, name)) return moveTo(folder, aside, ref);
  if (act === 'delete') return ask(() => unlink(aside));
  await moveToDone(folder, aside, ref);
};
