import { concurrently } from '../async.ts';
import type { BlobStore } from '../ports/blobs.ts';
import type { UploadRepository } from '../ports/uploads.ts';
import { UNUSED_HOURS } from './uploads.ts';

const UNUSED_SECONDS = UNUSED_HOURS * 3600;
/** So long a request to start a run with a file of theirs cannot be under way. */
const REMEMBERED_SECONDS = 3600;
const MOST = 50;
const AT_ONCE = 8;

interface Dependencies {
  readonly uploads: UploadRepository;
  readonly blobs: BlobStore;
}

export interface UploadCleanup {
  /** Removes some uploads that no run took in time; how many. */
  removeUnused(): Promise<number>;
}

export const uploadCleanup = ({ uploads, blobs }: Dependencies): UploadCleanup => {
  const removeObjects = (keys: readonly string[]) => concurrently(keys, AT_ONCE, (key) => blobs.remove(key));

  return {
    async removeUnused() {
      const unused = await uploads.expire(UNUSED_SECONDS, MOST);
      await removeObjects(unused);
      // Once more, for a removal that broke off or an upload that came in late.
      const remembered = await uploads.expired(REMEMBERED_SECONDS, MOST);
      await removeObjects(remembered);
      if (remembered.length > 0) await uploads.remove(remembered);
      return unused.length;
    },
  };
};
