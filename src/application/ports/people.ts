import type { Role, User } from '../../domain/access.ts';
import type { Doer } from '../../domain/audit.ts';

/** A user as administrators see them. */
export interface Person extends Omit<User, 'workspaceId'> {
  /** `active`: they have chosen a password, or signed in at the organisation; `invited`: there is a link by which they can. Keys work in every status. */
  readonly status: 'active' | 'invited' | 'not_invited';
  readonly disabled: boolean;
  /** `none`: they have no way to sign in yet. */
  readonly signIn: 'password' | 'oidc' | 'none';
  /** When one of their credentials was used last, to the minute. */
  readonly lastSeenAt: Date | null;
}

interface PersonsWorkspace {
  readonly workspaceId: string;
  /** Its name. */
  readonly workspace: string;
}

export interface PersonChanges {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly disabled?: boolean | undefined;
}

/** Users that were removed are not among them. */
export interface PeopleRepository {
  /** The users of a workspace, by email. */
  list(workspaceId: string): Promise<readonly Person[]>;
  /** The users of every workspace, by email. */
  listAll(): Promise<readonly (Person & PersonsWorkspace)[]>;
  /** Adds a user whom no workspace file names; null if the address is taken, in this workspace or another. */
  add(user: User, by: Doer): Promise<Person | null>;
  /**
   * Ends the sessions, grants and invitations of a user who is disabled. Refuses what would leave the workspace without an enabled
   * administrator (`last_admin`). null if the workspace has no such user.
   */
  change(workspaceId: string, userId: string, changes: PersonChanges, by: Doer): Promise<Person | null>;
}

/** Users whom no file ever named are no business of a file. */
export interface FileUser extends User {
  readonly fromFile: boolean;
}

export interface UserRepository {
  /** With the name of their workspace. */
  find(id: string): Promise<(User & { readonly workspace: string }) | null>;
  /** The same; null also of a user who is disabled. */
  findEnabled(id: string): Promise<(User & { readonly workspace: string }) | null>;
  findByEmail(email: string): Promise<User | null>;
  /** By email. */
  list(): Promise<readonly (User & { readonly workspace: string })[]>;
}
