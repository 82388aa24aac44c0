import type { StorageUse, StoredBytes } from '../../domain/storage-quota.ts';

type ObjectKind = 'file' | 'snapshot';

/** Upload URLs for a user. */
export interface Grant {
  readonly workspaceId: string;
  readonly userId: string;
  readonly kind: ObjectKind;
  /** How long the URLs work. */
  readonly seconds: number;
  readonly objects: readonly { readonly key: string /** The most that may arrive. */; readonly bytes: number }[];
}

/** An object that is to be weighed. */
export interface DueObject {
  readonly key: string;
  readonly kind: ObjectKind;
  /** Whether a run has it, or the snapshot is complete. */
  readonly isTaken: boolean;
  /** Whether nothing can arrive by its URL any more. */
  readonly isClosed: boolean;
}

interface Weight {
  readonly own: number;
  readonly beside: number;
}

/** The objects of workspaces in the file store, with their sizes as they were last weighed. */
export interface StoredObjects {
  /** Records the objects if `isAllowed` says so of what the workspace has; null, else what it has. One request of a workspace after the other. */
  grant(grant: Grant, isAllowed: (use: StorageUse) => boolean): Promise<StorageUse | null>;
  /** Takes objects that are to be weighed, the longest due first, up to `most`: no other process gets them for a while. */
  due(most: number): Promise<readonly DueObject[]>;
  /** Those that may still change are due again after a while. */
  weighed(weights: ReadonlyMap<string, Weight>): Promise<void>;
  /** Has an object weighed soon, because something is kept beside it. What its workspace has; null if the object is not known. */
  keeping(key: string): Promise<StoredBytes | null>;
  /** Forgets objects that are removed: expired uploads, and snapshots. */
  remove(keys: readonly string[]): Promise<void>;
}
