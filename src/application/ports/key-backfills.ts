import type { Document } from '../../domain/document.ts';

/** Documents of an agent that were posted by another `duplicate_key`, or none, than it has now. */
export interface KeyBatch {
  readonly agentId: string;
  readonly pointers: readonly string[];
  /** Newest first, those that are older than this one. */
  readonly before: string;
  readonly documents: readonly Pick<Document, 'id' | 'documentData' | 'createdAt'>[];
  readonly isLast: boolean;
}

/** Documents that were posted before their agent had its `duplicate_key`: once they have it, copies of them are found, too. */
export interface KeyBackfills {
  /** Whether some of these documents are not yet known by the key of their agent. */
  isUnderWay(agentId: string): Promise<boolean>;
  /** The next ones of some agent; null if there are none. */
  next(): Promise<KeyBatch | null>;
  /** The keys of the documents of a batch, in their order: null of those that have not all values of the key. */
  store(batch: KeyBatch, keys: readonly (string | null)[]): Promise<void>;
}

export interface KeyBackfillWakeups {
  /** `wake` is called when an agent has changed, and perhaps its key; answers what ends that. */
  subscribe(wake: () => void): () => void;
}
