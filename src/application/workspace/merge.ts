import type { VisibleTo } from '../../domain/access.ts';
import type { Agent } from '../../domain/agent.ts';
import type { Budget } from '../../domain/budget.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Database } from '../../domain/database.ts';
import { DomainError, messageOf } from '../../domain/errors.ts';
import { defaultColumns } from '../../domain/list-columns.ts';
import { usualSplit } from '../../domain/routing/part.ts';
import { type Source, shownPlace } from '../../domain/source.ts';
import { shownAddress } from '../../domain/web-address.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type {
  AgentSpec,
  Audience,
  BudgetSpec,
  SourceSpec,
  WebhookSpec,
  WorkspaceSpec,
} from '../../domain/workspace-spec.ts';
import { sealTools } from '../agents/declarations.ts';
import type { FileUser } from '../ports/people.ts';
import type { Ids } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { WorkspaceState } from '../ports/storage.ts';

export type Kind = Exclude<keyof WorkspaceState, 'workspace'>;

/** One line of what applying a file does. */
export interface Change {
  readonly action: 'create' | 'change' | 'keep' | 'missing' | 'remove';
  readonly kind: Kind | 'workspace';
  readonly name: string;
  readonly id: string;
}

interface Item {
  readonly id: string;
}

type UserSpec = WorkspaceSpec['users'][number];
type ConnectionSpec = WorkspaceSpec['connections'][number];
type DatabaseSpec = WorkspaceSpec['databases'][number];

interface Merged<T extends Item> {
  readonly all: readonly T[];
  readonly save: readonly T[];
  readonly gone: readonly T[];
  readonly changes: readonly Change[];
}

interface Rules<S, T extends Item> {
  /** null: the file gives none. */
  idOf(spec: S): string | null;
  nameOf(item: S | T): string;
  build(spec: S, before: T | undefined): T;
}

/** Whether the file changes nothing; the time of the last change is left aside. */
const same = <T extends object>(stored: T, built: Partial<T>) =>
  Object.entries(built).every(
    ([key, value]) => key === 'updatedAt' || JSON.stringify(stored[key as keyof T]) === JSON.stringify(value),
  );

/** Matches what the file wants with what is stored, by id if the file gives one, else by name. */
const merge = <S, T extends Item>(
  kind: Kind,
  wanted: readonly S[],
  stored: readonly T[],
  { idOf, nameOf, build }: Rules<S, T>,
): Merged<T> => {
  const all: T[] = [];
  const save: T[] = [];
  const changes: Change[] = [];
  // An item that is renamed by its id leaves its name to another one.
  const claimed = new Set(wanted.map(idOf));
  for (const spec of wanted) {
    const id = idOf(spec);
    const before = stored.find((item) =>
      id === null ? !claimed.has(item.id) && nameOf(item) === nameOf(spec) : item.id === id,
    );
    const built = build(spec, before);
    const change = { kind, name: nameOf(spec), id: built.id };
    if (before !== undefined && same(before, built)) {
      all.push(before);
      changes.push({ action: 'keep', ...change });
    } else {
      all.push(built);
      save.push(built);
      changes.push({ action: before ? 'change' : 'create', ...change });
    }
  }
  return { all, save, changes, gone: stored.filter((item) => !all.some(({ id }) => id === item.id)) };
};

interface Dependencies {
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly now: Date;
  /** Whether what no key opens is sealed anew: the key that sealed it is lost. */
  readonly reseal: boolean;
}

/** What the items of all kinds are built with. */
interface Context extends Dependencies {
  readonly workspaceId: string;
}

const stamped = ({ now }: Context, before: { readonly createdAt: Date } | undefined) => ({
  createdAt: before?.createdAt ?? now,
  updatedAt: now,
});

/** null: no key opens it. A command that was given a wrong key by mistake must not replace what the server reads. */
const opened = ({ sealer, reseal }: Context, sealed: string): string | null => {
  try {
    return sealer.open(sealed);
  } catch (cause) {
    if (reseal) return null;
    const detail = `${messageOf(cause)} If that key is lost, "portico apply --reseal" seals anew what the file has.`;
    throw new DomainError('conflict', detail, { cause });
  }
};

/** The sealed text that is there already, if it holds the same: sealing anew would look like a change. */
const sealedAs = (context: Context, plain: string, before: string | undefined): string =>
  before !== undefined && opened(context, before) === plain ? before : context.sealer.seal(plain);

