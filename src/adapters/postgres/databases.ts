import type { ConnectedDatabase, DatabaseRepository } from '../../application/ports/storage.ts';
import type { Connection } from '../../domain/connection.ts';
import { columnsOf, fromJson, type Json, jsonOf } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { ConnectionTable, DatabaseTable } from './entities.ts';
import { isSeenBy } from './visibility.ts';

/** A database is found together with its connection. */
const visible = `
select ${columnsOf(DatabaseTable, 'd')}, ${jsonOf(ConnectionTable, 'c')} as connection
from databases d join connections c on c.id = d.connection_id and c.removed_at is null
where d.workspace_id = $1 and ${isSeenBy('$2', 'd')}`;

const listVisible = prepared('databases_list_visible')`${visible} order by d.name, d.id`;
const findVisible = prepared('databases_find_visible')`${visible} and d.id = $3`;

type Row = Omit<ConnectedDatabase, 'connection'> & { readonly connection: Json<Connection> };

const connected = ({ connection, ...database }: Row): ConnectedDatabase => ({
  ...database,
  connection: fromJson<Connection>(connection, 'createdAt', 'updatedAt'),
});

export const databaseRepository = ({ read }: Pick<Database, 'read'>): DatabaseRepository => ({
  listVisible: async ({ workspaceId, userId }) => (await read<Row>(listVisible, [workspaceId, userId])).map(connected),

  async findVisible({ workspaceId, userId }, id) {
    if (id.includes('\0')) return null;
    const [found] = await read<Row>(findVisible, [workspaceId, userId, id]);
    return found ? connected(found) : null;
  },
});
