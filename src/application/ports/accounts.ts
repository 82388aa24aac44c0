import type { User } from '../../domain/access.ts';
import type { Doer } from '../../domain/audit.ts';

/** A user, and which of their passwords is valid: sessions that began with an earlier one end. */
export interface SignedIn {
  readonly user: User;
  /** Grows with every new password. */
  readonly passwordVersion: number;
}

/** A user who can sign in. */
export interface Account extends SignedIn {
  /** null until the user has chosen a password. */
  readonly passwordHash: string | null;
}

export interface Invitation {
  readonly userId: string;
  /** SHA-256 of the token in the link, hexadecimal. */
  readonly hash: string;
  readonly expiresAt: Date;
  /** It holds while they may invite, and the key works that they used; null: the operator made it. */
  readonly by: Inviter | null;
}

export interface Inviter {
  readonly userId: string;
  /** null: they had signed in. */
  readonly keyId: string | null;
}

/** Users that were removed or disabled have no account. */
export interface AccountRepository {
  findByEmail(email: string): Promise<Account | null>;
  find(userId: string): Promise<SignedIn | null>;
  /** Replaces the invitation that the user has already. */
  invite(invitation: Invitation, by: Doer): Promise<void>;
  /** Whose invitation this is; null once it was used, replaced or is over. */
  findInvited(hash: string): Promise<User | null>;
  /** Uses the invitation up, sets the password and ends every session and grant of the user, all or nothing; null if the invitation is no more. `address`: where the request comes from. */
  accept(hash: string, passwordHash: string, address: string): Promise<SignedIn | null>;
}

export interface Passwords {
  /** For the holder of an invitation. */
  hash(password: string): Promise<string>;
  /**
   * Takes as long if there is no hash to compare with, so that the time does not show who has an account. A known browser
   * does not wait for strangers.
   */
  matches(password: string, hash: string | null, isKnown?: boolean): Promise<boolean>;
}

/** The passwords that most people choose, as a list that is kept elsewhere. */
export interface CommonPasswords {
  /** `password` is in lower case, and composed (NFKC). */
  includes(password: string): Promise<boolean>;
}

/** Secrets that work once, stored as their hash. */
export interface OneTimeTokens {
  generate(): { readonly token: string; readonly hash: string };
  /** The hash to look up, or null if the text cannot be such a token. */
  hashOf(text: string): string | null;
}
