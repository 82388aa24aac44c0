import { type BigIntStats, constants, type Dir } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import path from 'node:path';
import { ItemGone, ItemUnreadable } from '../../../application/ports/sources.ts';
import { codeOf } from '../../../domain/errors.ts';
import { close, type HeldFolder } from './held.ts';

/** A file as it stood in the folder. Names are bytes: Linux takes those that are no text. */
export interface FoundFile {
  readonly ref: string;
  readonly name: Buffer;
  readonly size: number;
}

const CHUNK_BYTES = 256 * 1024;
/** So many files are asked about together, which a slow file system can still answer in time. */
const TOGETHER = 64;
const DOT = 0x2e;

/** Another one whenever the file was written, or another file has its name. */
const versionOf = ({ ino, size, mtimeNs }: BigIntStats) => `${ino}-${size}-${mtimeNs}`;

const refOf = (name: Buffer, stats: BigIntStats) => `${versionOf(stats)} ${name.toString('latin1')}`;

export const isFile = (stats: BigIntStats, ref: string, name: Buffer) => stats.isFile() && refOf(name, stats) === ref;

export const nameOf = (ref: string): Buffer => Buffer.from(ref.slice(ref.indexOf(' ') + 1), 'latin1');

/** The path of a name in the folder, as bytes. */
export const within = ({ at }: Pick<HeldFolder, 'at'>, name: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(at + path.sep), Buffer.from(name)]);

const nullIfMissing = (error: unknown) => {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
};

const statsAt = (file: Buffer): Promise<BigIntStats | null> => lstat(file, { bigint: true }).catch(nullIfMissing);

/** null if there is nothing of this name. Links are not followed. */
export const statsOf = ({ ask }: HeldFolder, file: Buffer): Promise<BigIntStats | null> => ask(() => statsAt(file));

/** null if it is no file: neither links, pipes nor folders are. */
const fileAt = async (folder: HeldFolder, name: Buffer): Promise<FoundFile | null> => {
  const stats = await statsAt(within(folder, name));
  return stats?.isFile() ? { ref: refOf(name, stats), name, size: Number(stats.size) } : null;
};

const someNames = async (dir: Dir): Promise<readonly Buffer[]> => {
  const names: Buffer[] = [];
  while (names.length < TOGETHER) {
    const entry = await dir.read();
    if (entry === null) break;
    // With this encoding the names are bytes, which the types do not say.
    names.push(entry.name as unknown as Buffer);
  }
  return names;
};

const someFiles = async (folder: HeldFolder, names: readonly Buffer[]): Promise<readonly FoundFile[]> => {
  const files: FoundFile[] = [];
  for (const name of names) {
    const file = await fileAt(folder, name);
    if (file !== null) files.push(file);
  }
  return files;
};

/** The files in a folder that are not hidden and whose names are wanted, in the order of the file system. */
export async function* filesIn(folder: HeldFolder, isWanted: (name: Buffer) => boolean): AsyncIterable<FoundFile> {
  const { at, ask } = folder;
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: TOGETHER };
  const dir = await ask(
    () => opendir(at, options),
    (late) => late.close(),
  );
  try {
    for (;;) {
      const names = await ask(() => someNames(dir));
      if (names.length === 0) return;
      const wanted = names.filter((name) => name[0] !== DOT && isWanted(name));
      if (wanted.length > 0) yield* await ask(() => someFiles(folder, wanted));
    }
  } finally {
    await close(ask, dir);
  }
}

/** Those that are as they were. */
export const unchangedOf = async (folder: HeldFolder, files: readonly FoundFile[]): Promise<readonly FoundFile[]> => {
  const unchanged: FoundFile[] = [];
  for (let at = 0; at < files.length; at += TOGETHER) {
    const some = files.slice(at, at + TOGETHER);
    const names = some.map(({ name }) => name);
    const refs = new Set((await folder.ask(() => someFiles(folder, names))).map(({ ref }) => ref));
    unchanged.push(...some.filter(({ ref }) => refs.has(ref)));
  }
  return unchanged;
};

/** As people read it, and as the file of a run may be called. */
export const shownName = (name: Buffer) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
  name.toString('utf8').replaceAll(/[/\\\u0000-\u001f\u007f-\u009f]/g, '_');

const opened = async ({ ask, ...folder }: HeldFolder, name: Buffer): Promise<FileHandle> => {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    return await ask(
      () => open(within(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      (late) => late.close(),
    );
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes(codeOf(error))) throw new ItemGone();
    if (!['EACCES', 'EPERM'].includes(codeOf(error))) throw error;
    throw new ItemUnreadable(`The server may not read the file ${shownName(name)} in ${folder.path}.`, error);
  }
};

/** The bytes of exactly this file: one that changes meanwhile is not read to its end. A pipe in its place is not waited for. */
export async function* bytesOf(folder: HeldFolder, { ref, name, size }: FoundFile) {
  const { ask } = folder;
  const handle = await opened(folder, name);
  const mustBe = async () => {
    if (!isFile(await ask(() => handle.stat({ bigint: true })), ref, name)) throw new ItemGone();
  };
  try {
    await mustBe();
    for (let got = 0; ; ) {
      const { bytesRead, buffer } = await ask(() =>
        handle.read({ buffer: new Uint8Array(CHUNK_BYTES), position: got }),
      );
      if (bytesRead === 0) break;
      got += bytesRead;
      if (got > size) throw new ItemGone();
      yield buffer.subarray(0, bytesRead);
    }
    await mustBe();
  } finally {
    await close(ask, handle);
  }
}
