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
}
