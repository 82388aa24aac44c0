import type {
  ConnectedDatabase,
  ConnectionOf,
  ConnectionRepository,
  DatabaseRepository,
  Viewer,
} from '../../../application/ports/storage.ts';
import type { Connection } from '../../../domain/connection.ts';
import { openCache } from '../connection/cache.ts';
import type { Database } from '../connection/database.ts';
import type { Listener } from '../connection/listener.ts';
import * as sql from '../statements/connection-statements.ts';
import { ConnectionTable } from '../tables/entities.ts';

export const connectionRepository = ({ read, mapper }: Pick<Database, 'read' | 'mapper'>): ConnectionRepository => ({
  all: () => read<ConnectionOf>(sql.all, []),
  listVisible: (viewer, window) =>
    mapper.find(ConnectionTable, {}, { filters: { seenBy: viewer }, orderBy: { name: 'asc', id: 'asc' }, ...window }),
  findVisible: (viewer, id) => mapper.findById(ConnectionTable, id, { filters: { seenBy: viewer } }),
  find: (id) => mapper.findById(ConnectionTable, id),
});

/** Triggers send when connections or databases are written. */
const CHANNEL = 'portico_connections';
const MAX_ENTRIES = 1_000;

interface Repositories {
  readonly connections: ConnectionRepository;
  readonly databases: DatabaseRepository;
}

/** Connections change when an operator applies a workspace file, and every query looks one up: they are cached until the change. */
export const cachedConnections = (
  { connections, databases }: Repositories,
  listener: Listener,
  ttlMs = 1000,
): Repositories => {
  const options = { listener, channel: CHANNEL, maxEntries: MAX_ENTRIES, ttlMs };
  const foundConnections = openCache<Connection>(options);
  const foundDatabases = openCache<ConnectedDatabase>(options);
  const keyOf = ({ workspaceId, userId }: Viewer, id: string) => `${workspaceId}/${userId}/${id}`;
  return {
    connections: {
      ...connections,
      findVisible: (viewer, id) => foundConnections.get(keyOf(viewer, id), () => connections.findVisible(viewer, id)),
    },
    databases: {
      ...databases,
      findVisible: (viewer, id) => foundDatabases.get(keyOf(viewer, id), () => databases.findVisible(viewer, id)),
    },
  };
};
