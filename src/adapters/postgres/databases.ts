import type { ConnectedDatabase, DatabaseRepository } from '../../application/ports/storage.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Database } from './database.ts';

/** A database is found with its connection, in one look. Times of the connection come as text inside JSON. */
const visible = `
select d.id, d.workspace_id as "workspaceId", d.name, d.connection_id as "connectionId", d.schemas, d.visible_to as "visibleTo",
       d.created_at as "createdAt", d.updated_at as "updatedAt",
       json_build_object('id', c.id, 'workspaceId', c.workspace_id, 'name', c.name, 'type', c.type, 'sealedUrl', c.sealed_url,
         'visibleTo', c.visible_to, 'createdAt', c.created_at, 'updatedAt', c.updated_at) as connection
from databases d join connections c on c.id = d.connection_id and c.removed_at is null
where d.workspace_id = $1 and (d.visible_to is null or $2 = any (d.visible_to))`;

const listVisible = { name: 'databases_list_visible', text: `${visible} order by d.name, d.id` };
const findVisible = { name: 'databases_find_visible', text: `${visible} and d.id = $3` };

type Row = Omit<ConnectedDatabase, 'connection'> & {
  readonly connection: Omit<Connection, 'createdAt' | 'updatedAt'> & { readonly createdAt: string; readonly updatedAt: string };
};

const connected = ({ connection, ...database }: Row): ConnectedDatabase => ({
  ...database,
  connection: { ...connection, createdAt: new Date(connection.createdAt), updatedAt: new Date(connection.updatedAt) },
});

export const databaseRepository = ({ read }: Pick<Database, 'read'>): DatabaseRepository => ({
  listVisible: async ({ workspaceId, userId }) => (await read<Row>(listVisible, [workspaceId, userId])).map(connected),

  async findVisible({ workspaceId, userId }, id) {
    if (id.includes('\0')) return null;
    const [found] = await read<Row>(findVisible, [workspaceId, userId, id]);
    return found ? connected(found) : null;
  },
});
