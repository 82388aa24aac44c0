import type { Caller } from '../../application/access/caller.ts';
import type { Listener } from './listener.ts';
import { type Memory, memory } from './memory.ts';

/** The caller behind a credential, until the credential expires. */
export interface Known {
  readonly caller: Caller;
  readonly expiresAt: Date | null;
}

export interface CallerMemory extends Pick<Memory<Known>, 'recall'> {
  /** Forgets every credential with this id, or of this user. */
  drop(id: string): void;
}

/** Sent by triggers with the id of the credential or the user whose rights changed. */
const CHANNEL = 'portico_access';
export const MOST_REMEMBERED = 10_000;

/** What is remembered of credentials, by hash. */
export const callerMemory = (listener: Listener, rememberMs: number): CallerMemory => {
  const known = memory<Known>({ most: MOST_REMEMBERED, rememberMs, hears: () => listener.hears(CHANNEL) });
  const drop = (id: string) => known.forget(({ caller }) => caller.credential.id === id || caller.userId === id);
  listener.listen(CHANNEL, { message: drop, gap: () => known.forget() });
  return { drop, recall: known.recall };
};
