import type { User, Workspace } from '../../domain/access.ts';
import type { Agent } from '../../domain/agent.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Database } from '../../domain/database.ts';
import { errorAt, invalid } from '../../domain/errors.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Clock, Ids } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { WorkspaceRepository, WorkspaceState } from '../ports/storage.ts';
import {
  audiencesAmong,
  type Change,
  type Kind,
  mergeAgents,
  mergeConnections,
  mergeDatabases,
  mergeUsers,
  mergeWebhooks,
} from './merge.ts';
import type { WorkspaceReading, WorkspaceSpec } from './spec.ts';
import { type FileChecks, workspaceErrors } from './validation.ts';

/** What is wrong with the form of a file: it is refused together with all that is wrong besides. */
type Doubts = Pick<WorkspaceReading, 'errors' | 'unread'>;

export interface WorkspaceService {
  /** Changes the stored workspace into that of the file, all or nothing. `prune` removes what is no longer in the file, else it is only reported. */
  apply(spec: WorkspaceSpec, options: { dryRun: boolean; prune: boolean }, doubts?: Doubts): Promise<readonly Change[]>;
}

interface Dependencies extends FileChecks {
  readonly workspaces: WorkspaceRepository;
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly clock: Clock;
}

const empty = (workspace: Workspace): WorkspaceState => ({
  ...{ workspace, users: [], connections: [], databases: [], agents: [], webhooks: [] },
});

const nameOf = (item: User | Connection | Database | Agent | Webhook) => {
  if ('email' in item) return item.email;
  return 'address' in item ? item.address : item.name;
};

export const workspaceService = (dependencies: Dependencies): WorkspaceService => {
  const { workspaces, sealer, ids, clock } = dependencies;

  const mustBeSound = async (spec: WorkspaceSpec, workspaceId: string | null, { errors: known, unread }: Doubts) => {
    const taken = await workspaces.takenEmails(
      spec.users.map(({ email }) => email.toLowerCase()),
      workspaceId,
    );
    const errors = [
      ...known,
      ...workspaceErrors(spec, dependencies, unread),
      ...spec.users.flatMap(({ email }, index) => {
        const isTaken = taken.includes(email.toLowerCase());
        return errorAt(`users[${index}].email`, isTaken ? `${email} belongs to a user of another workspace` : null);
      }),
    ];
    if (errors.length > 0) throw invalid(...errors);
  };

  const mergeAll = (spec: WorkspaceSpec, state: WorkspaceState, removed: readonly Agent[]) => {
    const context = { workspace: state.workspace, now: clock.now(), ids, sealer };
    const users = mergeUsers(context, spec.users, state.users);
    const who = audiencesAmong(users.all);
    const connections = mergeConnections(context, spec.connections, state.connections, who);
    const beside = { connections: connections.all, who };
    const databases = mergeDatabases(context, spec.databases, state.databases, beside);
    const agents = mergeAgents(context, spec.agents, state.agents, { ...beside, removed });
    return { users, connections, databases, agents, webhooks: mergeWebhooks(context, spec.webhooks, state.webhooks) };
  };

  return {
    async apply(spec, { dryRun, prune }, doubts = { errors: [], unread: new Set() }) {
      const stored = await workspaces.findByName(spec.workspace);
      await mustBeSound(spec, stored?.workspace.id ?? null, doubts);
      const state = stored ?? empty({ id: ids.next(), name: spec.workspace, createdAt: clock.now() });
      const removed = await workspaces.removedAgents(
        state.workspace.id,
        spec.agents.flatMap(({ id }) => id ?? []),
      );
      const parts = mergeAll(spec, state, removed);
      const kinds = Object.keys(parts) as Kind[];
      const gone = (kind: Kind): Change[] =>
        parts[kind].gone.map((item) => ({ action: prune ? 'remove' : 'missing', kind, id: item.id, name: nameOf(item) }));
      if (!dryRun) {
        await workspaces.apply(state.workspace, {
          save: Object.fromEntries(kinds.map((kind) => [kind, parts[kind].save])),
          remove: prune ? Object.fromEntries(kinds.map((kind) => [kind, parts[kind].gone.map(({ id }) => id)])) : {},
        });
      }
      const { id, name } = state.workspace;
      return [
        { action: stored ? 'keep' : 'create', kind: 'workspace', name, id },
        ...kinds.flatMap((kind) => [...parts[kind].changes, ...gone(kind)]),
      ];
    },
  };
};
