import type { Schemas } from '../../../../client/portico.ts';
import { postingWord } from '../../../../domain/posting-words.ts';

type Listed = Pick<Schemas['ListedDocument'], 'status' | 'review' | 'revision' | 'posting'>;

const words = {
  extracting: 'Reading',
  processing: 'Posting',
  processed: 'Posted',
  trashed: 'In the trash',
} as const;

/** `isPosted`: whether documents of its agent are posted; undefined until that is known. */
const ofReview = ({ review: { status } }: Listed, isPosted: boolean | undefined) => {
  if (status === 'pending') return 'Needs review';
  if (status === 'rejected') return 'Rejected';
  if (isPosted) return 'Ready to post';
  return status === 'approved' ? 'Approved' : 'Ready';
};

/** Where a document stands, in the words that people use for it. */
export const stateOf = (document: Listed, isPosted: boolean | undefined) => {
  const { status, review, revision } = document;
  if (status === 'error') return revision === 0 ? 'Failed' : 'Refused';
  const posting = review.status === 'pending' ? null : postingWord(document);
  if (posting !== null) return `${posting.charAt(0).toUpperCase()}${posting.slice(1)}`;
  if (status === 'ready') return ofReview(document, isPosted);
  return words[status];
};

/** Whether it has data that nothing is done to at the moment. */
const isOpen = ({ status, revision }: Listed) => (status === 'ready' || status === 'error') && revision > 0;

/** What the state of a document allows. */
export const allowed = (document: Listed) => {
  const open = isOpen(document);
  const review = document.review.status;
  const decide = open && review === 'pending';
  return {
    edit: open,
    decide,
    approve: decide,
    reject: decide,
    reopen: open && (review === 'approved' || review === 'rejected'),
    process: open && (review === 'approved' || review === 'not_required'),
    reread: document.status === 'error' && document.revision === 0,
    trash: document.status === 'ready' || document.status === 'error',
  };
};
