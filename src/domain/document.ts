import type { Door } from './access.ts';
import type { CheckResult } from './check.ts';
import type { Coverage } from './coverage.ts';
import type { EInvoiceReading } from './e-invoice/reading.ts';
import { DomainError, notFound } from './errors.ts';
import type { Support } from './evidence-support.ts';
import { type Hold, mustNotBeHeld } from './hold.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { PageLayout } from './page-words.ts';
import { type Poster, type Posting, postedLater, postingEnded, postingFrom, type Retry } from './posting.ts';
import type { PageBox } from './quote-places.ts';
import {
  type Approver,
  type Contradiction,
  noReview,
  type Review,
  type Reviewer,
  type ReviewReason,
  reviewMachine,
  reviewOf,
} from './review.ts';
import { machine } from './state-machine.ts';

export type DocumentStatus = 'extracting' | 'ready' | 'processing' | 'processed' | 'error' | 'trashed';
type DocumentEvent = 'extract' | 'fail' | 'correct' | 'process' | 'accept' | 'reject' | 'postpone' | 'trash';

export const documentMachine = machine<DocumentStatus, DocumentEvent>('document', {
  extracting: { extract: 'ready', fail: 'error', trash: 'trashed' },
  ready: { correct: 'ready', process: 'processing', trash: 'trashed' },
  processing: { accept: 'processed', reject: 'error', postpone: 'ready', trash: 'trashed' },
  processed: { trash: 'trashed' },
  error: { correct: 'ready', process: 'processing', trash: 'trashed' },
  trashed: {},
});

/** Where a value was read: a quote that stands verbatim in the text of the file. */
export interface Evidence {
  readonly quote: string;
  readonly fileName: string;
  readonly page: number | null;
  /** Where the quote stands on the page, one box for each line; none if the file has no pages, or the words of the page no places. */
  readonly boxes: readonly PageBox[];
  /** Whether the words at the boxes differ a little from the quote, though in no digit. */
  readonly approximate: boolean;
  readonly support: Support;
  readonly source: PageLayout['source'] | 'xml';
  readonly confidence: number | null;
  /** Of the element or attribute of an e-invoice that has the value; null of a text. */
  readonly xpath: string | null;
}

/** Evidence whose place on the page is not known, unless it is given. */
export const evidenceOf = (
  known: Omit<Evidence, 'boxes' | 'approximate' | 'confidence' | 'xpath'> & Partial<Evidence>,
): Evidence => ({ boxes: [], approximate: false, confidence: null, xpath: null, ...known });

/** A value of an e-invoice inside a PDF that the page does not show. */
export interface EInvoiceDifference {
  /** Of the field that is mapped to the term; else the term, such as `BT-112`. */
  readonly pointer: string;
  /** Verbatim, as are the next. */
  readonly xml: string;
  /** What the page shows instead; null, like the page, if it shows nothing of the kind. */
  readonly pageValue: string | null;
  readonly page: number | null;
  readonly boxes: readonly PageBox[];
}

/** The e-invoice that a document was read from. */
export interface DocumentEInvoice extends Omit<EInvoiceReading, 'nodes'> {
  readonly differences: readonly EInvoiceDifference[];
}

