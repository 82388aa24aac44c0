import type { User, VisibleTo, Workspace } from '../domain/access.ts';
import type { Agent } from '../domain/agent.ts';
import type { Connection } from '../domain/connection.ts';
import type { Database } from '../domain/database.ts';
import { invalid } from '../domain/errors.ts';
import { shownAddress, type Webhook } from '../domain/webhook.ts';
import type { Models } from './ports/models.ts';
import type { Clock, Ids } from './ports/runtime.ts';
import type { SchemaValidator } from './ports/schemas.ts';
import type { Sealer } from './ports/secrets.ts';
import type { WorkspaceRepository, WorkspaceState } from './ports/storage.ts';
import type { WebhookSignatures } from './ports/webhooks.ts';
import { sealTools } from './tool-secrets.ts';
import { workspaceFaults } from './workspace-faults.ts';
import type { Audience, WebhookSpec, WorkspaceSpec } from './workspace-spec.ts';

type Kind = Exclude<keyof WorkspaceState, 'workspace'>;

/** One line of what applying a file does. */
export interface Change {
  readonly action: 'create' | 'change' | 'keep' | 'missing' | 'remove';
  readonly kind: Kind | 'workspace';
  readonly name: string;
  readonly id: string;
}

export interface WorkspaceService {
  /** Makes the stored workspace what the file says, all or nothing. `prune` removes what is no longer in the file, else it is only reported. */
  apply(spec: WorkspaceSpec, options: { dryRun: boolean; prune: boolean }): Promise<readonly Change[]>;
}

interface Dependencies {
  readonly workspaces: WorkspaceRepository;
  readonly models: Models;
  readonly schemas: SchemaValidator;
  readonly sealer: Sealer;
  readonly signatures: WebhookSignatures;
  readonly ids: Ids;
  readonly clock: Clock;
}

interface Item {
  readonly id: string;
}

interface Merged<T extends Item> {
  readonly all: readonly T[];
  readonly save: readonly T[];
  readonly gone: readonly T[];
  readonly changes: readonly Change[];
}

/** Whether nothing of what the file says is new; when a thing was last changed is not part of it. */
const same = <T extends object>(stored: T, built: T) =>
  Object.entries(built).every(([key, value]) => key === 'updatedAt' || JSON.stringify(stored[key as keyof T]) === JSON.stringify(value));

/** Matches what the file wants with what is stored, by id where the file gives one, else by name. */
const merge = <S, T extends Item>(
  kind: Kind,
  wanted: readonly S[],
  stored: readonly T[],
  { idOf, nameOf, build }: { idOf(spec: S): string | null; nameOf(item: S | T): string; build(spec: S, found: T | undefined): T },
): Merged<T> => {
  const all: T[] = [];
  const save: T[] = [];
  const changes: Change[] = [];
  for (const spec of wanted) {
    const id = idOf(spec);
    const found = stored.find((item) => (id === null ? nameOf(item) === nameOf(spec) : item.id === id));
    const built = build(spec, found);
    const kept = found !== undefined && same(found, built);
    all.push(kept ? found : built);
    if (!kept) save.push(built);
    changes.push({ action: kept ? 'keep' : found ? 'change' : 'create', kind, name: nameOf(spec), id: built.id });
  }
  return { all, save, changes, gone: stored.filter((item) => !all.some(({ id }) => id === item.id)) };
};

const empty = (workspace: Workspace): WorkspaceState => ({
  ...{ workspace, users: [], connections: [], databases: [], agents: [], webhooks: [] },
});

const nameOf = (item: User | Connection | Database | Agent | Webhook) => {
  if ('email' in item) return item.email;
  return 'address' in item ? item.address : item.name;
};

