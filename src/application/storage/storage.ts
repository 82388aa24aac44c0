import { DomainError } from '../../domain/errors.ts';
import { isWithinShare, overShare, storedIn } from '../../domain/storage-quota.ts';
import { arrivalKey, type BlobStore } from '../ports/blobs.ts';
import type { DueObject, Grant, StoredObjects } from '../ports/stored-objects.ts';
import { concurrently } from '../shared/async.ts';

const REQUESTS_AT_ONCE = 8;
/** Each once when a run takes it, and a few times more while its URL may bring something: enough for some twenty files a second. */
const WEIGHED_AT_ONCE = 500;

interface Dependencies {
  readonly objects: StoredObjects;
  readonly blobs: Pick<BlobStore, 'weigh' | 'remove'>;
  readonly limits: {
    readonly maxUploadBytes: number;
    readonly workspaceStoredBytes: number;
    readonly workspaceUploadUrls: number;
  };
}

/** The quota of what workspaces have in the file store: files of runs, uploads, snapshots, and what is kept of pages. */
export const storageService = ({ objects, blobs, limits }: Dependencies) => {
  const { maxUploadBytes, workspaceStoredBytes, workspaceUploadUrls } = limits;
  const quota = { bytes: workspaceStoredBytes, urls: workspaceUploadUrls };

  const weigh = async ({ key, kind, isTaken, isClosed }: DueObject) => {
    // By now nothing arrives any more. What arrived after a run took the file is of no use.
    if (isTaken && isClosed && kind === 'file') await blobs.remove(arrivalKey(key));
    const weight = await blobs.weigh(key);
    const isTooLarge = kind === 'file' && !isTaken && weight.own + weight.beside > maxUploadBytes;
    if (!isTooLarge) return [key, weight] as const;
    await blobs.remove(key);
    return [key, { own: 0, beside: 0 }] as const;
  };

  return {
    /** Counts upload URLs of a user, or refuses them: what may arrive counts while they work, then what has arrived. */
    async grant(grant: Grant): Promise<void> {
      const wanted = { urls: grant.objects.length, bytes: grant.objects.reduce((sum, { bytes }) => sum + bytes, 0) };
      const use = await objects.grant(grant, (current) => isWithinShare(current, wanted, quota));
      if (use) throw new DomainError('invalid', overShare(use, wanted, quota), { code: 'upload_quota_exceeded' });
    },

    /** Learns the sizes of some objects, which the store does not report when they arrive. While the store is out of reach, the last sizes hold. */
    async measure(): Promise<void> {
      const due = await objects.due(WEIGHED_AT_ONCE);
      const weights = await concurrently(due, REQUESTS_AT_ONCE, weigh).catch((error: unknown) => {
        if (error instanceof DomainError && error.kind === 'unavailable') return [];
        throw error;
      });
      if (weights.length > 0) await objects.weighed(new Map(weights));
    },

    /** Whether there is room for what is to be kept beside an object, which is weighed soon then. */
    async hasRoom(key: string): Promise<boolean> {
      const stored = await objects.keeping(key);
      return stored === null || storedIn(stored) < quota.bytes;
    },

    remove: objects.remove,
  };
};

export type StorageService = ReturnType<typeof storageService>;