/** What is known of a document beside its data and the evidence for it, which may be long and change with the revision alone. */
export interface DocumentState extends Review, Posting, Hold {
  readonly id: string;
  readonly workspaceId: string;
  readonly runId: string;
  readonly agentId: string;
  readonly conversationId: string;
  readonly name: string;
  readonly status: DocumentStatus;
  /** null before it is extracted. */
  readonly coverage: Coverage | null;
  /** null if none of its files is one, or it is not extracted. */
  readonly einvoice: DocumentEInvoice | null;
  /** What the parts of its files say differently. */
  readonly contradictions: readonly Contradiction[];
  /** How often its data changed: 1 when it becomes ready, 0 while it has none. */
  readonly revision: number;
  /** The revision that was approved last, whether that approval stands or not. */
  readonly approvedRevision: number | null;
  /** Of an approval that stands: the strictest rule of who may approve that it keeps. */
  readonly approvedAs: Approver | null;
  /** Whether a person has ever opened its review again. */
  readonly reopened: boolean;
  /** The revision that a delivery may have written whose end is not known. */
  readonly attemptedRevision: number | null;
  readonly checks: readonly CheckResult[];
  /** Stands for the values of its agent's key; null if it has not all of them. */
  readonly duplicateKey: string | null;
  /** The same by the key of a later version, once the document was to be posted under its rules. */
  readonly laterKey: string | null;
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

export interface Document extends DocumentState {
  /** null in revision 0. */
  readonly documentData: JsonObject | null;
  /** JSON Pointer of an extracted leaf → where it was read. */
  readonly evidence: Readonly<Record<string, Evidence>>;
}

/** So long a person may take back what they did before anything of it is posted. */
export const UNDO_SECONDS = 10;

export const undoableUntil = (done: Date): Date => new Date(done.getTime() + UNDO_SECONDS * 1000);

const isFree = (status: Review['reviewStatus']): boolean => status === 'not_required' || status === 'approved';

const busy = (document: Pick<Document, 'status'>) =>
  new DomainError('conflict', `The document is ${document.status}: try again when that is done.`, {
    code: 'document_busy',
  });

const inSystemOfRecord = () =>
  new DomainError('conflict', 'The document is in its system of record already.', { code: 'document_processed' });

export const documentWithoutData = (purpose = 'process') =>
  new DomainError('conflict', `The document has no data to ${purpose}.`, { code: 'document_without_data' });

/** The first revision is what was extracted. */
const hasData = ({ revision }: DocumentState): boolean => revision > 0;

/** Refuses to process a document that waits for a decision or was rejected. */
const mustNotWait = ({ reviewStatus, revision }: DocumentState) => {
  if (reviewStatus === 'pending') {
    throw new DomainError('conflict', `Revision ${revision} of the document waits for a decision.`, {
      code: 'review_required',
    });
  }
  if (reviewStatus === 'rejected') {
    throw new DomainError('conflict', `Revision ${revision} of the document was rejected.`, {
      code: 'review_rejected',
    });
  }
};

/** Takes the document for delivery until `leaseExpiresAt`. A delivery whose lease ran out may be taken over: it looks for its row first. */
export const beginDelivery = <D extends DocumentState>(
  document: D,
  now: Date,
  leaseExpiresAt: Date,
  by: Poster = 'client',
): D => {
  if (document.status === 'trashed') throw notFound('document');
  const isOver = document.status === 'processing' && document.leaseExpiresAt !== null && document.leaseExpiresAt <= now;
  if (document.status === 'extracting' || (document.status === 'processing' && !isOver)) throw busy(document);
  if (!hasData(document)) throw documentWithoutData();
  if (document.status === 'processed') throw inSystemOfRecord();
  mustNotWait(document);
  const status = isOver ? 'processing' : documentMachine.next(document.status, 'process');
  const { fence, revision } = document;
  return {
    ...document,
    status,
    error: null,
    fence: fence + 1,
    postedBy: by,
    attemptedRevision: revision,
    leaseExpiresAt,
    updatedAt: now,
  };
};

export type Postable = Pick<DocumentState, 'status' | 'reviewStatus' | 'attemptedRevision' | keyof Posting>;

/** Gives the document to the workers from that time on, unless it waits for a person: what was refused does, and what is perhaps there already. */
export const forWorkers = <D extends Postable>(document: D, at: Date): D => {
  const { status, reviewStatus, attemptedRevision } = document;
  const isOpen = status === 'ready' && isFree(reviewStatus) && attemptedRevision === null;
  return { ...document, ...postingFrom(document, isOpen ? at : null) };
};

/** Asks for a review of a document that needed none when it became ready, or of an approval that does not suffice any more. */
export const requireReview = <D extends DocumentState>(document: D, reasons: readonly ReviewReason[], now: Date): D =>
  isFree(document.reviewStatus) && documentMachine.allows(document.status, 'process')
    ? forWorkers({ ...document, ...reviewOf(document.reviewStatus, reasons), approvedAs: null, updatedAt: now }, now)
    : document;

export type DeliveryOutcome =
  | { readonly event: 'accept'; readonly reference: string }
  | { readonly event: 'reject'; readonly reason: string }
  /** `isUncertain`: the row may be there or not. `failure`: null if the delivery was only stopped; `retry` is null where it was none of the workers'. */
  | {
      readonly event: 'postpone';
      readonly isUncertain: boolean;
      readonly failure: { readonly reason: string; readonly retry: Retry | null } | null;
    };

/** What is left for the workers to do. A document that was refused, or may be there already, waits for a person. */
const postingAfter = (document: DocumentState, outcome: DeliveryOutcome, now: Date): Partial<Posting> => {
  if (outcome.event !== 'postpone') return postingEnded(null);
  const { isUncertain, failure } = outcome;
  if (failure === null) return {};
  if (isUncertain) return postingEnded(document.automatic ? failure.reason : null);
  return failure.retry === null ? {} : postedLater(document, failure.reason, failure.retry, now);
};

/** Ends the delivery with this fence; one that was taken over or trashed changes nothing. */
export const endDelivery = <D extends DocumentState>(
  document: D,
  fence: number,
  outcome: DeliveryOutcome,
  now: Date,
): D => {
  if (document.fence !== fence || document.status !== 'processing') return document;
  return {
    ...document,
    ...postingAfter(document, outcome, now),
    status: documentMachine.next(document.status, outcome.event),
    error: outcome.event === 'reject' ? outcome.reason : null,
    externalReference: outcome.event === 'accept' ? outcome.reference : document.externalReference,
    processedAt: outcome.event === 'accept' ? now : document.processedAt,
    attemptedRevision: outcome.event === 'postpone' && outcome.isUncertain ? document.attemptedRevision : null,
    leaseExpiresAt: null,
    updatedAt: now,
  };
};

/**
 * Refuses what would change a document under a delivery. While it is not known whether a delivery wrote its row, the data stays as it was
 * sent: another revision would be taken for what is in the system of record.
 */
export const mustRest = (document: DocumentState) => {
  if (document.status === 'trashed') throw notFound('document');
  if (document.status === 'processed') throw inSystemOfRecord();
  if (!documentMachine.allows(document.status, 'process')) throw busy(document);
  if (document.attemptedRevision === null) return;
  const unknown =
    'It is not known whether the last delivery of the document wrote its row: process the document again first.';
  throw new DomainError('conflict', unknown, { code: 'document_busy' });
};

/** What a revision has otherwise than the one before, at the innermost place; null where there is nothing. */
export interface DataChange {
  readonly pointer: string;
  readonly from: JsonValue;
  readonly to: JsonValue;
}

/** The data of the next revision, with what is found of it. */
export interface Correction extends Pick<Document, 'evidence' | 'contradictions' | 'checks' | 'duplicateKey'> {
  readonly data: JsonObject;
  readonly reasons: readonly ReviewReason[];
}

/** Makes the next revision. A decision was of the one before, and so was the refusal of the system of record. */
export const correct = <D extends DocumentState>(
  document: D,
  { data, reasons, ...conclusions }: Correction,
  now: Date,
): D & Document => {
  mustRest(document);
  const review = reviewOf(document.reviewStatus, reasons);
  const revised = {
    ...document,
    ...conclusions,
    ...review,
    approvedAs: null,
    laterKey: null,
    documentData: data,
    status: documentMachine.next(document.status, 'correct'),
    error: null,
    revision: document.revision + 1,
    updatedAt: now,
  };
  return forWorkers(revised, undoableUntil(now));
};

export interface Decision {
  readonly event: 'approve' | 'reject';
  /** The strictest rule of who may approve that an approval keeps; null of a rejection. */
  readonly approvedAs: Approver | null;
  readonly reviewer: Reviewer;
  readonly note: string | null;
  readonly via: Door;
}

/** Approves or rejects the revision that the document has, once. */
export const decide = <D extends DocumentState>(
  document: D,
  { event, approvedAs, reviewer, note, via }: Decision,
  now: Date,
): D => {
  mustRest(document);
  if (!hasData(document)) throw documentWithoutData('decide on');
  if (!reviewMachine.allows(document.reviewStatus, event)) {
    const { revision, reviewStatus } = document;
    throw new DomainError(
      'conflict',
      `Revision ${revision} is ${reviewStatus} already: reopen its review first, or change the data.`,
    );
  }
  const reviewStatus = reviewMachine.next(document.reviewStatus, event);
  const decided = {
    ...document,
    approvedAs,
    approvedRevision: event === 'approve' ? document.revision : document.approvedRevision,
    reviewStatus,
    reviewer,
    reviewNote: note,
    decidedAt: now,
    decidedVia: via,
    updatedAt: now,
  };
  return forWorkers(decided, undoableUntil(now));
};

/** Takes the decision on the revision back: the review is as it was before it. */
export const reopen = <D extends DocumentState>(document: D, now: Date): D => {
  mustRest(document);
  const { reviewStatus, reviewReasons } = document;
  if (!reviewMachine.allows(reviewStatus, 'reopen')) {
    throw new DomainError(
      'conflict',
      `The review of the document is ${reviewStatus}: there is no decision to take back.`,
    );
  }
  const reopened = {
    ...document,
    ...noReview,
    reviewStatus: reviewMachine.next(reviewStatus, 'reopen'),
    reviewReasons,
    approvedAs: null,
    reopened: true,
    updatedAt: now,
  };
  return forWorkers(reopened, now);
};

/** How many milliseconds the document is still held for the person who has approved it in the console, who may take that back. */
export const heldFor = ({ reviewStatus, decidedVia, decidedAt }: DocumentState, now: Date): number =>
  reviewStatus === 'approved' && decidedVia === 'console' && decidedAt !== null
    ? Math.max(0, undoableUntil(decidedAt).getTime() - now.getTime())
    : 0;

/** Moves to trash from any state; twice is once. */
export const trash = <D extends DocumentState>(document: D, now: Date): D => {
  if (document.status === 'trashed') return document;
  mustNotBeHeld(document);
  return {
    ...document,
    status: documentMachine.next(document.status, 'trash'),
    trashedFrom: document.status,
    fence: document.fence + 1,
    postAt: null,
    leaseExpiresAt: null,
    updatedAt: now,
  };
};

/** Where a document rests once it is restored: work that was under way when it was trashed does not go on. */
const restOf = (before: DocumentStatus): DocumentStatus => {
  if (before === 'processing') return documentMachine.next(before, 'postpone');
  return before === 'extracting' ? documentMachine.next(before, 'fail') : before;
};

/** Brings a trashed document back. */
export const restore = <D extends DocumentState>(document: D, now: Date): D => {
  if (document.status !== 'trashed')
    throw new DomainError('conflict', `The document is ${document.status}, not in the trash.`);
  const status = restOf(document.trashedFrom ?? 'extracting');
  const error =
    document.trashedFrom === 'extracting' ? 'It was moved to trash before it was extracted.' : document.error;
  return forWorkers({ ...document, status, error, trashedFrom: null, updatedAt: now }, undoableUntil(now));
};
