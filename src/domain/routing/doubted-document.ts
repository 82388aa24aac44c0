import { type Document, documentMachine, forWorkers, type Postable, undoableUntil } from '../document.ts';
import { type Doubtful, type ReadingDoubt, type ReviewTime, withDoubt } from '../review.ts';

/** What has to be known of a document to say whether the parts of its run make it doubtful. */
export type PartDocument = Postable & Doubtful & Pick<Document, 'trashedFrom' | 'updatedAt'>;

/** Whether it is being posted, is posted, or may be: then it stays as it was sent. */
const isSent = ({ status, trashedFrom, attemptedRevision }: PartDocument): boolean =>
  attemptedRevision !== null || !documentMachine.allows((status === 'trashed' && trashedFrom) || status, 'process');

/** The document by what is in no part of its run from now on; the same if that changes nothing. */
export const doubted = <D extends PartDocument>(
  document: D,
  doubt: ReadingDoubt | null,
  when: ReviewTime,
  now: Date,
): D => {
  const { coverage, reviewStatus } = document;
  if (coverage === null || isSent(document)) return document;
  const before = coverage.doubts.find(({ code }) => code === 'unassigned_pages');
  if (before?.message === doubt?.message) return document;
  const changed = { ...withDoubt(document, 'unassigned_pages', doubt, when), updatedAt: now };
  return changed.reviewStatus === reviewStatus ? changed : forWorkers(changed, undoableUntil(now));
};
