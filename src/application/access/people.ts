import { type Caller, keyOf, mustBeAdmin } from '../../domain/caller.ts';
import { notFound } from '../../domain/errors.ts';
import type { AccountRepository } from '../ports/accounts.ts';
import type { Log } from '../ports/runtime.ts';
import type { AccountService } from './accounts.ts';

interface Dependencies {
  readonly accounts: Pick<AccountRepository, 'list'>;
  readonly invitations: Pick<AccountService, 'invite'>;
  readonly log: Log;
}

/** The users of a workspace, for its administrators. Who they are and what their roles are, the workspace file says. */
export const peopleService = ({ accounts, invitations, log }: Dependencies) => ({
  /** By email. */
  async list(caller: Caller) {
    mustBeAdmin(caller);
    return accounts.list(caller.workspaceId);
  },

  /** A link by which the user sets a password, as the operator makes it. It ends with the key that is used for it. */
  async invite(caller: Caller, userId: string) {
    mustBeAdmin(caller);
    const person = (await accounts.list(caller.workspaceId)).find(({ id }) => id === userId);
    if (!person) throw notFound('user');
    const invitation = await invitations.invite(person.email, { userId: caller.userId, keyId: keyOf(caller) });
    log.info(
      { invited_user_id: userId, user_id: caller.userId, credential_id: caller.credential.id },
      'a user was invited',
    );
    return invitation;
  },
});

export type PeopleService = ReturnType<typeof peopleService>;
