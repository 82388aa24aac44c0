import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, DomainError } from '../domain/errors.ts';

/** What a backup says of itself, which its restore takes along. */
export const MANIFEST = 'backup.json';

/** Where a restore puts what it copies, and where all of it waits for its place once it is complete. */
export const draftIn = (dataDir: string) => path.join(dataDir, 'restoring');
const completeIn = (dataDir: string) => path.join(dataDir, 'restored');

/** Of a folder that is not empty. */
const IN_USE = /^(?:ENOTEMPTY|EEXIST)$/;

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

const unlessGone = (error: unknown) => {
  if (codeOf(error) !== 'ENOENT') throw error;
  return null;
};

/** Moves what is there into a folder that may have some of it already. What another process has moved by now is well. */
const moveInto = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch (error) {
    if (!IN_USE.test(codeOf(error))) return void unlessGone(error);
    for (const name of (await readdir(from).catch(unlessGone)) ?? [])
      await moveInto(path.join(from, name), path.join(to, name));
  }
};

/** If this process ends after this, the next `restore` or start finishes the restore. */
export const complete = (dataDir: string) => rename(draftIn(dataDir), completeIn(dataDir));

/**
 * Puts what a restore has completed into its place; answers the manifest of its backup, or null where there was none. Nothing is removed
 * that is not there already: the ledger of erasures may be in its place before.
 */
export const finishRestore = async (dataDir: string): Promise<string | null> => {
  const from = completeIn(dataDir);
  const manifest = await readFile(path.join(from, MANIFEST), 'utf8').catch(unlessGone);
  if (manifest === null) return null;
  await moveInto(path.join(from, 'files'), path.join(dataDir, 'files'));
  const postgres = path.join(dataDir, 'postgres');
  await rename(path.join(from, 'postgres'), postgres).catch((error: unknown) => {
    if (!IN_USE.test(codeOf(error))) return unlessGone(error);
    const message = `${postgres} has a database, and ${from} has another one, which was restored: move one of them away.`;
    throw new DomainError('conflict', message, { cause: error });
  });
  await rm(from, { recursive: true, force: true });
  return manifest;
};

/** Finishes a restore that was complete, and refuses to begin an empty installation beside one that was not. */
export const mustNotBeHalfRestored = async (dataDir: string): Promise<void> => {
  await finishRestore(dataDir);
  if (!(await exists(draftIn(dataDir))) || (await exists(path.join(dataDir, 'postgres/data')))) return;
  throw new DomainError(
    'conflict',
    `A restore into ${dataDir} is under way or was not finished: give "portico restore" again, or remove ${draftIn(dataDir)}.`,
  );
};
