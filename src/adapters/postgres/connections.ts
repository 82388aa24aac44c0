import type {
  ConnectedDatabase,
  ConnectionOf,
  ConnectionRepository,
  DatabaseRepository,
  Viewer,
} from '../../application/ports/storage.ts';
import type { Connection } from '../../domain/connection.ts';
import { openCache } from './cache.ts';
import { columnsOf } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { ConnectionTable } from './entities.ts';
import type { Listener } from './listener.ts';
import { isSeenBy } from './visibility.ts';

const all = prepared('connections_all')`
select ${columnsOf(ConnectionTable, 'c')}, w.name as workspace, (
  select u.email from users u
  where u.workspace_id = c.workspace_id and u.removed_at is null and ${isSeenBy('u.id', 'c')} order by u.email limit 1
) as "viewerEmail", exists (
  select from agents a where a.workspace_id = c.workspace_id and a.removed_at is null and (
    a.system_of_record->>'connectionId' = c.id::text or exists (
      select from json_array_elements(a.tools) t where t->>'connection' = c.name and t->>'write' = 'true'))
) as "isWritten"
from connections c join workspaces w on w.id = c.workspace_id where c.removed_at is null order by w.name, c.name, c.id`;

export const connectionRepository = ({ read, mapper }: Pick<Database, 'read' | 'mapper'>): ConnectionRepository => ({
  all: () => read<ConnectionOf>(all, []),
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
