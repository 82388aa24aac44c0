import type { EventType, StepData } from '../../domain/event.ts';
import type { Viewer } from './storage.ts';
import type { WebhookSubject } from './webhooks.ts';

type EventSubject = WebhookSubject | { readonly kind: 'step'; readonly step: StepData };

/** One thing that happened to a run, a document or an approval. */
export interface LoggedEvent {
  /** Its number: numbers of later events are larger. */
  readonly sequence: number;
  readonly id: string;
  readonly type: EventType;
  readonly createdAt: Date;
  /** null of an approval that no run waits for. */
  readonly runId: string | null;
  readonly documentId: string | null;
  readonly subject: EventSubject;
}

export interface EventFilter {
  /** Only events of this run; null: of all runs that the viewer sees. */
  readonly runId: string | null;
  readonly types: readonly EventType[];
}

export interface EventPage {
  readonly events: readonly LoggedEvent[];
  /** Where to go on, even if there was nothing. */
  readonly position: number;
  /** Whether there is more to read right now. */
  readonly hasMore: boolean;
  /** Whether transactions are under way that may write events behind this page any moment. */
  readonly isUnsettled: boolean;
}

/**
 * Everything that happens to runs and documents, written by the transaction that causes it. It is read in one order, in which no event
 * appears before one that was read already. A page ends earlier than at its limit where its events are large.
 */
export interface EventLog {
  /** Events after a position, null for the first that are kept; null if the log no longer has all of them, or never had such a position. */
  read(viewer: Viewer, filter: EventFilter, after: number | null, limit: number): Promise<EventPage | null>;
  /** Events before a position, null for the newest ones, newest first. */
  readBack(viewer: Viewer, filter: EventFilter, before: number | null, limit: number): Promise<EventPage>;
  /** The position behind everything that is there now. */
  end(viewer: Viewer): Promise<number>;
  /** Makes room for the days to come and drops what is older than so many days; how many days it dropped. */
  cleanUp(keptDays: number): Promise<number>;
}

export interface EventSignal {
  /** null for none. */
  readonly runId: string | null;
  /** null if it is not known. */
  readonly workspaceId: string | null;
  readonly isStep: boolean;
}

/** Notifies of events once they are committed. */
export interface EventSignals {
  /** `gap`: notifications may have been missed. */
  subscribe(subscriber: { happened(signal: EventSignal): void; gap(): void }): () => void;
}
