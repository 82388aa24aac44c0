import type { User, VisibleTo } from '../../domain/access.ts';
import { type Ground, type Merged, merge } from './merge.ts';
import type { Audience, WorkspaceSpec } from './spec.ts';

type UserSpec = WorkspaceSpec['users'][number];

export const mergeUsers = ({ workspace, now, ids }: Ground, wanted: readonly UserSpec[], stored: readonly User[]): Merged<User> =>
  merge<UserSpec, User>('users', wanted, stored, {
    idOf: () => null,
    nameOf: ({ email }) => email.toLowerCase(),
    build: ({ email, name, role }, found) => ({
      ...{ id: found?.id ?? ids.next(), workspaceId: workspace.id, email: email.toLowerCase(), name, role },
      createdAt: found?.createdAt ?? now,
    }),
  });

/** Whom the file means by their addresses, as they are stored. */
export type Audiences = (audience: Audience) => VisibleTo;

export const audiencesAmong = (users: readonly User[]): Audiences => {
  const byEmail = new Map(users.map(({ email, id }) => [email, id]));
  return (audience) => (audience === 'everyone' ? null : audience.flatMap((email) => byEmail.get(email.toLowerCase()) ?? []));
};
