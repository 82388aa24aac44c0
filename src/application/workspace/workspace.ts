import { lastAdmin, type User, type Workspace } from '../../domain/access.ts';
import type { Agent } from '../../domain/agent.ts';
import type { Budget } from '../../domain/budget.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Database } from '../../domain/database.ts';
import { errorAt, invalid } from '../../domain/errors.ts';
import type { Source } from '../../domain/source.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { WorkspaceReading, WorkspaceSpec } from '../../domain/workspace-spec.ts';
import type { Clock, Ids } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { Sources } from '../ports/sources.ts';
import type { WorkspaceRepository, WorkspaceState } from '../ports/storage.ts';
import { actsOf, retentionActs } from './acts.ts';
import { type Change, type Kind, mergeWorkspace } from './merge.ts';
import { placeErrors } from './sources.ts';
import { type FileChecks, workspaceErrors } from './validation.ts';

/** What is wrong with the form of a file: it is refused together with all that is wrong besides. */
type Doubts = Pick<WorkspaceReading, 'errors' | 'unread'>;

interface Dependencies extends FileChecks {
  readonly sources: Pick<Sources, 'defect'>;
  readonly workspaces: WorkspaceRepository;
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly clock: Clock;
}

const empty = (workspace: Workspace): WorkspaceState => ({
  workspace,
  users: [],
  connections: [],
  databases: [],
  agents: [],
  webhooks: [],
  budgets: [],
  sources: [],
});

interface ApplyOptions {
  readonly dryRun: boolean;
  readonly prune: boolean;
  readonly reseal?: boolean;
}

const nameOf = (item: User | Connection | Database | Agent | Webhook | Source | Budget) => {
  if ('email' in item) return item.email;
  return 'name' in item ? item.name : item.address;
};

type Users = ReturnType<typeof mergeWorkspace>['users'];

/** A dry run says so as well; what happens at the same moment, the repository sees. */
const mustKeepAdmin = (stored: WorkspaceState['users'], { all, gone }: Users, prune: boolean) => {
  const isDisabled = (id: string) => stored.some((user) => user.id === id && user.disabledAt !== null);
  const administers = ({ id, role }: User) => role === 'admin' && !isDisabled(id);
  const removed = new Set(prune ? gone.map(({ id }) => id) : []);
  const kept = stored.filter(({ id }) => !removed.has(id) && !all.some((user) => user.id === id));
  if (stored.some(administers) && ![...all, ...kept].some(administers)) throw lastAdmin();
};

/** Names that the file gives away while those who have them stay, because the file does not have these and nothing is removed. */
const takenNames = (
  kind: 'connections' | 'agents',
  wanted: readonly { readonly name: string }[],
  staying: readonly (Connection | Agent)[],
) =>
  wanted.flatMap(({ name }, index) => {
    const other = staying.find((item) => item.name === name);
    const how = 'write that id, take another name, or remove it with --prune';
    return errorAt(
      `${kind}[${index}].name`,
      other ? `is the name of another one, which is not in the file and has the id ${other.id}: ${how}` : null,
    );
  });

export const workspaceService = (dependencies: Dependencies) => {
  const { workspaces, sources, sealer, ids, clock } = dependencies;

  const mustBeSound = async (spec: WorkspaceSpec, workspaceId: string | null, { errors: known, unread }: Doubts) => {
    const taken = await workspaces.taken(
      spec.users.map(({ email }) => email.toLowerCase()),
      [...spec.agents, ...spec.connections].flatMap(({ id }) => id ?? []),
      workspaceId,
    );
    const takenIds = (kind: 'agents' | 'connections') =>
      spec[kind].flatMap(({ id }, index) => {
        const isTaken = id !== null && taken.includes(id);
        return errorAt(`${kind}[${index}].id`, isTaken ? `${id} is an id of another workspace` : null);
      });
    const errors = [
      ...known,
      ...workspaceErrors(spec, dependencies, unread),
      ...(await placeErrors(spec.sources, unread, sources)),
      ...spec.users.flatMap(({ email }, index) => {
        const isTaken = taken.includes(email.toLowerCase());
        return errorAt(`users[${index}].email`, isTaken ? `${email} belongs to a user of another workspace` : null);
      }),
      ...takenIds('connections'),
      ...takenIds('agents'),
    ];
    if (errors.length > 0) throw invalid(...errors);
  };

  return {
    /**
     * Changes the stored workspace into that of the file, all or nothing. `prune` removes what is no longer in the file, else it is only
     * reported; `reseal` replaces secrets whose key is lost.
     */
    async apply(
      spec: WorkspaceSpec,
      { dryRun, prune, reseal = false }: ApplyOptions,
      doubts: Doubts = { errors: [], unread: new Set() },
    ): Promise<readonly Change[]> {
      const stored = await workspaces.findByName(spec.workspace);
      await mustBeSound(spec, stored?.workspace.id ?? null, doubts);
      const { prices, retention } = spec;
      const state =
        stored ?? empty({ id: ids.next(), name: spec.workspace, prices, retention, createdAt: clock.now() });
      const workspace = { ...state.workspace, prices, retention };
      const removed = await workspaces.removedAgents(
        state.workspace.id,
        spec.agents.flatMap(({ id }) => id ?? []),
      );
      const parts = mergeWorkspace(spec, state, removed, { ids, sealer, now: clock.now(), reseal });
      const taken = prune
        ? []
        : [
            ...takenNames('connections', spec.connections, parts.connections.gone),
            ...takenNames('agents', spec.agents, parts.agents.gone),
          ];
      if (taken.length > 0) throw invalid(...taken);
      mustKeepAdmin(state.users, parts.users, prune);
      const kinds = Object.keys(parts) as Kind[];
      const gone = (kind: Kind): Change[] =>
        parts[kind].gone.map((item) => ({
          action: prune ? 'remove' : 'missing',
          kind,
          id: item.id,
          name: nameOf(item),
        }));
      const { id, name } = workspace;
      const isSame = (of: 'prices' | 'retention') => JSON.stringify(state.workspace[of]) === JSON.stringify(spec[of]);
      const kept = isSame('prices') && isSame('retention') ? 'keep' : 'change';
      const changes: readonly Change[] = [
        { action: stored ? kept : 'create', kind: 'workspace', name, id },
        ...kinds.flatMap((kind) => [...parts[kind].changes, ...gone(kind)]),
      ];
      if (dryRun) return changes;
      const written = {
        save: Object.fromEntries(kinds.map((kind) => [kind, parts[kind].save])),
        remove: prune ? Object.fromEntries(kinds.map((kind) => [kind, parts[kind].gone.map((item) => item.id)])) : {},
      };
      await workspaces.apply(workspace, written, [
        ...actsOf(id, changes),
        ...retentionActs(id, stored?.workspace.retention ?? null, retention),
      ]);
      return changes;
    },
  };
};

export type WorkspaceService = ReturnType<typeof workspaceService>;
