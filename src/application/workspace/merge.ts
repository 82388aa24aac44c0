import type { User, VisibleTo, Workspace } from '../../domain/access.ts';
import type { Agent } from '../../domain/agent.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Database } from '../../domain/database.ts';
import { shownAddress, type Webhook } from '../../domain/webhook.ts';
import type { Clock, Ids } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { WorkspaceState } from '../ports/storage.ts';
import { sealTools } from '../tools/declarations.ts';
import type { AgentSpec, Audience, WebhookSpec, WorkspaceSpec } from './spec.ts';

export type Kind = Exclude<keyof WorkspaceState, 'workspace'>;

/** One line of what applying a file does. */
export interface Change {
  readonly action: 'create' | 'change' | 'keep' | 'missing' | 'remove';
  readonly kind: Kind | 'workspace';
  readonly name: string;
  readonly id: string;
}

/** What every part of a workspace is built with. */
interface MergeContext {
  readonly workspace: Workspace;
  readonly now: ReturnType<Clock['now']>;
  readonly ids: Ids;
  readonly sealer: Sealer;
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

interface Rules<S, T extends Item> {
  /** null: the file gives none. */
  idOf(spec: S): string | null;
  nameOf(item: S | T): string;
  build(spec: S, found: T | undefined): T;
}

/** Whether the file changes nothing; the time of the last change is left aside. */
const same = <T extends object>(stored: T, built: Partial<T>) =>
  Object.entries(built).every(([key, value]) => key === 'updatedAt' || JSON.stringify(stored[key as keyof T]) === JSON.stringify(value));

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

/** The sealed text that is there already, if it holds the same: sealing anew would look like a change. */
const sealedAs = (plain: string, stored: string | undefined, sealer: Sealer): string =>
  stored !== undefined && sealer.open(stored) === plain ? stored : sealer.seal(plain);

type UserSpec = WorkspaceSpec['users'][number];

export const mergeUsers = ({ workspace, now, ids }: MergeContext, wanted: readonly UserSpec[], stored: readonly User[]): Merged<User> =>
  merge<UserSpec, User>('users', wanted, stored, {
    idOf: () => null,
    nameOf: ({ email }) => email.toLowerCase(),
    build: ({ email, name, role }, found) => ({
      ...{ id: found?.id ?? ids.next(), workspaceId: workspace.id, email: email.toLowerCase(), name, role },
      createdAt: found?.createdAt ?? now,
    }),
  });

/** The ids of the users that an audience lists by their addresses. */
type Audiences = (audience: Audience) => VisibleTo;

export const audiencesAmong = (users: readonly User[]): Audiences => {
  const byEmail = new Map(users.map(({ email, id }) => [email, id]));
  return (audience) => (audience === 'everyone' ? null : audience.flatMap((email) => byEmail.get(email.toLowerCase()) ?? []));
};

type ConnectionSpec = WorkspaceSpec['connections'][number];
type DatabaseSpec = WorkspaceSpec['databases'][number];

export const mergeConnections = (
  { workspace, now, ids, sealer }: MergeContext,
  wanted: readonly ConnectionSpec[],
  stored: readonly Connection[],
  who: Audiences,
): Merged<Connection> =>
  merge<ConnectionSpec, Connection>('connections', wanted, stored, {
    idOf: ({ id }) => id,
    nameOf: ({ name }) => name,
    build: ({ id, name, type, url, visibleTo }, found) => ({
      ...{ id: found?.id ?? id ?? ids.next(), workspaceId: workspace.id, name, type },
      sealedUrl: sealedAs(url, found?.sealedUrl, sealer),
      ...{ visibleTo: who(visibleTo), createdAt: found?.createdAt ?? now, updatedAt: now },
    }),
  });

export const mergeDatabases = (
  { workspace, now }: MergeContext,
  wanted: readonly DatabaseSpec[],
  stored: readonly Database[],
  { connections, who }: { readonly connections: readonly Connection[]; readonly who: Audiences },
): Merged<Database> =>
  merge<DatabaseSpec, Database>('databases', wanted, stored, {
    idOf: ({ id }) => id,
    nameOf: ({ id }) => id,
    build: ({ id, name, connection: connectionName, schemas, visibleTo }, found) => {
      const connection = connections.find((candidate) => candidate.name === connectionName);
      return {
        ...{ id, workspaceId: workspace.id, name, connectionId: connection?.id ?? '', schemas },
        visibleTo: visibleTo === null ? (connection?.visibleTo ?? null) : who(visibleTo),
        ...{ createdAt: found?.createdAt ?? now, updatedAt: now },
      };
    },
  });

const systemOf = ({ systemOfRecord: system }: AgentSpec, connections: readonly Connection[]): Agent['systemOfRecord'] => {
  if (!system) return null;
  const { connection: name, entity, columns, documentIdColumn } = system;
  const connectionId = connections.find((connection) => connection.name === name)?.id ?? '';
  return { connectionId, entity, columns, documentIdColumn };
};

export const mergeAgents = (
  { workspace, now, ids, sealer }: MergeContext,
  wanted: readonly AgentSpec[],
  stored: readonly Agent[],
  {
    connections,
    who,
    removed,
  }: { readonly connections: readonly Connection[]; readonly who: Audiences; readonly removed: readonly Agent[] },
): Merged<Agent> =>
  merge<AgentSpec, Agent>('agents', wanted, stored, {
    idOf: ({ id }) => id,
    nameOf: ({ name }) => name,
    build: (spec, found) => {
      const { id, name, description, workflowType, model, instructions, documentSchema, tools, visibleTo } = spec;
      const { review, checks, duplicateKey } = spec;
      const before = found ?? removed.find((agent) => agent.id === id);
      const definition = {
        ...{ workflowType, model, instructions, documentSchema },
        ...{ systemOfRecord: systemOf(spec, connections), tools: sealTools(tools, before?.tools ?? [], sealer) },
        ...{ review, checks, duplicateKey },
      };
      const version = before === undefined ? 1 : before.version + (same(before, definition) ? 0 : 1);
      return {
        ...{ id: found?.id ?? id ?? ids.next(), workspaceId: workspace.id, name, description, version, ...definition },
        ...{ visibleTo: who(visibleTo), createdAt: found?.createdAt ?? now, updatedAt: now },
      };
    },
  });

/** Known by their whole address, of which only a part is shown. */
export const mergeWebhooks = (
  { workspace, now, ids, sealer }: MergeContext,
  wanted: readonly WebhookSpec[],
  stored: readonly Webhook[],
): Merged<Webhook> => {
  const merged = merge<WebhookSpec, Webhook>('webhooks', wanted, stored, {
    idOf: () => null,
    nameOf: (item) => ('url' in item ? item.url : sealer.open(item.sealedUrl)),
    build: ({ url, events, secret }, found) => ({
      ...{ id: found?.id ?? ids.next(), workspaceId: workspace.id, address: shownAddress(url), events },
      ...{ sealedUrl: sealedAs(url, found?.sealedUrl, sealer), sealedSecret: sealedAs(secret, found?.sealedSecret, sealer) },
      ...{ createdAt: found?.createdAt ?? now, updatedAt: now },
    }),
  });
  return { ...merged, changes: merged.changes.map((change) => ({ ...change, name: shownAddress(change.name) })) };
};
