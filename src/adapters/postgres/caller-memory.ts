import { LRUCache } from 'lru-cache';
import type { Caller } from '../../application/caller.ts';
import type { Listener } from './listener.ts';

/** The caller behind a credential, until the credential expires. */
export interface Known {
  readonly caller: Caller;
  readonly expiresAt: Date | null;
}

export interface CallerMemory {
  /** Forgets every credential with this id, or of this user. */
  drop(id: string): void;
  recall(hash: string, find: () => Promise<Known | null>): Promise<Known | null>;
}

/** Sent by triggers with the id of the credential or the user whose rights changed. */
const CHANNEL = 'portico_access';
export const MOST_REMEMBERED = 10_000;

/**
 * What is remembered of credentials, by hash. An answer that was on its way while something changed is not kept: it may be from before.
 * Nothing is kept for long, because notifications are not heard while their connection is down.
 */
export const callerMemory = (listener: Listener, rememberMs: number): CallerMemory => {
  const known = new LRUCache<string, Known>({ max: MOST_REMEMBERED, ttl: rememberMs });
  let changes = 0;
  const drop = (id: string) => {
    changes += 1;
    for (const [hash, { caller }] of known.entries()) if (caller.credential.id === id || caller.userId === id) known.delete(hash);
  };
  const gap = () => {
    changes += 1;
    known.clear();
  };
  listener.listen(CHANNEL, { message: drop, gap });
  return {
    drop,
    async recall(hash, find) {
      const remembered = known.get(hash);
      if (remembered) return remembered;
      const before = changes;
      const found = await find();
      if (found && changes === before) known.set(hash, found);
      return found;
    },
  };
};
