import type { Door } from './access.ts';
import type { Caller } from './caller.ts';
import type { JsonObject } from './json.ts';

/** What is written down: acts of people and programs. `docs/audit.md` says what each is, and what its details have. */
const auditActions = [
  ...(['sign_in.succeeded', 'sign_in.failed'] as const),
  ...(['user.created', 'user.changed', 'user.disabled', 'user.enabled'] as const),
  ...(['key.created', 'key.rotated', 'key.revoked'] as const),
  ...(['grant.created', 'grant.revoked'] as const),
  ...(['workspace.applied', 'agent.published'] as const),
  ...([
    'document.changed',
    'document.approved',
    'document.rejected',
    'document.reopened',
    'document.processed',
  ] as const),
  ...(['document.trashed', 'document.restored', 'document.held', 'document.released', 'document.downloaded'] as const),
  'documents.exported',
  ...(['record.inserted', 'record.updated'] as const),
  'approval.decided',
  'erasure.requested',
  'retention.changed',
  'audit.exported',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** The actions that a pattern (`document.approved`, `document.*`, `*`) names. */
export const actionsMatching = (pattern: string): readonly AuditAction[] =>
  auditActions.filter((action) => [action, kindOfAction(action), '*'].some((each) => each === pattern));

type KindOf<A> = A extends `${infer Kind}.${string}` ? `${Kind}.*` : never;
export type ActionPattern = '*' | AuditAction | KindOf<AuditAction>;

const kindOfAction = (action: AuditAction) => `${action.slice(0, action.indexOf('.'))}.*` as KindOf<AuditAction>;

export const actionPatterns: readonly ActionPattern[] = [
  '*',
  ...new Set(auditActions.flatMap((action): ActionPattern[] => [kindOfAction(action), action])),
];

const actorTypes = ['user', 'operator', 'system'] as const;
const viaKinds = ['console', 'api_key', 'oauth', 'mcp', 'command', 'system'] as const;

/** Who acts, and from where. A name that is null is looked up when the act is written. */
export interface Doer {
  readonly actor: {
    readonly type: (typeof actorTypes)[number];
    readonly id: string | null;
    readonly name: string | null;
  };
  /** `id`: of the credential. `address`: where the request came from. */
  readonly via: {
    readonly kind: (typeof viaKinds)[number];
    readonly id: string | null;
    readonly address: string | null;
  };
}

const subjectTypes = [
  ...(['workspace', 'user', 'key', 'grant', 'agent', 'run', 'document', 'thread', 'approval', 'record'] as const),
] as const;

/** What is done: names and pointers, never values, and no name of a file, because an entry cannot be erased. */
export interface Deed {
  readonly action: AuditAction;
  readonly details?: JsonObject;
}

/** A deed of somebody, whose subject the transaction knows that writes it. */
export interface OwnDeed extends Doer, Deed {}

export interface Act extends OwnDeed {
  /** null: that of the subject. */
  readonly workspaceId: string | null;
  readonly subject: {
    readonly type: (typeof subjectTypes)[number];
    readonly id: string;
    /** null: looked up when the act is written. */
    readonly name: string | null;
  };
}

/** A model acts by the credential of whose conversation or run it is. */
const kindOf = ({ door, credential: { kind }, scopes, boundToAgent }: Caller): Doer['via']['kind'] => {
  if (door !== 'model') return door satisfies Exclude<Door, 'model'>;
  if (kind === 'run') return 'system';
  if (kind === 'access_token') return scopes === null && boundToAgent === null ? 'console' : 'oauth';
  return kind === 'api_key' ? 'api_key' : 'command';
};

export const callerAsDoer = (caller: Caller): Doer => ({
  actor: { type: 'user', id: caller.userId, name: null },
  via: { kind: kindOf(caller), id: caller.credential.id, address: caller.address ?? null },
});

/** An act of a caller in its workspace; what a model does for them says so. */
export const actOf = (caller: Caller, deed: Deed): OwnDeed => ({
  ...callerAsDoer(caller),
  action: deed.action,
  details: { ...deed.details, ...(caller.door === 'model' && { by: 'model' }) },
});

/** A person at the pages of this server, who is not signed in yet. */
export const visitor = (userId: string, address: string): Doer => ({
  actor: { type: 'user', id: userId, name: null },
  via: { kind: 'console', id: null, address },
});

/** What is done to a user of the caller's, or the operator's, workspace. */
export const actOnUser = (doer: Doer, deed: Deed, userId: string): Act => ({
  ...doer,
  ...deed,
  workspaceId: null,
  subject: { type: 'user', id: userId, name: null },
});

export const operator: Doer = {
  actor: { type: 'operator', id: null, name: 'operator' },
  via: { kind: 'command', id: null, address: null },
};

export const system: Doer = {
  actor: { type: 'system', id: null, name: 'Portico' },
  via: { kind: 'system', id: null, address: null },
};
