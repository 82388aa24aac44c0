import { DomainError, notFound } from './errors.ts';
import type { JsonObject } from './json.ts';
import { machine } from './state-machine.ts';

export type DocumentStatus = 'extracting' | 'ready' | 'processing' | 'processed' | 'error' | 'trashed';
type DocumentEvent = 'extract' | 'fail' | 'process' | 'accept' | 'reject' | 'postpone' | 'trash';

export const documentMachine = machine<DocumentStatus, DocumentEvent>('document', {
  extracting: { extract: 'ready', fail: 'error', trash: 'trashed' },
  ready: { process: 'processing', trash: 'trashed' },
  processing: { accept: 'processed', reject: 'error', postpone: 'ready', trash: 'trashed' },
  processed: { trash: 'trashed' },
  error: { process: 'processing', trash: 'trashed' },
  trashed: {},
});

/** Where a value was read: a quote that stands verbatim in the text of the file. */
export interface Evidence {
  readonly quote: string;
  readonly fileName: string;
  readonly page: number | null;
}

export interface Document {
  readonly id: string;
  readonly workspaceId: string;
  readonly runId: string;
  readonly agentId: string;
  readonly conversationId: string;
  readonly name: string;
  readonly status: DocumentStatus;
  readonly documentData: JsonObject | null;
  /** JSON Pointer of an extracted leaf → where it was read. */
  readonly evidence: Readonly<Record<string, Evidence>>;
  readonly error: string | null;
  /** The row in the system of record, as that system names it. */
  readonly externalReference: string | null;
  /** Guards a delivery: what one that was taken over still writes is refused. */
  readonly fence: number;
  /** When the lease of the delivery under way ends. */
  readonly leaseExpiresAt: Date | null;
  /** What `restore` brings back. */
  readonly trashedFrom: DocumentStatus | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly processedAt: Date | null;
}

const busy = (document: Document) =>
  new DomainError('conflict', `The document is ${document.status}: try again when that is done.`, { code: 'document_busy' });

/** Takes the document for delivery until `leaseExpiresAt`. A delivery whose lease ran out may be taken over: it looks for its row first. */
export const beginDelivery = (document: Document, now: Date, leaseExpiresAt: Date): Document => {
  if (document.status === 'trashed') throw notFound('document');
  const isOver = document.status === 'processing' && document.leaseExpiresAt !== null && document.leaseExpiresAt <= now;
  if (document.status === 'extracting' || (document.status === 'processing' && !isOver)) throw busy(document);
  if (document.documentData === null) {
    throw new DomainError('conflict', 'The document has no data to process.', { code: 'document_without_data' });
  }
  if (document.status === 'processed') {
    throw new DomainError('conflict', 'The document is in its system of record already.', { code: 'document_processed' });
  }
  const status = isOver ? 'processing' : documentMachine.next(document.status, 'process');
  return { ...document, status, error: null, fence: document.fence + 1, leaseExpiresAt, updatedAt: now };
};

/** Renews the lease of the delivery with this fence; one that was taken over or trashed changes nothing. */
export const renewDelivery = (document: Document, fence: number, leaseExpiresAt: Date): Document =>
  holdsDelivery(document, fence) ? { ...document, leaseExpiresAt } : document;

export const holdsDelivery = (document: Document, fence: number): boolean => document.fence === fence && document.status === 'processing';

export type DeliveryOutcome =
  | { readonly event: 'accept'; readonly reference: string }
  | { readonly event: 'reject'; readonly reason: string }
  | { readonly event: 'postpone' };

/** Ends the delivery with this fence; one that was taken over or trashed changes nothing. */
export const endDelivery = (document: Document, fence: number, outcome: DeliveryOutcome, now: Date): Document => {
  if (!holdsDelivery(document, fence)) return document;
  return {
    ...document,
    status: documentMachine.next(document.status, outcome.event),
    error: outcome.event === 'reject' ? outcome.reason : null,
    externalReference: outcome.event === 'accept' ? outcome.reference : document.externalReference,
    processedAt: outcome.event === 'accept' ? now : document.processedAt,
    leaseExpiresAt: null,
    updatedAt: now,
  };
};

/** Moves to trash from any state; twice is once. */
export const trash = (document: Document, now: Date): Document =>
  document.status === 'trashed'
    ? document
    : {
        ...document,
        status: documentMachine.next(document.status, 'trash'),
        trashedFrom: document.status,
        fence: document.fence + 1,
        leaseExpiresAt: null,
        updatedAt: now,
      };

/** Brings a trashed document back to where it rested: work that was under way when it was trashed does not go on. */
export const restore = (document: Document, now: Date): Document => {
  if (document.status !== 'trashed') throw new DomainError('conflict', `The document is ${document.status}, not in the trash.`);
  const { next } = documentMachine;
  const before = document.trashedFrom ?? 'extracting';
  const status = before === 'processing' ? next(before, 'postpone') : before === 'extracting' ? next(before, 'fail') : before;
  const error = document.trashedFrom === 'extracting' ? 'It was moved to trash before it was extracted.' : document.error;
  return { ...document, status, error, trashedFrom: null, updatedAt: now };
};
