import { linkedList } from '../../application/linked-list.ts';
import { DomainError } from '../../domain/errors.ts';

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

interface Waiter {
  readonly credential: string;
  admit(): void;
  refuse(reason: unknown): void;
}

const MOST_WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

/** Shares the sessions of a pool evenly between the credentials that ask for them. */
export const fairGate = ({ connectionName, size, waitSeconds }: Settings) => {
  /** One session always remains for the credential that asks next. */
  const mostEach = Math.max(1, size - 1);
  const slots = new Map<string, number>();
  const waiting = linkedList<Waiter>();
  let taken = 0;
  let working = 0;

  const slotsOf = (credential: string) => slots.get(credential) ?? 0;
  const mayTake = (credential: string) => taken < size && slotsOf(credential) < mostEach;

  const begin = (credential: string): Slot => {
    taken += 1;
    slots.set(credential, slotsOf(credential) + 1);
    let atWork = false;
    let over = false;
    const works = (now: boolean) => {
      if (now !== atWork && !over) working += now ? 1 : -1;
      atWork = now;
    };
    return {
      works,
      end() {
        if (over) return;
        works(false);
        over = true;
        taken -= 1;
        const left = slotsOf(credential) - 1;
        if (left > 0) slots.set(credential, left);
        else slots.delete(credential);
        admitNext();
      },
    };
  };

  /** Admits a waiter of the credential with the fewest slots, the one that has waited longest. */
  const admitNext = () => {
    let next: Waiter | undefined;
    for (const waiter of waiting) {
      if (mayTake(waiter.credential) && (!next || slotsOf(waiter.credential) < slotsOf(next.credential))) next = waiter;
    }
    next?.admit();
  };

  const busy = () =>
    new DomainError(
      'rate_limited',
      `The connection "${connectionName}" has no free session for this credential at present: try again in ${RETRY_AFTER_SECONDS} seconds.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );

  /** A full queue loses the newest waiter of the credential that has the most. */
  const bound = () => {
    if (waiting.size <= MOST_WAITING) return;
    const queues = [...Map.groupBy(waiting, ({ credential }) => credential).values()];
    const [longest] = queues.toSorted((one, other) => other.length - one.length);
    longest?.at(-1)?.refuse(busy());
  };

  const wait = (credential: string, signal: AbortSignal): Promise<Slot> => {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const leave = () => {
      remove();
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
    };
    const waiter: Waiter = {
      credential,
      admit() {
        leave();
        resolve(begin(credential));
      },
      refuse(reason) {
        leave();
        reject(reason);
      },
    };
    const aborted = () => waiter.refuse(signal.reason);
    const late = () => waiter.refuse(working > 0 ? busy() : new DOMException('No session has answered.', 'TimeoutError'));
    const timer = setTimeout(late, waitSeconds * 1000);
    signal.addEventListener('abort', aborted, { once: true });
    const remove = waiting.add(waiter);
    bound();
    return promise;
  };

  return {
    /** Rejects with `rate_limited` when no slot is free in time, and as a time-out when no session has answered by then. */
    async enter(credential: string, signal: AbortSignal): Promise<Slot> {
      signal.throwIfAborted();
      return mayTake(credential) ? begin(credential) : wait(credential, signal);
    },
  };
};