export const workspaceService = (dependencies: Dependencies): WorkspaceService => {
  const { workspaces, models, schemas, sealer, signatures, ids, clock } = dependencies;

  const usersOf = (spec: WorkspaceSpec, { workspace, users }: WorkspaceState, now: Date) =>
    merge<WorkspaceSpec['users'][number], User>('users', spec.users, users, {
      idOf: () => null,
      nameOf: ({ email }) => email.toLowerCase(),
      build: ({ email, name, role }, found) => ({
        ...{
          id: found?.id ?? ids.next(),
          workspaceId: workspace.id,
          email: email.toLowerCase(),
          name,
          role,
          createdAt: found?.createdAt ?? now,
        },
      }),
    });

  const connectionsOf = (spec: WorkspaceSpec, state: WorkspaceState, who: (audience: Audience) => VisibleTo, now: Date) =>
    merge<WorkspaceSpec['connections'][number], Connection>('connections', spec.connections, state.connections, {
      idOf: ({ id }) => id,
      nameOf: ({ name }) => name,
      build: ({ id, name, type, url, visibleTo }, found) => ({
        ...{ id: found?.id ?? id ?? ids.next(), workspaceId: state.workspace.id, name, type },
        sealedUrl: found && sealer.open(found.sealedUrl) === url ? found.sealedUrl : sealer.seal(url),
        ...{ visibleTo: who(visibleTo), createdAt: found?.createdAt ?? now, updatedAt: now },
      }),
    });

  const databasesOf = (
    spec: WorkspaceSpec,
    state: WorkspaceState,
    connections: readonly Connection[],
    who: (audience: Audience) => VisibleTo,
    now: Date,
  ) =>
    merge<WorkspaceSpec['databases'][number], Database>('databases', spec.databases, state.databases, {
      idOf: ({ id }) => id,
      nameOf: ({ id }) => id,
      build: ({ id, name, connection: connectionName, schemas: only, visibleTo }, found) => {
        const connection = connections.find((candidate) => candidate.name === connectionName);
        return {
          ...{ id, workspaceId: state.workspace.id, name, connectionId: connection?.id ?? '', schemas: only },
          visibleTo: visibleTo === null ? (connection?.visibleTo ?? null) : who(visibleTo),
          ...{ createdAt: found?.createdAt ?? now, updatedAt: now },
        };
      },
    });

  const agentsOf = (
    spec: WorkspaceSpec,
    state: WorkspaceState,
    connections: readonly Connection[],
    who: (audience: Audience) => VisibleTo,
    now: Date,
  ) =>
    merge<WorkspaceSpec['agents'][number], Agent>('agents', spec.agents, state.agents, {
      idOf: ({ id }) => id,
      nameOf: ({ name }) => name,
      build: (
        { id, systemOfRecord: system, visibleTo, name, description, workflowType, model, instructions, documentSchema, tools },
        found,
      ) => ({
        ...{ id: found?.id ?? id ?? ids.next(), workspaceId: state.workspace.id },
        ...{ name, description, workflowType, model, instructions, documentSchema },
        systemOfRecord: system && {
          connectionId: connections.find((connection) => connection.name === system.connection)?.id ?? '',
          ...{ entity: system.entity, columns: system.columns, documentIdColumn: system.documentIdColumn },
        },
        ...{
          tools: sealTools(tools, found?.tools ?? [], sealer),
          visibleTo: who(visibleTo),
          createdAt: found?.createdAt ?? now,
          updatedAt: now,
        },
      }),
    });

  /** Known by their whole address, of which only a part is shown. */
  const webhooksOf = ({ webhooks: wanted }: WorkspaceSpec, { workspace, webhooks }: WorkspaceState, now: Date) => {
    const resealed = (sealed: string | undefined, plain: string) =>
      sealed !== undefined && sealer.open(sealed) === plain ? sealed : sealer.seal(plain);
    const merged = merge<WebhookSpec, Webhook>('webhooks', wanted, webhooks, {
      idOf: () => null,
      nameOf: (item) => ('url' in item ? item.url : sealer.open(item.sealedUrl)),
      build: ({ url, events, secret }, found) => ({
        ...{ id: found?.id ?? ids.next(), workspaceId: workspace.id, address: shownAddress(url), events },
        ...{ sealedUrl: resealed(found?.sealedUrl, url), sealedSecret: resealed(found?.sealedSecret, secret) },
        ...{ createdAt: found?.createdAt ?? now, updatedAt: now },
      }),
    });
    return { ...merged, changes: merged.changes.map((change) => ({ ...change, name: shownAddress(change.name) })) };
  };

  const mustBeSound = async (spec: WorkspaceSpec, workspaceId: string | null) => {
    const taken = await workspaces.takenEmails(
      spec.users.map(({ email }) => email.toLowerCase()),
      workspaceId,
    );
    const faults = [
      ...workspaceFaults(spec, { models, schemas, signatures }),
      ...spec.users.flatMap(({ email }, index) =>
        taken.includes(email.toLowerCase())
          ? [{ path: `users[${index}].email`, message: `${email} belongs to a user of another workspace` }]
          : [],
      ),
    ];
    if (faults.length > 0) throw invalid(...faults);
  };

  return {
    async apply(spec, { dryRun, prune }) {
      const stored = await workspaces.findByName(spec.workspace);
      await mustBeSound(spec, stored?.workspace.id ?? null);
      const now = clock.now();
      const state = stored ?? empty({ id: ids.next(), name: spec.workspace, createdAt: now });
      const users = usersOf(spec, state, now);
      const byEmail = new Map(users.all.map(({ email, id }) => [email, id]));
      const who = (audience: Audience): VisibleTo =>
        audience === 'everyone' ? null : audience.flatMap((email) => byEmail.get(email.toLowerCase()) ?? []);
      const connections = connectionsOf(spec, state, who, now);
      const databases = databasesOf(spec, state, connections.all, who, now);
      const agents = agentsOf(spec, state, connections.all, who, now);
      const webhooks = webhooksOf(spec, state, now);
      const parts = { users, connections, databases, agents, webhooks };
      const kinds = Object.keys(parts) as Kind[];
      const gone = (kind: Kind): Change[] =>
        parts[kind].gone.map((item) => ({
          action: prune ? 'remove' : 'missing',
          kind,
          id: item.id,
          name: nameOf(item),
        }));
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
