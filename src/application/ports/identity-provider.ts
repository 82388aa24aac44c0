/** What is kept of a sign-in while the browser is at the organisation. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who the organisation says somebody is, proved by its signature. */
export interface Identity {
  /** With the subject: who it is, whatever else changes. */
  readonly issuer: string;
  readonly subject: string;
  /** How it calls its session. */
  readonly session: string | null;
  readonly email: string | null;
  /** Whether it has checked that the address is theirs. */
  readonly emailVerified: boolean;
  readonly name: string | null;
  /** null: it tells them in another place, because they are too many for a token. */
  readonly groups: readonly string[] | null;
  /** When they proved who they are; null: it does not say. */
  readonly authenticatedAt: Date | null;
}

/** Sessions that the organisation has ended: the one that is named, or else all of the subject. */
export interface EndedSessions {
  readonly issuer: string;
  readonly subject: string | null;
  readonly session: string | null;
  /** A message counts once. */
  readonly messageId: string;
  readonly expiresAt: Date;
}

/** `unreachable`: the organisation's server is away, and may come back. `refused`: what came from it, or from the browser, is not to be believed. */
export class IdentityFailure extends Error {
  readonly reason: 'unreachable' | 'refused';

  constructor(reason: IdentityFailure['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'IdentityFailure';
    this.reason = reason;
  }
}

/** Where the people of an organisation sign in. Nothing is asked of it before the first sign-in. Rejects with IdentityFailure. */
export interface IdentityProvider {
  /** Where to send the browser. `maxAgeSeconds`: an earlier proof is made again there. */
  begin(maxAgeSeconds: number): Promise<{ readonly url: string; readonly pending: PendingSignIn }>;
  /** Who came back. `query`: what the browser brings along. */
  finish(query: URLSearchParams, pending: PendingSignIn): Promise<Identity>;
  /** What a logout token says (OpenID Connect Back-Channel Logout 1.0). */
  ended(logoutToken: string): Promise<EndedSessions>;
  /** Reads what a sign-in needs, without one; answers how many keys the organisation publishes. */
  examine(): Promise<number>;
}
