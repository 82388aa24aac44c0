import * as t from 'io-ts';
import { type Posting, posters } from '../domain/posting.ts';
import { about, component, nullable } from './kit/structures.ts';
import { dateTime, integer, oneOf } from './kit/values.ts';

/** How a document comes into its system of record. */
export const posting = component('Posting', {
  automatic: about(
    'Whether the workers deliver it as soon as they may, because the version of its agent says `process: automatic`.',
    t.boolean,
  ),
  by: about(
    'Who began its last delivery: the workers, because the agent says so (`policy`), or a person or a program (`client`); null before the first.',
    nullable(oneOf(...posters)),
  ),
  nextAttemptAt: about(
    'When the workers try next. null: it is posted, waits for a decision, or the workers leave it to a person.',
    nullable(dateTime),
  ),
  failedAttempts: about('How often the workers found its system of record out of reach.', integer({ min: 0 })),
  failingSince: about('When that happened first: for a day the workers try again.', nullable(dateTime)),
  lastError: about('Why the last attempt of the workers came to nothing.', nullable(t.string)),
});

export const postingOf = (shown: Posting): t.TypeOf<typeof posting> => ({
  automatic: shown.automatic,
  by: shown.postedBy,
  nextAttemptAt: shown.postAt,
  failedAttempts: shown.postFailures,
  failingSince: shown.postFailingSince,
  lastError: shown.postError,
});
