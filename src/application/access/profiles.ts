import { DomainError } from '../../domain/errors.ts';
import type { UserRepository } from '../ports/storage.ts';
import type { Caller } from './caller.ts';

/** The caller, as people read it. */
export interface Profile {
  readonly user: Pick<Caller, 'email' | 'role'> & { readonly id: string; readonly name: string };
  readonly workspace: { readonly id: string; readonly name: string };
  readonly credential: { readonly id: string; readonly kind: 'api_key' | 'access_token' };
  /** null: everything the user may do. */
  readonly scopes: readonly string[] | null;
}

export interface ProfileService {
  of(caller: Caller): Promise<Profile>;
}

export const profileService = ({ users }: { readonly users: UserRepository }): ProfileService => ({
  async of({ userId, workspaceId, credential: { id, kind }, scopes }) {
    const user = await users.find(userId);
    if (!user || (kind !== 'api_key' && kind !== 'access_token')) throw new DomainError('unauthenticated', 'The user was removed.');
    return {
      user: { id: userId, email: user.email, name: user.name, role: user.role },
      workspace: { id: workspaceId, name: user.workspace },
      credential: { id, kind },
      scopes: scopes && [...scopes].toSorted(),
    };
  },
});
