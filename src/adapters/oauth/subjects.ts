import type { AccountService } from '../../application/access/accounts.ts';
import type { SignedIn } from '../../application/ports/accounts.ts';
import type { User } from '../../domain/access.ts';

type Accounts = Pick<AccountService, 'find'>;

/** How sessions, codes and tokens name their user: with the version of the password, so that those of an earlier one are nobody's. */
export const subjectOf = ({ user, passwordVersion }: SignedIn): string =>
  passwordVersion === 0 ? user.id : `${user.id}:${passwordVersion}`;

/** The user that a subject names, whether its password still holds or not. */
export const userIdOf = (subject: string): string => subject.split(':', 1)[0] ?? '';

/** null for a subject whose user is no more, or has a newer password. */
export const userOf = async (accounts: Accounts, subject: string | undefined): Promise<User | null> => {
  const found = subject === undefined ? null : await accounts.find(userIdOf(subject));
  return found && subjectOf(found) === subject ? found.user : null;
};
