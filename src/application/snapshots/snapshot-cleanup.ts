import { concurrently } from '../async.ts';
import type { BlobStore } from '../ports/blobs.ts';
import type { Snapshot, SnapshotRepository } from '../ports/snapshots.ts';
import { snapshotKey, URL_LIFETIME_SECONDS } from './snapshots.ts';

/** An upload that began within its hour may take much longer: until it can no longer come, its snapshot is waited for. */
const AWAITED_SECONDS = 86_400;
/** An address of what was the newest may have been signed a moment after it was replaced. */
const SUPERSEDED_SECONDS = 2 * URL_LIFETIME_SECONDS;
const MOST = 50;
const AT_ONCE = 8;

interface Dependencies {
  readonly snapshots: SnapshotRepository;
  readonly blobs: BlobStore;
}

export interface SnapshotTidying {
  /** Removes some snapshots that can never be served again, and those that were never uploaded; how many. */
  tidy(): Promise<number>;
}

export const snapshotTidying = ({ snapshots, blobs }: Dependencies): SnapshotTidying => {
  // The object goes first: what is left of a removal that broke off is found again.
  const remove = async (snapshot: Snapshot) => {
    await blobs.remove(snapshotKey(snapshot));
    await snapshots.remove(snapshot.id);
  };

  /** Answers whether it is gone. */
  const settle = async (snapshot: Snapshot): Promise<boolean> => {
    const isThere = (await blobs.head(snapshotKey(snapshot)))?.size === snapshot.sizeBytes;
    await (isThere ? snapshots.markUploaded(snapshot.id) : remove(snapshot));
    return !isThere;
  };

  return {
    async tidy() {
      const settled = await concurrently(await snapshots.awaited(AWAITED_SECONDS, MOST), AT_ONCE, settle);
      const superseded = await concurrently(await snapshots.superseded(SUPERSEDED_SECONDS, MOST), AT_ONCE, remove);
      return settled.filter((isGone) => isGone).length + superseded.length;
    },
  };
};
