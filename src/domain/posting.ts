import { backOffSeconds } from './back-off.ts';

export const processModes = ['manual', 'automatic'] as const;
/** Whether the documents of an agent are delivered when a person or a program asks for it, or by the workers as soon as they may be. */
export type ProcessMode = (typeof processModes)[number];

export const posters = ['client', 'policy'] as const;
/** Who began a delivery: a person or a program, or the workers because the agent says so. */
export type Poster = (typeof posters)[number];

/** What the workers do to post a document. */
export interface Posting {
  /** Whether they post it, by the version of the agent that made it. */
  readonly automatic: boolean;
  /** Who began its last delivery; null before the first one. */
  readonly postedBy: Poster | null;
  /** When they try next; null: they leave it to a person, or there is nothing to post. */
  readonly postAt: Date | null;
  /** How often in a row the system was out of reach. */
  readonly postFailures: number;
  /** When that happened first. */
  readonly postFailingSince: Date | null;
  /** Why the last of their attempts came to nothing. */
  readonly postError: string | null;
}

export const neverPosted: Posting = {
  automatic: false,
  postedBy: null,
  postAt: null,
  postFailures: 0,
  postFailingSince: null,
  postError: null,
};

/** A system that stays out of reach for so long is left to a person. */
export const TRIED_SECONDS = 86_400;

const LONGEST_DELAY_SECONDS = 3600;

type Schedule = Pick<Posting, 'postAt' | 'postFailures' | 'postFailingSince' | 'postError'>;

/** Gives the document to the workers from that time on, as if nothing had been tried before; null takes it from them. */
export const postingFrom = ({ automatic }: Posting, at: Date | null): Schedule => ({
  postAt: automatic ? at : null,
  postFailures: 0,
  postFailingSince: null,
  postError: null,
});

/** Ends the attempts of the workers; the reason, if a person has to go on. */
export const postingEnded = (reason: string | null): Pick<Posting, 'postAt' | 'postError'> => ({
  postAt: null,
  postError: reason,
});

/** How a delivery that found its system out of reach is tried again. */
export interface Retry {
  readonly firstSeconds: number;
  /** From 0 to 1: spreads documents that failed together. */
  readonly chance: number;
}

/** Tries again later, the last time when the day is over. */
export const postedLater = (
  { postFailures, postFailingSince }: Posting,
  reason: string,
  { firstSeconds, chance }: Retry,
  now: Date,
): Schedule => {
  const since = postFailingSince ?? now;
  const end = since.getTime() + TRIED_SECONDS * 1000;
  const terms = { firstSeconds, longestSeconds: LONGEST_DELAY_SECONDS };
  const next = now.getTime() + backOffSeconds(postFailures + 1, chance, terms) * 1000;
  return {
    postAt: now.getTime() < end ? new Date(Math.min(next, end)) : null,
    postFailures: postFailures + 1,
    postFailingSince: since,
    postError: reason,
  };
};
