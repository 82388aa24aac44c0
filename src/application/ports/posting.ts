/** A document that one worker delivers now; after `until` another one may. */
export interface PostingWork {
  readonly documentId: string;
  readonly workspaceId: string;
  readonly agentId: string;
  readonly until: Date;
}

/** Which documents are not taken at the moment. */
export interface Busy {
  readonly workspaceIds: readonly string[];
  readonly agentIds: readonly string[];
}

/** The documents that workers post, as a queue. Times are the database's. */
export interface PostingQueue {
  /**
   * Takes up to `most` documents that are due, at most one of an agent, in one statement that never waits for another worker: of each workspace
   * in turn, the longest due first. A worker that is lost leaves them to others after so many seconds.
   */
  lease(most: number, seconds: number, busy: Busy): Promise<readonly PostingWork[]>;
  /** Hands a document back at once. */
  release(work: PostingWork): Promise<void>;
  /** Renews the leases of deliveries that are under way. Returns the documents whose delivery still holds its lease. */
  renewDeliveries(
    held: readonly { readonly id: string; readonly fence: number }[],
    seconds: number,
  ): Promise<ReadonlySet<string>>;
}
