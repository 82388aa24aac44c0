import type { Sharer } from '../../domain/sharer.ts';
import { linkedList } from './linked-list.ts';

interface Terms {
  readonly places: number;
  /** How many of them one user may have at a time; absent: all. */
  readonly mostOfUser?: number;
  /** How many may wait, and each how long; absent: without a bound. */
  readonly mostWaiting?: number;
  readonly waitMs?: number;
  /** What is thrown for one that may wait no longer: its time is up, or too many wait and its user has the most of them. */
  readonly refusal?: (why: 'late' | 'crowded') => unknown;
  readonly now?: () => number;
}

/** What a user, or a workspace, has of the places. */
interface Account {
  inside: number;
  waiting: number;
  /** The time its work has taken, from the least that any other had when it came. */
  used: number;
}

interface Waiter {
  readonly user: Account;
  readonly workspace: Account;
  admit(): void;
  refuse(reason: unknown): void;
}

const isActive = ({ inside, waiting }: Account) => inside + waiting > 0;

/** The accounts of all users, or of all workspaces. Who is idle saves up no credit, and is remembered as long as they have used more than the others. */
const ledger = () => {
  const accounts = new Map<string, Account>();
  const accountOf = (id: string): Account => {
    const active = [...accounts.values()].filter(isActive);
    const least = active.length === 0 ? 0 : Math.min(...active.map(({ used }) => used));
    for (const [name, account] of accounts) {
      if (!isActive(account) && (active.length === 0 || account.used <= least)) accounts.delete(name);
    }
    const account = accounts.get(id) ?? { inside: 0, waiting: 0, used: least };
    accounts.set(id, account);
    return account;
  };
  return { accounts, accountOf };
};

/** The user with fewer places goes first, then the workspace with fewer, the workspace that has used less time, and the user who has. */
const precedes = (a: Waiter, b: Waiter): boolean => {
  if (a.user.inside !== b.user.inside) return a.user.inside < b.user.inside;
  if (a.workspace.inside !== b.workspace.inside) return a.workspace.inside < b.workspace.inside;
  if (a.workspace.used !== b.workspace.used) return a.workspace.used < b.workspace.used;
  return a.user.used < b.user.used;
};

/** Shares a number of places by user and then by workspace, however much each of them asks for. The work of one user is begun in order. */
export const fairShare = ({
  places,
  mostOfUser = places,
  mostWaiting = Number.POSITIVE_INFINITY,
  waitMs = Number.POSITIVE_INFINITY,
  refusal = () => new Error('There is no place.'),
  now = () => performance.now(),
}: Terms) => {
  const users = ledger();
  const workspaces = ledger();
  /** The one that has waited longest comes first. */
  const waiting = linkedList<Waiter>();
  let free = places;

  const mayEnter = (user: Account) => free > 0 && user.inside < mostOfUser;

  const grant = () => {
    for (;;) {
      let next: Waiter | undefined;
      for (const waiter of waiting)
        if (mayEnter(waiter.user) && (next === undefined || precedes(waiter, next))) next = waiter;
      if (next === undefined) return;
      next.admit();
    }
  };

  /** The place that was taken, as what gives it back. */
  const begin = (owners: readonly Account[]): (() => void) => {
    free -= 1;
    for (const owner of owners) owner.inside += 1;
    const since = now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      for (const owner of owners) {
        owner.inside -= 1;
        owner.used += now() - since;
      }
      free += 1;
      grant();
    };
  };

  const makeRoom = () => {
    if (waiting.size <= mostWaiting) return;
    const queues = [...Map.groupBy(waiting, ({ user }) => user).values()];
    const [longest] = queues.toSorted((one, other) => other.length - one.length);
    longest?.at(-1)?.refuse(refusal('crowded'));
  };

  const wait = (user: Account, workspace: Account, signal: AbortSignal | undefined): Promise<() => void> => {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const leave = () => {
      remove();
      for (const owner of [user, workspace]) owner.waiting -= 1;
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    const waiter: Waiter = {
      user,
      workspace,
      admit() {
        leave();
        resolve(begin([user, workspace]));
      },
      refuse(reason) {
        leave();
        reject(reason);
      },
    };
    const aborted = () => waiter.refuse(signal?.reason);
    const timer = Number.isFinite(waitMs) ? setTimeout(() => waiter.refuse(refusal('late')), waitMs) : undefined;
    signal?.addEventListener('abort', aborted, { once: true });
    for (const owner of [user, workspace]) owner.waiting += 1;
    const remove = waiting.add(waiter);
    makeRoom();
    return promise;
  };

  /** A place is free only if those who wait may have no more of them. */
  const enter = async ({ userId, workspaceId }: Sharer, signal?: AbortSignal): Promise<() => void> => {
    signal?.throwIfAborted();
    const user = users.accountOf(userId);
    const workspace = workspaces.accountOf(workspaceId);
    return mayEnter(user) ? begin([user, workspace]) : wait(user, workspace, signal);
  };

  return {
    /** Answers how to give the place back. Rejects with a refusal, or with the signal's reason if that aborts first. */
    enter,

    /** Does the work as soon as there is a place for it. */
    async pass<T>(sharer: Sharer, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const leave = await enter(sharer, signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },

    /** How much work each workspace has inside or waiting; those without any are left out. */
    demand: (): ReadonlyMap<string, number> =>
      new Map(
        [...workspaces.accounts]
          .filter(([, account]) => isActive(account))
          .map(([id, { inside, waiting }]) => [id, inside + waiting]),
      ),

    /** How much work waits. */
    waiting: () => waiting.size,
  };
};

export type FairShare = ReturnType<typeof fairShare>;
