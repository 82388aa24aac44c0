import { fairShare } from '../../application/shared/fair-share.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Sharer } from '../../domain/sharer.ts';

/** The right to use one session, from before it is opened until it is released. */
export interface Slot {
  /** Whether the session has answered and is at work: the waiters wait for its work then, and for the system otherwise. */
  works(now: boolean): void;
  end(): void;
}

interface Settings {
  readonly connectionName: string;
  /** How many sessions the pool may have. */
  readonly size: number;
  readonly waitSeconds: number;
}

const MOST_WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

/** Shares the sessions of a pool between those who ask for them; one session always remains for the user who asks next. */
export const fairGate = ({ connectionName, size, waitSeconds }: Settings) => {
  let working = 0;

  const busy = () =>
    new DomainError(
      'rate_limited',
      `The connection "${connectionName}" has no free session for you at present: try again in ${RETRY_AFTER_SECONDS} seconds.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );

  const share = fairShare({
    places: size,
    mostOfUser: Math.max(1, size - 1),
    mostWaiting: MOST_WAITING,
    waitMs: waitSeconds * 1000,
    refusal: (why) =>
      why === 'late' && working === 0 ? new DOMException('No session has answered.', 'TimeoutError') : busy(),
  });

  return {
    /** Rejects with `rate_limited` when no slot is free in time, and as a time-out when no session has answered by then. */
    async enter(sharer: Sharer, signal: AbortSignal): Promise<Slot> {
      const leave = await share.enter(sharer, signal);
      let atWork = false;
      let over = false;
      const works = (now: boolean) => {
        if (now !== atWork && !over) working += now ? 1 : -1;
        atWork = now;
      };
      return {
        works,
        end() {
          works(false);
          over = true;
          leave();
        },
      };
    },
  };
};
