import type { Role, User } from '../../domain/access.ts';
import type { SignedIn } from './accounts.ts';
import type { EndedSessions, Identity } from './identity-provider.ts';

/** What is to be of a user who signs in at the organisation. */
export interface EntryTerms {
  /** null: it stays as it is. */
  readonly role: Role | null;
  /** Who is made of somebody who is no user yet; null: only users get in. */
  readonly newcomer: { readonly user: Omit<User, 'workspaceId'>; readonly workspace: string | null } | null;
  /** The id of the sign-in. */
  readonly signInId: string;
}

export type Entry =
  | { readonly outcome: 'signed in'; readonly signedIn: SignedIn; readonly isNew: boolean }
  /** `taken`: the account of the address is bound to somebody else. `no workspace`: there is none for new people. */
  | { readonly outcome: 'disabled' | 'unknown' | 'unverified' | 'taken' | 'no workspace' };

/** Accounts that are bound to identities of an organisation, and the sign-ins there. */
export interface SignInRepository {
  /**
   * Finds the user who is bound to the identity, or binds the one with its address, or makes one; then notes the sign-in. All or nothing:
   * refuses what would leave the workspace without an enabled administrator (`last_admin`).
   */
  enter(identity: Identity, terms: EntryTerms): Promise<Entry>;
  /** Ends the sessions, grants, password and invitation of the user who is bound to the identity, and revokes the keys; the user's id, if there is one. Keeps the last administrator (`last_admin`). */
  shutOut(identity: Identity): Promise<string | null>;
  /** Records in the audit log that the sign-in was refused to the user who is bound to the identity or has its address, if there is one. `ip`: where it came from. */
  noteRefusal(identity: Identity, ip: string): Promise<void>;
  /** Ends the sessions and grants that came of these sign-ins; how many. */
  end(sessions: EndedSessions): Promise<number>;
}
