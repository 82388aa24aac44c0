import type { DocumentHead } from '../../application/ports/storage.ts';
import type { Duplicate } from '../../domain/review.ts';
import { etagOf } from './conditional.ts';

type Tagged = Pick<DocumentHead, 'id' | 'revision' | 'status' | 'error' | 'externalReference' | 'checks'> &
  Pick<DocumentHead, 'createdAt' | 'updatedAt' | 'processedAt'> &
  Pick<DocumentHead, 'reviewStatus' | 'reviewReasons' | 'reviewer' | 'reviewNote' | 'decidedAt'> &
  Pick<DocumentHead, 'postedBy' | 'postAt' | 'postFailures' | 'postError'> & {
    readonly duplicates: readonly Duplicate[];
  };

/** Of all that changes of a document: its data and evidence change with the revision alone, and are not read for this. */
export const documentTag = (document: Tagged): string => {
  const { id, revision, status, error, externalReference, createdAt, updatedAt, processedAt, checks, duplicates } =
    document;
  const { reviewStatus, reviewReasons, reviewer, reviewNote, decidedAt } = document;
  const review = [reviewStatus, reviewReasons.length, reviewer, reviewNote, decidedAt];
  const { postedBy, postAt, postFailures, postError } = document;
  const copies = duplicates.map(({ documentId, reason }) => [documentId, reason]);
  return etagOf(
    JSON.stringify([
      id,
      revision,
      status,
      error,
      externalReference,
      createdAt,
      updatedAt,
      processedAt,
      review,
      checks,
      copies,
      [postedBy, postAt, postFailures, postError],
    ]),
  );
};
