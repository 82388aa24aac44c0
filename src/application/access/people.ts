import { notFound } from '../../domain/errors.ts';
import type { AccountRepository, Person } from '../ports/accounts.ts';
import type { Log } from '../ports/runtime.ts';
import type { AccountService } from './accounts.ts';
import { type Caller, mustBeAdmin } from './caller.ts';

/** The users of a workspace, for its administrators. Who they are and what their roles are, the workspace file says. */
export interface PeopleService {
  /** By email. */
  list(caller: Caller): Promise<readonly Person[]>;
  /** A link by which the user sets a password, as the operator makes it. */
  invite(caller: Caller, userId: string): Promise<{ readonly url: string; readonly expiresAt: Date }>;
}

interface Dependencies {
  readonly accounts: Pick<AccountRepository, 'list'>;
  readonly invitations: Pick<AccountService, 'invite'>;
  readonly log: Log;
}

export const peopleService = ({ accounts, invitations, log }: Dependencies): PeopleService => ({
  async list(caller) {
    mustBeAdmin(caller);
    return accounts.list(caller.workspaceId);
  },
  async invite(caller, userId) {
    mustBeAdmin(caller);
    const person = (await accounts.list(caller.workspaceId)).find(({ id }) => id === userId);
    if (!person) throw notFound('user');
    const invitation = await invitations.invite(person.email);
    log.info({ invited_user_id: userId, user_id: caller.userId, credential_id: caller.credential.id }, 'a user was invited');
    return invitation;
  },
});
