import type { ConnectedDatabase, DatabaseRepository } from '../../../application/ports/storage.ts';
import type { Connection } from '../../../domain/connection.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/connection-statements.ts';
import { fromJson, type Json } from '../tables/columns.ts';

type Row = Omit<ConnectedDatabase, 'connection'> & { readonly connection: Json<Connection> };

const connected = ({ connection, ...database }: Row): ConnectedDatabase => ({
  ...database,
  connection: fromJson<Connection>(connection, 'createdAt', 'updatedAt'),
});

export const databaseRepository = ({ read }: Pick<Database, 'read'>): DatabaseRepository => ({
  listVisible: async ({ workspaceId, userId }) =>
    (await read<Row>(sql.listDatabases, [workspaceId, userId])).map(connected),

  async findVisible({ workspaceId, userId }, id) {
    if (id.includes('\0')) return null;
    const [row] = await read<Row>(sql.findDatabase, [workspaceId, userId, id]);
    return row ? connected(row) : null;
  },
});
