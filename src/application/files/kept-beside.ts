import { type BlobStore, besideKey } from '../ports/blobs.ts';
import type { Log } from '../ports/runtime.ts';
import type { StorageService } from '../storage/storage.ts';

/** Of one file; the earliest images go first, so that clients cannot fill the store with one image for each width that there is. */
const MOST_IMAGES = 1000;
const MOST_BYTES = 256 * 1024 * 1024;
const DRAWN = /^(?:attachment-\d+-)?page-/;

interface Dependencies {
  readonly blobs: BlobStore;
  readonly storage: Pick<StorageService, 'hasRoom'>;
  readonly log: Log;
}

/** Keeps what was made of a file beside it, as far as there is room. Never rejects: what is not kept is made again. */
export const keepsBeside = ({ blobs, storage, log }: Dependencies) => {
  const makeRoom = async (fileKey: string): Promise<void> => {
    const kept = (await blobs.beside(fileKey)).filter(({ name }) => DRAWN.test(name));
    let count = kept.length;
    let bytes = kept.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of kept) {
      if (count <= MOST_IMAGES && bytes <= MOST_BYTES) return;
      await blobs.remove(besideKey(fileKey, name));
      count -= 1;
      bytes -= size;
    }
  };

  return async (fileKey: string, name: string, data: Uint8Array, contentType: string): Promise<void> => {
    try {
      if (!(await storage.hasRoom(fileKey))) return;
      await blobs.write(besideKey(fileKey, name), data, contentType);
      // The file may have been removed meanwhile, with what was beside it until then.
      if ((await blobs.head(fileKey)) === null) await blobs.remove(fileKey);
      else if (DRAWN.test(name)) await makeRoom(fileKey);
    } catch (err) {
      log.warn({ err }, 'the pages of a file could not be kept; they are made again when they are asked for');
    }
  };
};

export type KeepBeside = ReturnType<typeof keepsBeside>;
