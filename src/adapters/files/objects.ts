import { createHash, hash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BesideInfo, type BlobInfo, checkKey, ownerOf } from '../../application/ports/blobs.ts';
import { codeOf, DomainError } from '../../domain/errors.ts';

/**
 * A file is a header and the object's bytes. One rename publishes both, so an object and its metadata always belong together, even
 * after a crash or if two writers store the same key: the last rename wins, or the first link.
 */
export const HEADER_BYTES = 2048;

/** A draft without a write for this long belongs to a process that has ended. */
const ABANDONED_MS = 60 * 60 * 1000;

const hasCode = (error: unknown, ...codes: readonly string[]) => codes.includes(codeOf(error));

/** Where everything is that is kept beside the object in this file. */
const besideFolder = (file: string) => `${file}.beside`;

/**
 * The place of an object below the store's folder. A digest as the file name has one known shape: no key can name a place outside,
 * keys that differ in case stay apart on every file system, and no key is the folder of another.
 */
const placeOf = (key: string): { readonly folder: readonly [shard: string, ...string[]]; readonly file: string } => {
  checkKey(key);
  const { owner, name } = ownerOf(key) ?? { owner: key, name: null };
  const digest = hash('sha256', owner);
  const shard = digest.slice(0, 2);
  return name === null ? { folder: [shard], file: digest } : { folder: [shard, besideFolder(digest)], file: name };
};

const shards = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

const headerOf = (key: string, contentType: string, size: number): Buffer => {
  const text = JSON.stringify({ format: 'portico-blob-1', key, content_type: contentType, size });
  const header = Buffer.alloc(HEADER_BYTES, ' ');
  if (Buffer.byteLength(text) >= HEADER_BYTES)
    throw new DomainError('invalid', 'The content type is too long.', { code: 'invalid_content_type' });
  header.write(`${text}\n`);
  header[HEADER_BYTES - 1] = 0x0a;
  return header;
};

const readHeader = async (handle: FileHandle, key: string): Promise<BlobInfo> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  const header = bytesRead === HEADER_BYTES ? JSON.parse(buffer.toString('utf8')) : {};
  const { size, ino, ctimeNs } = await handle.stat({ bigint: true });
  if (header.key !== key || header.size !== Number(size) - HEADER_BYTES)
    throw new Error(`the stored file of ${key} is damaged`);
  return { size: header.size, contentType: header.content_type, version: `${ino} ${ctimeNs}` };
};

const unlessMissing = (error: unknown): void => {
  if (!hasCode(error, 'ENOENT')) throw error;
};

/** A rename survives a power failure only after its folder is synced. */
const syncFolder = async (folder: string) => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};

const storageFull = (error: unknown): unknown =>
  hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG')
    ? new DomainError('unavailable', 'There is no room left to store the file. Free some space, then try again.', {
        code: 'storage_full',
        cause: error,
      })
    : error;

const digestOf = async (file: string) => {
  const digest = createHash('sha256');
  await pipeline(createReadStream(file), digest);
  return digest.digest('hex');
};

/** Publishes the draft where there is nothing yet; false if something else is there. */
const linkOnce = async (draft: string, file: string): Promise<boolean> => {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return (await digestOf(draft)) === (await digestOf(file));
  } finally {
    await rm(draft, { force: true });
  }
};

