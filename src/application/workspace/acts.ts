import { type Act, type AuditAction, actOnUser, operator } from '../../domain/audit.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Retention } from '../../domain/retention.ts';
import type { Change } from './merge.ts';

/** Ids that an entry has at most, of each kind of change. */
const MOST_IDS = 100;

/** Users have entries of their own. */
const ofUsers: Readonly<Partial<Record<Change['action'], AuditAction>>> = {
  create: 'user.created',
  change: 'user.changed',
  remove: 'user.disabled',
};

const listed = (changes: readonly Change[], action: Change['action']): JsonObject => {
  const ids = changes.filter((change) => change.action === action && change.kind !== 'workspace');
  return { count: ids.length, first: ids.slice(0, MOST_IDS).map(({ kind, id }) => ({ kind, id })) };
};

/** A change of how long the workspace keeps what it has. */
export const retentionActs = (workspaceId: string, from: Retention | null, to: Retention | null): readonly Act[] => {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  const subject = { type: 'workspace', id: workspaceId, name: null } as const;
  return [{ ...operator, action: 'retention.changed', workspaceId, subject, details: { from, to } }];
};

/** What applying a file is in the audit log: the file as a whole, and each user that it changes. */
export const actsOf = (workspaceId: string, changes: readonly Change[]): readonly Act[] => {
  const details = {
    created: listed(changes, 'create'),
    changed: listed(changes, 'change'),
    removed: listed(changes, 'remove'),
  };
  const subject = { type: 'workspace', id: workspaceId, name: null } as const;
  const users = changes.flatMap(({ kind, action, id }) => {
    const deed = kind === 'users' ? ofUsers[action] : undefined;
    return deed
      ? [{ ...actOnUser(operator, { action: deed, details: { by: 'workspace_file' } }, id), workspaceId }]
      : [];
  });
  return [{ ...operator, action: 'workspace.applied', workspaceId, subject, details }, ...users];
};
