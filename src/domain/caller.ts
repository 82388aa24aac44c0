import type { Door, Role, Scope } from './access.ts';
import { DomainError } from './errors.ts';

/** Who is asking: resolved once from a credential, then passed to every use case. */
export interface Caller {
  readonly userId: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly role: Role;
  readonly credential: {
    readonly id: string;
    readonly kind: 'api_key' | 'access_token' | 'operator' | 'run';
    /** The credential in whose window of the rate limit its requests count; absent: its own. */
    readonly window?: string;
    /** Whether the user made or allowed it, and not the operator. */
    readonly selfIssued?: boolean;
  };
  readonly door: Door;
  /** Where the request comes from; absent: from this server itself. */
  readonly address?: string;
  /** When the person signed in, of the console alone. */
  readonly signedInAt: Date | null;
  /** null: everything the user may do. */
  readonly scopes: ReadonlySet<Scope> | null;
  /** Set if the credential works on this agent's tool endpoint and nowhere else. */
  readonly boundToAgent: string | null;
}

/** Whether the caller may do what the scope grants. A background run decides on no document: it does not have the scopes of who started it. */
export const mayDo = ({ role, credential, scopes }: Caller, scope: Scope): boolean => {
  if (role === 'viewer' && !scope.endsWith(':read')) return false;
  if (credential.kind === 'run' && scope === 'documents:review') return false;
  return scopes === null || scopes.has(scope);
};

/** The key that the caller uses; null without one. */
export const keyOf = ({ credential }: Caller): string | null => (credential.kind === 'api_key' ? credential.id : null);

/** Under which credential the caller's requests and streams are counted. */
export const windowOf = ({ credential }: Caller): string => credential.window ?? credential.id;

/** The keys that a user made and the programs that they allowed may together do so many times as much as one credential. Keys of the operator do not count here. */
export const OF_A_USER = 3;

/** How much of something may be had at once. */
export interface Share {
  readonly of: 'credential' | 'user';
  readonly key: string;
  readonly most: number;
}

/** The shares that count for the caller, where one credential may have so much. */
export const sharesOf = (caller: Caller, most: number): readonly Share[] => {
  const ofWindow: Share = { of: 'credential', key: windowOf(caller), most };
  return caller.credential.selfIssued
    ? [ofWindow, { of: 'user', key: caller.userId, most: most * OF_A_USER }]
    : [ofWindow];
};

/** Refuses what only administrators may do. */
export const mustBeAdmin = (caller: Caller) => {
  if (caller.role !== 'admin')
    throw new DomainError('forbidden', 'Only an administrator may do this.', { code: 'admin_only' });
};

/** Refuses writes to viewers; the reason why every use case that writes takes a caller. */
export const mustWrite = (caller: Caller) => {
  if (caller.role === 'viewer') throw new DomainError('forbidden', 'A viewer may read, not write.', { code: 'viewer' });
};
