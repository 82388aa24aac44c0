import { type BigIntStats, constants, type Dir } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import path from 'node:path';
import { ItemGone } from '../../../application/ports/sources.ts';
import { codeOf } from '../../../domain/errors.ts';

/** A file as it stood in the folder. Names are bytes: Linux takes those that are no text. */
export interface FoundFile {
  readonly ref: string;
  readonly name: Buffer;
  readonly size: number;
}

const CHUNK_BYTES = 256 * 1024;
const DOT = 0x2e;

/** Another one whenever the file was written, or another file has its name. */
const versionOf = ({ ino, size, mtimeNs }: BigIntStats) => `${ino}-${size}-${mtimeNs}`;

const refOf = (name: Buffer, stats: BigIntStats) => `${versionOf(stats)} ${name.toString('latin1')}`;

export const isFile = (stats: BigIntStats, ref: string, name: Buffer) => stats.isFile() && refOf(name, stats) === ref;

export const nameOf = (ref: string): Buffer => Buffer.from(ref.slice(ref.indexOf(' ') + 1), 'latin1');

/** The path of a name in the folder, as bytes. */
export const within = (folder: string, name: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(folder + path.sep), Buffer.from(name)]);

/** null if there is nothing of this name. Links are not followed. */
export const statsOf = async (file: Buffer): Promise<BigIntStats | null> => {
  try {
    return await lstat(file, { bigint: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
};

async function* names(dir: Dir): AsyncIterable<Buffer> {
  // With this encoding the names are bytes, which the types do not say.
  for await (const { name } of dir) yield name as unknown as Buffer;
}

/** The files of a folder: neither hidden ones, nor links, pipes and folders. */
export const filesIn = async (folder: string, signal: AbortSignal): Promise<readonly FoundFile[]> => {
  const found: FoundFile[] = [];
  for await (const name of names(await opendir(folder, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 }))) {
    signal.throwIfAborted();
    if (name[0] === DOT) continue;
    const stats = await statsOf(within(folder, name));
    if (stats?.isFile()) found.push({ ref: refOf(name, stats), name, size: Number(stats.size) });
  }
  return found;
};

const mustBe = async (handle: FileHandle, ref: string, name: Buffer) => {
  if (!isFile(await handle.stat({ bigint: true }), ref, name)) throw new ItemGone();
};

/** The bytes of exactly this file: one that changes meanwhile is not read to its end. A pipe in its place is not waited for. */
export async function* bytesOf(folder: string, { ref, name, size }: FoundFile, signal: AbortSignal) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const handle = await open(within(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (['ENOENT', 'ELOOP'].includes(codeOf(error))) throw new ItemGone();
    throw error;
  });
  try {
    await mustBe(handle, ref, name);
    let got = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES, signal })) {
      got += chunk.byteLength;
      if (got > size) throw new ItemGone();
      yield chunk as Uint8Array;
    }
    await mustBe(handle, ref, name);
  } finally {
    await handle.close();
  }
}
