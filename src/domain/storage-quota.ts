/** What a workspace has in the file store, in bytes. */
export interface StoredBytes {
  /** Files that runs took. */
  readonly files: number;
  /** Images and words of their pages. */
  readonly pages: number;
  readonly snapshots: number;
  /** Files that no run took yet. */
  readonly uploads: number;
}

/** Upload URLs that work, and what they may add to the store. */
interface OpenUrls {
  readonly urls: number;
  readonly bytes: number;
}

export interface StorageUse {
  readonly stored: StoredBytes;
  readonly open: OpenUrls;
  /** The part of one user: of the open URLs, and of the uploads. */
  readonly own: OpenUrls;
}

/** The most that a workspace may have. */
type StorageQuota = OpenUrls;

export const storedIn = ({ files, pages, snapshots, uploads }: StoredBytes): number =>
  files + pages + snapshots + uploads;

/** A user may have half of what the other users of the workspace leave, so that no user takes all of it. */
const shareOf = ({ stored, open, own }: StorageUse, quota: StorageQuota): OpenUrls => {
  const half = (left: number) => Math.max(0, Math.floor(left / 2));
  return {
    urls: half(quota.urls - (open.urls - own.urls)),
    bytes: half(quota.bytes - (storedIn(stored) + open.bytes - own.bytes)),
  };
};

export const isWithinShare = (use: StorageUse, wanted: OpenUrls, quota: StorageQuota): boolean => {
  const share = shareOf(use, quota);
  return use.own.urls + wanted.urls <= share.urls && use.own.bytes + wanted.bytes <= share.bytes;
};

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Such as `1.5 GiB`, never more than there are. */
export const inUnits = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** power;
  return `${power === 0 ? amount : Math.floor(amount * 10) / 10} ${UNITS[power]}`;
};

/** Why a user gets no further upload URLs, what the workspace has, and what to do. */
export const overShare = (use: StorageUse, wanted: OpenUrls, quota: StorageQuota): string => {
  const { stored, open, own } = use;
  const share = shareOf(use, quota);
  const excess =
    own.urls + wanted.urls > share.urls
      ? `${wanted.urls} more upload URLs, with the ${own.urls} of yours that are open, are more than the ${share.urls}`
      : `Uploads of ${inUnits(wanted.bytes)}, with the ${inUnits(own.bytes)} of yours that are open or that no run took, are more than the ${inUnits(share.bytes)}`;
  return (
    `${excess} that you may have: half of what the workspace has left. It may have ${inUnits(quota.bytes)} and ${quota.urls} open URLs, and has ` +
    `${inUnits(stored.files)} in files of runs, ${inUnits(stored.uploads)} in uploads that no run took, ${inUnits(stored.snapshots)} in snapshots, ` +
    `${inUnits(stored.pages)} in images of pages, and ${open.urls} open URLs for ${inUnits(open.bytes)}. Start runs with what is uploaded, say the ` +
    `size_bytes of each file, wait until open URLs expire within the hour and unused uploads within a day, or ask the operator for a larger WORKSPACE_STORED_BYTES.`
  );
};
