import type { Schemas } from '../../../../client/portico.ts';
import { postingWord } from '../../../../domain/posting-words.ts';
import { countText, Time } from './basics.tsx';

type Posted = Pick<Schemas['ListedDocument'], 'status' | 'review' | 'posting'>;

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