const mergeUsers = (wanted: readonly UserSpec[], stored: readonly FileUser[], { ids, now, workspaceId }: Context) => {
  const users = merge<UserSpec, FileUser>('users', wanted, stored, {
    idOf: () => null,
    nameOf: ({ email }) => email.toLowerCase(),
    build: ({ email, name, role }, before) => ({
      id: before?.id ?? ids.next(),
      workspaceId,
      email: email.toLowerCase(),
      name,
      role,
      createdAt: before?.createdAt ?? now,
      fromFile: true,
    }),
  });
  return { ...users, gone: users.gone.filter(({ fromFile }) => fromFile) };
};

/** The ids of those who see an item. */
type Viewers = (audience: Audience) => VisibleTo;

const viewersAmong = (users: readonly FileUser[]): Viewers => {
  const idByEmail = new Map(users.map(({ email, id }) => [email, id]));
  return (audience) =>
    audience === 'everyone' ? null : audience.flatMap((email) => idByEmail.get(email.toLowerCase()) ?? []);
};

const mergeConnections = (
  wanted: readonly ConnectionSpec[],
  stored: readonly Connection[],
  visibleTo: Viewers,
  context: Context,
) =>
  merge<ConnectionSpec, Connection>('connections', wanted, stored, {
    idOf: ({ id }) => id,
    nameOf: ({ name }) => name,
    build: ({ id, name, type, url, visibleTo: audience }, before) => ({
      id: before?.id ?? id ?? context.ids.next(),
      workspaceId: context.workspaceId,
      name,
      type,
      sealedUrl: sealedAs(context, url, before?.sealedUrl),
      visibleTo: visibleTo(audience),
      ...stamped(context, before),
    }),
  });

/** By its name in the file. */
type ConnectionNamed = (name: string) => Connection | undefined;

interface Lookups {
  readonly visibleTo: Viewers;
  readonly connectionNamed: ConnectionNamed;
}

const mergeDatabases = (
  wanted: readonly DatabaseSpec[],
  stored: readonly Database[],
  { visibleTo, connectionNamed }: Lookups,
  context: Context,
) =>
  merge<DatabaseSpec, Database>('databases', wanted, stored, {
    idOf: ({ id }) => id,
    nameOf: ({ id }) => id,
    build: ({ id, name, connection: connectionName, schemas, visibleTo: audience }, before) => {
      const connection = connectionNamed(connectionName);
      return {
        id,
        workspaceId: context.workspaceId,
        name,
        connectionId: connection?.id ?? '',
        schemas,
        visibleTo: audience === null ? (connection?.visibleTo ?? null) : visibleTo(audience),
        ...stamped(context, before),
      };
    },
  });

const systemOf = ({ systemOfRecord: system }: AgentSpec, connectionNamed: ConnectionNamed): Agent['systemOfRecord'] => {
  if (!system) return null;
  const { connection, constraintMessages, ...target } = system;
  return {
    connectionId: connectionNamed(connection)?.id ?? '',
    ...target,
    ...(constraintMessages && { constraintMessages }),
  };
};

/** What a version of the agent consists of. */
const definitionOf = (
  wanted: AgentSpec,
  before: Agent | undefined,
  connectionNamed: ConnectionNamed,
  sealer: Sealer,
) => {
  const { workflowType, model, instructions, documentSchema, tools, review, checks } = wanted;
  return {
    workflowType,
    model,
    instructions,
    documentSchema,
    systemOfRecord: systemOf(wanted, connectionNamed),
    process: wanted.process,
    tools: sealTools(tools, before?.tools ?? [], sealer),
    review,
    checks,
    duplicateKey: wanted.duplicateKey,
    requiredValues: wanted.requiredValues,
    einvoice: wanted.einvoice,
    listColumns: wanted.listColumns ?? defaultColumns(documentSchema),
    split: wanted.split ?? (workflowType === 'document_routing' ? usualSplit : null),
    parts: wanted.parts.map(({ ignore: _, ...part }) => part),
  };
};

