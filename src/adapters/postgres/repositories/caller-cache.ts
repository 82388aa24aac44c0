import type { Caller } from '../../../domain/caller.ts';
import { type Cache, openCache } from '../connection/cache.ts';
import type { Listener } from '../connection/listener.ts';

/** The caller behind a credential, until the credential expires. */
export interface KnownCaller {
  readonly caller: Caller;
  readonly expiresAt: Date | null;
}

export type UserRow = Pick<Caller, 'userId' | 'workspaceId' | 'email' | 'role'>;

/** By the hash of the credential; invalidated by the id of a credential or a user. */
export type CallerCache = Cache<KnownCaller>;

export const MAX_CALLERS = 10_000;

/** Triggers send the id of the credential or the user whose rights changed. */
export const callerCache = (listener: Listener, ttlMs: number): CallerCache =>
  openCache<KnownCaller>({
    listener,
    ttlMs,
    channel: 'portico_access',
    maxEntries: MAX_CALLERS,
    isStale: ({ caller }, id) => caller.credential.id === id || caller.userId === id,
  });
