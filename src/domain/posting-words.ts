import type { DocumentStatus } from './document.ts';
import type { Poster } from './posting.ts';
import type { ReviewStatus } from './review.ts';

/** A document as clients read it. */
interface Posted {
  readonly status: DocumentStatus;
  readonly review: { readonly status: ReviewStatus };
  readonly posting: {
    readonly automatic: boolean;
    readonly by: Poster | null;
    readonly next_attempt_at: string | null;
    readonly failed_attempts: number;
  };
}

/** What the workers do with a document, in the words of the console and the command line; null where it is posted by hand. */
export const postingWord = ({ status, review, posting }: Posted): string | null => {
  if (!posting.automatic || status === 'extracting' || status === 'trashed') return null;
  if (status === 'processed') return posting.by === 'policy' ? 'posted automatically' : null;
  if (posting.next_attempt_at !== null)
    return posting.failed_attempts > 0 ? 'is tried again' : 'is posted automatically';
  if (status === 'ready' && review.status === 'pending') return 'is posted automatically once it is approved';
  return review.status === 'rejected' ? null : 'waits for a person';
};