const mergeAgents = (
  wanted: readonly AgentSpec[],
  { stored, removed }: { readonly stored: readonly Agent[]; readonly removed: readonly Agent[] },
  { visibleTo, connectionNamed }: Lookups,
  context: Context,
) =>
  merge<AgentSpec, Agent>('agents', wanted, stored, {
    idOf: ({ id }) => id,
    nameOf: ({ name }) => name,
    build: (spec, storedAgent) => {
      const { id, name, description, visibleTo: audience } = spec;
      const before = storedAgent ?? removed.find((agent) => agent.id === id);
      const definition = definitionOf(spec, before, connectionNamed, context.sealer);
      const version = before === undefined ? 1 : before.version + (same(before, definition) ? 0 : 1);
      return {
        id: storedAgent?.id ?? id ?? context.ids.next(),
        workspaceId: context.workspaceId,
        name,
        description,
        version,
        ...definition,
        visibleTo: visibleTo(audience),
        ...stamped(context, storedAgent),
      };
    },
  });

/** Known by their whole address, of which only a part is shown. A file that has a disabled one enables it. */
const mergeWebhooks = (wanted: readonly WebhookSpec[], stored: readonly Webhook[], context: Context) => {
  const webhooks = merge<WebhookSpec, Webhook>('webhooks', wanted, stored, {
    idOf: () => null,
    nameOf: (item) => ('url' in item ? item.url : (opened(context, item.sealedUrl) ?? item.address)),
    build: ({ url, events, secret }, before) => ({
      id: before?.id ?? context.ids.next(),
      workspaceId: context.workspaceId,
      address: shownAddress(url),
      events,
      disabledAt: null,
      disabledReason: null,
      sealedUrl: sealedAs(context, url, before?.sealedUrl),
      sealedSecret: sealedAs(context, secret.join('\n'), before?.sealedSecret),
      ...stamped(context, before),
    }),
  });
  return { ...webhooks, changes: webhooks.changes.map((change) => ({ ...change, name: shownAddress(change.name) })) };
};

const mergeBudgets = (
  wanted: readonly BudgetSpec[],
  stored: readonly Budget[],
  agents: readonly Agent[],
  context: Context,
) =>
  merge<BudgetSpec, Budget>('budgets', wanted, stored, {
    idOf: () => null,
    nameOf: ({ name }) => name,
    build: ({ agent, ...terms }, before) => ({
      id: before?.id ?? context.ids.next(),
      workspaceId: context.workspaceId,
      agentId: agents.find(({ name }) => name === agent)?.id ?? null,
      ...terms,
      ...stamped(context, before),
    }),
  });

const mergeSources = (
  wanted: readonly SourceSpec[],
  stored: readonly Source[],
  agents: readonly Agent[],
  context: Context,
) =>
  merge<SourceSpec, Source>('sources', wanted, stored, {
    idOf: () => null,
    nameOf: ({ name }) => name,
    build: ({ name, agent, place, after, from, everySeconds, paused }, before) => ({
      id: before?.id ?? context.ids.next(),
      workspaceId: context.workspaceId,
      name,
      agentId: agents.find((reader) => reader.name === agent)?.id ?? '',
      type: place.type,
      address: shownPlace(place),
      sealedPlace: sealedAs(context, JSON.stringify(place), before?.sealedPlace),
      after,
      from,
      everySeconds,
      paused,
      ...stamped(context, before),
    }),
  });

/** What the parts of a workspace become by a file. `removed`: agents of the file that the workspace had before. */
export const mergeWorkspace = (
  spec: WorkspaceSpec,
  { workspace, ...stored }: WorkspaceState,
  removed: readonly Agent[],
  dependencies: Dependencies,
) => {
  const context = { ...dependencies, workspaceId: workspace.id };
  const users = mergeUsers(spec.users, stored.users, context);
  const visibleTo = viewersAmong(users.all);
  const connections = mergeConnections(spec.connections, stored.connections, visibleTo, context);
  const connectionNamed = (wanted: string) => connections.all.find(({ name }) => name === wanted);
  const lookups = { visibleTo, connectionNamed };
  const agents = mergeAgents(spec.agents, { stored: stored.agents, removed }, lookups, context);
  return {
    users,
    connections,
    databases: mergeDatabases(spec.databases, stored.databases, lookups, context),
    agents,
    webhooks: mergeWebhooks(spec.webhooks, stored.webhooks, context),
    budgets: mergeBudgets(spec.budgets, stored.budgets, agents.all, context),
    sources: mergeSources(spec.sources, stored.sources, agents.all, context),
  };
};
