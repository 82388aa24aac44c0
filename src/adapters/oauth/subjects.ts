import type { AccountService } from '../../application/access/accounts.ts';
import type { SignedIn } from '../../application/ports/accounts.ts';
import type { User } from '../../domain/access.ts';

/** How sessions, codes and tokens name their user. The password version makes those that began under an earlier password invalid. */
export const subjectOf = ({ user, passwordVersion }: SignedIn): string =>
  passwordVersion === 0 ? user.id : `${user.id}:${passwordVersion}`;

/** The user id in a subject, whatever the password version. */
export const userIdOf = (subject: string): string => subject.split(':', 1)[0] ?? '';

/** null if the user was removed, or has a newer password. */
export const userOf = async (
  accounts: Pick<AccountService, 'find'>,
  subject: string | undefined,
): Promise<User | null> => {
  const account = subject === undefined ? null : await accounts.find(userIdOf(subject));
  return account && subjectOf(account) === subject ? account.user : null;
};