/** Stores objects as `objects/<shard>/<digest>` below `folder`, and their drafts in `drafts` on the same file system. */
export const objectFiles = (folder: string, now: () => Date) => {
  const objects = path.join(folder, 'objects');
  const drafts = path.join(folder, 'drafts');

  const removeOldDrafts = async () => {
    for (const name of await readdir(drafts)) {
      const draft = path.join(drafts, name);
      const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
      if (now().getTime() - mtimeMs > ABANDONED_MS) await rm(draft, { force: true });
    }
  };

  /** Creates and syncs every folder before the first object, so that storing an object syncs only the folder that it is added to. */
  const prepare = async () => {
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    await Promise.all(shards.map((shard) => mkdir(path.join(objects, shard), { recursive: true, mode: 0o700 })));
    for (const created of [objects, folder, path.dirname(folder)]) await syncFolder(created);
    await removeOldDrafts();
  };
  let ready = prepare();
  ready.catch(() => undefined);
  let lookedAt = now().getTime();
  /** Tries again after a failure: the disk may be back. A draft that was too new at the start is not left for good. */
  const prepared = () => {
    if (now().getTime() - lookedAt > ABANDONED_MS) {
      lookedAt = now().getTime();
      ready = ready.then(removeOldDrafts);
    }
    ready = ready.catch(prepare);
    return ready;
  };

  /** The folder of an object; throws if a link leads out of the store. */
  const folderOf = async (...names: readonly string[]): Promise<string> => {
    const expected = path.join(await realpath(objects), ...names);
    if ((await realpath(expected)) !== expected)
      throw new Error(`${expected} is a link: the store keeps to its own folder`);
    return expected;
  };

  /** An object with a handle, which the caller has to close. */
  const openObject = async (key: string) => {
    await prepared();
    const { folder: home, file } = placeOf(key);
    let handle: FileHandle;
    try {
      handle = await open(path.join(await folderOf(...home), file), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
    try {
      return { handle, ...(await readHeader(handle, key)) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  };

  /** false if other bytes are there that may not be replaced. */
  const publish = async (draft: string, key: string, { over }: { readonly over: boolean }): Promise<boolean> => {
    const { folder: home, file } = placeOf(key);
    const [shard, ...beside] = home;
    if (beside.length > 0) {
      const parent = await folderOf(shard);
      await mkdir(path.join(parent, ...beside), { recursive: true, mode: 0o700 });
      await syncFolder(parent);
    }
    const target = await folderOf(...home);
    const isPublished = await (over
      ? rename(draft, path.join(target, file)).then(() => true)
      : linkOnce(draft, path.join(target, file)));
    await syncFolder(target);
    return isPublished;
  };

  const besideOf = async (key: string): Promise<readonly BesideInfo[]> => {
    await prepared();
    const {
      folder: [shard],
      file,
    } = placeOf(key);
    try {
      const home = await folderOf(shard, besideFolder(file));
      const names = await readdir(home);
      const objects = await Promise.all(names.map(async (name) => ({ name, ...(await stat(path.join(home, name))) })));
      return objects
        .toSorted((a, b) => a.mtimeMs - b.mtimeMs)
        .map(({ name, size }) => ({ name, size: size - HEADER_BYTES }));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  };

  const fill = async (handle: FileHandle, key: string, contentType: string, chunks: AsyncIterable<Uint8Array>) => {
    await handle.writeFile(headerOf(key, contentType, 0));
    await handle.writeFile(chunks);
    const { size } = await handle.stat();
    await handle.write(headerOf(key, contentType, size - HEADER_BYTES), 0, HEADER_BYTES, 0);
    await handle.sync();
  };

  return {
    open: openObject,
    /**
     * Stores the chunks as the object; if they or the disk fail, nothing of them remains. Unless they may go `over` what is there, answers
     * whether they are what is there afterwards.
     */
    async store(
      key: string,
      contentType: string,
      chunks: AsyncIterable<Uint8Array>,
      { over }: { over: boolean },
    ): Promise<boolean> {
      await prepared();
      placeOf(key);
      const draft = path.join(drafts, randomUUID());
      try {
        const handle = await open(draft, 'wx', 0o600);
        await fill(handle, key, contentType, chunks).finally(() => handle.close());
        return await publish(draft, key, { over });
      } catch (error) {
        await rm(draft, { force: true });
        throw storageFull(error);
      }
    },
    async remove(key: string): Promise<void> {
      await prepared();
      const { folder: names, file } = placeOf(key);
      try {
        const home = await folderOf(...names);
        await unlink(path.join(home, file)).catch(unlessMissing);
        // After the object: what is put beside it from now on finds it gone.
        await rm(path.join(home, besideFolder(file)), { recursive: true, force: true });
        await syncFolder(home);
      } catch (error) {
        unlessMissing(error);
      }
    },
    beside: besideOf,
  };
};
