import type { ConnectedDatabase, ConnectionRepository, DatabaseRepository, Viewer } from '../../application/ports/storage.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Listener } from './listener.ts';
import { memory } from './memory.ts';

/** Sent by triggers whenever connections or databases are written. */
const CHANNEL = 'portico_connections';
const MOST_REMEMBERED = 1_000;

interface Repositories {
  readonly connections: ConnectionRepository;
  readonly databases: DatabaseRepository;
}

const keyOf = ({ workspaceId, userId }: Viewer, id: string) => `${workspaceId}/${userId}/${id}`;

/** Connections change when an operator applies a workspace file, and are looked up with every query: they are remembered until then. */
export const rememberConnections = ({ connections, databases }: Repositories, listener: Listener, rememberMs = 1000): Repositories => {
  const bounds = { most: MOST_REMEMBERED, rememberMs, hears: () => listener.hears(CHANNEL) };
  const seenConnections = memory<Connection>(bounds);
  const seenDatabases = memory<ConnectedDatabase>(bounds);
  const expire = () => {
    seenConnections.forget();
    seenDatabases.forget();
  };
  listener.listen(CHANNEL, { message: expire, gap: expire });
  return {
    connections: {
      ...connections,
      findVisible: (viewer, id) => seenConnections.recall(keyOf(viewer, id), () => connections.findVisible(viewer, id)),
    },
    databases: {
      ...databases,
      findVisible: (viewer, id) => seenDatabases.recall(keyOf(viewer, id), () => databases.findVisible(viewer, id)),
    },
  };
};
