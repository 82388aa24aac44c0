import type { Doer } from '../../domain/audit.ts';
import type { Caller } from '../../domain/caller.ts';

/** Access tokens: `svcpt_` and 40 base62 characters. */
export interface AccessTokens {
  /** The caller behind a token, unless it is expired or revoked; any other text has none. May be remembered, but never past a revocation. */
  findCaller(token: string): Promise<Caller | null>;
}

/** What a user has allowed a client to do: one consent, for one resource. */
export interface Grant {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  /** What the client calls itself, unchecked. */
  readonly clientName: string | null;
  /** Where the client is, as the user was shown. */
  readonly clientHost: string;
  /** The resource indicator (RFC 8707), as the client wrote it. */
  readonly resource: string;
  /** Whose tools it opens; null if it is for the API. */
  readonly agentId: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** The sign-in at the organisation that it is of, and ends with; absent, or null: none. */
  readonly signInId?: string | null;
  /** When tokens were last issued from it. */
  readonly usedAt: Date | null;
  readonly expiresAt: Date;
}

/** What the authorization server keeps for a while: a code, a token, a session, a registered client. Nothing in it can be read from the database. */
export interface OAuthRecord {
  readonly kind: string;
  /** SHA-256, hexadecimal, of what its holder presents. */
  readonly hash: string;
  /** The same of its second name, if it has one. */
  readonly otherHash: string | null;
  readonly sealed: string;
  /** The grant it came from, and ends with. */
  readonly grantId: string | null;
  /** Whose session it is. */
  readonly userId: string | null;
  /** Of sessions: the sign-in at the organisation that it is of, and ends with; absent, or null: none. */
  readonly signInId?: string | null;
  /** Of access tokens. */
  readonly scopes: readonly string[] | null;
  /** Of access tokens of the console: when its user signed in. */
  readonly signedInAt: Date | null;
  readonly expiresAt: Date;
}

export interface FoundRecord {
  readonly sealed: string;
  readonly grantId: string | null;
  readonly consumedAt: Date | null;
}

export interface GrantSummary extends Grant {
  readonly agentName: string | null;
}

export interface OAuthStore {
  /** Replaces the record of this kind and hash. `false` if the grant or sign-in it belongs to is no more, or if it is a session that was removed: nothing is saved then. */
  save(record: OAuthRecord): Promise<boolean>;
  /** Saves a refresh token, which keeps its grant, and the client, for as long as itself. */
  saveRefreshToken(record: OAuthRecord): Promise<boolean>;
  /** Consumed ones too; expired ones are no more. */
  find(kind: string, hash: string): Promise<FoundRecord | null>;
  findByOther(kind: string, otherHash: string): Promise<FoundRecord | null>;
  /** `true` for exactly one of all who ask, however many do at once. */
  consume(kind: string, hash: string): Promise<boolean>;
  /** As `consume`, but `true` once more, within a minute, for the one who consumed it: the answer may have been lost. `by` tells who that is. */
  consumeBy(by: string, kind: string, hash: string): Promise<boolean>;
  /** Takes it back that the record was consumed, for a holder who got nothing for it. */
  giveBack(kind: string, hash: string): Promise<void>;
  remove(kind: string, hash: string): Promise<void>;
  /** Keeps the client for as long as the grant. `clientHash` is the hash of the client's record. `by`: null of the console, which is part of a sign-in. */
  saveGrant(grant: Grant, clientHash: string, by: Doer | null): Promise<void>;
  findGrant(id: string): Promise<Grant | null>;
  /** What lasts of the user's grants, newest first. */
  listGrants(userId: string): Promise<readonly GrantSummary[]>;
  /** Whether one of these users has a grant for the client that lasts. */
  hasGrant(userIds: readonly string[], clientId: string): Promise<boolean>;
  /** Ends a grant and everything that came from it, at once; of this user if one is given. `false` if there is none. */
  removeGrant(id: string, by: Doer, userId?: string): Promise<boolean>;
  /** Removes some of what has expired, invitations too; how much. */
  sweep(): Promise<number>;
}
