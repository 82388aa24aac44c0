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
    const kept = before !== undefined && same(before, built);
    all.push(kept ? before : built);
    if (!kept) save.push(built);
    changes.push({ action: kept ? 'keep' : before ? 'change' : 'create', kind, name: nameOf(spec), id: built.id });
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

/** What the parts of a workspace become by a file. `removed`: agents of the file that the workspace had before. */
export const mergeWorkspace = (
  spec: WorkspaceSpec,
  { workspace, ...stored }: WorkspaceState,
  removed: readonly Agent[],
  { ids, sealer, now, reseal }: Dependencies,
) => {
  const stamped = (before: { readonly createdAt: Date } | undefined) => ({
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  });

  /** null: no key opens it. A command that was given a wrong key by mistake must not replace what the server reads. */
  const opened = (sealed: string): string | null => {
    try {
      return sealer.open(sealed);
    } catch (cause) {
      if (reseal) return null;
      const detail = `${messageOf(cause)} If that key is lost, "portico apply --reseal" seals anew what the file has.`;
      throw new DomainError('conflict', detail, { cause });
    }
  };

  /** The sealed text that is there already, if it holds the same: sealing anew would look like a change. */
  const sealedAs = (plain: string, before: string | undefined): string =>
    before !== undefined && opened(before) === plain ? before : sealer.seal(plain);

  const users = merge<UserSpec, FileUser>('users', spec.users, stored.users, {
    idOf: () => null,
    nameOf: ({ email }) => email.toLowerCase(),
    build: ({ email, name, role }, before) => ({
      id: before?.id ?? ids.next(),
      workspaceId: workspace.id,
      email: email.toLowerCase(),
      name,
      role,
      createdAt: before?.createdAt ?? now,
      fromFile: true,
    }),
  });

  const idByEmail = new Map(users.all.map(({ email, id }) => [email, id]));
  const visibleTo = (audience: Audience): VisibleTo =>
    audience === 'everyone' ? null : audience.flatMap((email) => idByEmail.get(email.toLowerCase()) ?? []);

  const connections = merge<ConnectionSpec, Connection>('connections', spec.connections, stored.connections, {
    idOf: ({ id }) => id,
    nameOf: ({ name }) => name,
    build: ({ id, name, type, url, visibleTo: audience }, before) => ({
      id: before?.id ?? id ?? ids.next(),
      workspaceId: workspace.id,
      name,
      type,
      sealedUrl: sealedAs(url, before?.sealedUrl),
      visibleTo: visibleTo(audience),
      ...stamped(before),
    }),
  });
  const connectionNamed = (wanted: string) => connections.all.find(({ name }) => name === wanted);

  const databases = merge<DatabaseSpec, Database>('databases', spec.databases, stored.databases, {
    idOf: ({ id }) => id,
    nameOf: ({ id }) => id,
    build: ({ id, name, connection: connectionName, schemas, visibleTo: audience }, before) => {
      const connection = connectionNamed(connectionName);
      return {
        id,
        workspaceId: workspace.id,
        name,
        connectionId: connection?.id ?? '',
        schemas,
        visibleTo: audience === null ? (connection?.visibleTo ?? null) : visibleTo(audience),
        ...stamped(before),
      };
    },
  });

  const systemOf = ({ systemOfRecord: system }: AgentSpec): Agent['systemOfRecord'] => {
    if (!system) return null;
    const { connection, constraintMessages, ...target } = system;
    return {
      connectionId: connectionNamed(connection)?.id ?? '',
      ...target,
      ...(constraintMessages && { constraintMessages }),
    };
  };

  const agents = merge<AgentSpec, Agent>('agents', spec.agents, stored.agents, {
    idOf: ({ id }) => id,
    nameOf: ({ name }) => name,
    build: (wanted, stored) => {
      const { id, name, description, workflowType, model, instructions, documentSchema, tools, review, checks } =
        wanted;
      const before = stored ?? removed.find((agent) => agent.id === id);
      const definition = {
        workflowType,
        model,
        instructions,
        documentSchema,
        systemOfRecord: systemOf(wanted),
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
      const version = before === undefined ? 1 : before.version + (same(before, definition) ? 0 : 1);
      return {
        id: stored?.id ?? id ?? ids.next(),
        workspaceId: workspace.id,
        name,
        description,
        version,
        ...definition,
        visibleTo: visibleTo(wanted.visibleTo),
        ...stamped(stored),
      };
    },
  });

  /** Known by their whole address, of which only a part is shown. A file that has a disabled one enables it. */
  const webhooks = merge<WebhookSpec, Webhook>('webhooks', spec.webhooks, stored.webhooks, {
    idOf: () => null,
    nameOf: (item) => ('url' in item ? item.url : (opened(item.sealedUrl) ?? item.address)),
    build: ({ url, events, secret }, before) => ({
      id: before?.id ?? ids.next(),
      workspaceId: workspace.id,
      address: shownAddress(url),
      events,
      disabledAt: null,
      disabledReason: null,
      sealedUrl: sealedAs(url, before?.sealedUrl),
      sealedSecret: sealedAs(secret.join('\n'), before?.sealedSecret),
      ...stamped(before),
    }),
  });
  const budgets = merge<BudgetSpec, Budget>('budgets', spec.budgets, stored.budgets, {
    idOf: () => null,
    nameOf: ({ name }) => name,
    build: ({ agent, ...terms }, before) => ({
      id: before?.id ?? ids.next(),
      workspaceId: workspace.id,
      agentId: agents.all.find(({ name }) => name === agent)?.id ?? null,
      ...terms,
      ...stamped(before),
    }),
  });

  const sources = merge<SourceSpec, Source>('sources', spec.sources, stored.sources, {
    idOf: () => null,
    nameOf: ({ name }) => name,
    build: ({ name, agent, place, after, from, everySeconds, paused }, before) => ({
      id: before?.id ?? ids.next(),
      workspaceId: workspace.id,
      name,
      agentId: agents.all.find((each) => each.name === agent)?.id ?? '',
      type: place.type,
      address: shownPlace(place),
      sealedPlace: sealedAs(JSON.stringify(place), before?.sealedPlace),
      after,
      from,
      everySeconds,
      paused,
      ...stamped(before),
    }),
  });
  const shown = webhooks.changes.map((change) => ({ ...change, name: shownAddress(change.name) }));

  return {
    users: { ...users, gone: users.gone.filter(({ fromFile }) => fromFile) },
    connections,
    databases,
    agents,
    webhooks: { ...webhooks, changes: shown },
    budgets,
    sources,
  };
};
