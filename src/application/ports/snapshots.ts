/** A state of a sandbox that a client keeps beside a conversation. */
export interface Snapshot {
  readonly id: string;
  readonly workspaceId: string;
  readonly conversationId: string;
  readonly userId: string;
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

export interface SnapshotRepository {
  insert(snapshot: Omit<Snapshot, 'createdAt'>): Promise<Snapshot>;
  /** Newest first, some at a time, down to the newest whose upload is known to be there. */
  candidates(conversationId: string): AsyncIterable<readonly Snapshot[]>;
  /** Remembers that the upload is there: older ones need not be looked at any more. */
  markUploaded(id: string): Promise<void>;
  /** Made so many seconds ago and not known to be uploaded; the oldest first, up to `most`. */
  awaited(seconds: number, most: number): Promise<readonly Snapshot[]>;
  /** Known to be uploaded, and replaced by a newer one that is so for so many seconds; the longest first, up to `most`. */
  superseded(seconds: number, most: number): Promise<readonly Snapshot[]>;
  remove(id: string): Promise<void>;
}
