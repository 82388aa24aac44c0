import type { Door } from '../../domain/access.ts';
import type { DataChange } from '../../domain/document.ts';

/** By whom the data of a document changes, and what of it. */
export interface Revising {
  readonly userId: string;
  readonly via: Door;
  readonly changes: readonly DataChange[];
}

export interface StoredRevision {
  readonly revision: number;
  readonly createdAt: Date;
  /** The first revision is the agent's, which came by no door. */
  readonly by: { readonly type: 'agent' | 'user'; readonly name: string; readonly via: Door | null };
  readonly changes: readonly DataChange[];
}

export interface RevisionPage {
  readonly revisions: readonly StoredRevision[];
  /** The `after` of the next page; null if nothing follows. */
  readonly next: number | null;
}
