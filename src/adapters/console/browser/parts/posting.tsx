import type { Schemas } from '../../../../client/portico.ts';
import { countText, Time } from './basics.tsx';

type Posted = Pick<Schemas['ListedDocument'], 'status' | 'review' | 'posting'>;

/** What the workers do with a document, in a word; null where it is posted by hand. */
export const postingWord = ({ status, review, posting }: Posted): string | null => {
  if (!posting.automatic || status === 'extracting' || status === 'trashed') return null;
  if (status === 'processed') return posting.by === 'policy' ? 'posted automatically' : null;
  if (posting.next_attempt_at !== null)
    return posting.failed_attempts > 0 ? 'is tried again' : 'is posted automatically';
  if (status === 'ready' && review.status === 'pending') return 'is posted automatically once it is approved';
  return review.status === 'rejected' ? null : 'waits for a person';
};

const MINUTE_MS = 60_000;

/** The same at length: when they try again, and what went wrong. */
export const PostingState = ({ of }: { readonly of: Posted }) => {
  const { next_attempt_at: next, failed_attempts: failed, failing_since: since, last_error: error } = of.posting;
  const isLater = failed > 0 && next !== null;
  const isSoon = isLater && Date.parse(next) - Date.now() < MINUTE_MS;
  return (
    <>
      {postingWord(of)} {isLater && (isSoon ? 'in a moment' : <Time at={next} />)}
      {error !== null && (
        <p class="soft">
          {error} {isLater && `${countText(failed)} ${failed === 1 ? 'attempt' : 'attempts'} since`}{' '}
          {isLater && <Time at={since} />}
        </p>
      )}
    </>
  );
};
