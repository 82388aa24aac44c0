import type { Caller } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import type { UserRepository } from '../ports/people.ts';

export const profileService = ({ users }: { readonly users: UserRepository }) => ({
  /** The caller, as people read it. */
  async of({ userId, workspaceId, credential: { id, kind }, scopes }: Caller) {
    const user = await users.find(userId);
    if (!user || (kind !== 'api_key' && kind !== 'access_token'))
      throw new DomainError('unauthenticated', 'The user was removed.');
    return {
      user: { id: userId, email: user.email, name: user.name, role: user.role },
      workspace: { id: workspaceId, name: user.workspace },
      credential: { id, kind },
      /** null: everything the user may do. */
      scopes: scopes && [...scopes].toSorted(),
    };
  },
});

export type ProfileService = ReturnType<typeof profileService>;
