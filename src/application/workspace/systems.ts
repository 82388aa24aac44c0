import type { Connection } from '../../domain/connection.ts';
import type { Database } from '../../domain/database.ts';
import { type Ground, type Merged, merge, sealedAs } from './merge.ts';
import type { Audiences } from './people.ts';
import type { WorkspaceSpec } from './spec.ts';

type ConnectionSpec = WorkspaceSpec['connections'][number];
type DatabaseSpec = WorkspaceSpec['databases'][number];

export const mergeConnections = (
  { workspace, now, ids, sealer }: Ground,
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
  { workspace, now }: Ground,
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
