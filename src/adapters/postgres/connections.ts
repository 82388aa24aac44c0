import type { ConnectionOf, ConnectionRepository } from '../../application/ports/storage.ts';
import type { Connection } from '../../domain/connection.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { ConnectionTable } from './entities.ts';
import { findById } from './ids.ts';
import { isSeenBy, visible } from './visibility.ts';

const columns = columnsOf(ConnectionTable, 'c');

const all = {
  name: 'connections_all',
  text: `
select ${columns}, w.name as workspace, (
  select u.email from users u
  where u.workspace_id = c.workspace_id and u.removed_at is null and ${isSeenBy('u.id', 'c')} order by u.email limit 1
) as "viewerEmail"
from connections c join workspaces w on w.id = c.workspace_id where c.removed_at is null order by w.name, c.name, c.id`,
};

const find = { name: 'connections_find', text: `select ${columns} from connections c where c.removed_at is null and c.id = $1` };

const findVisible = { name: 'connections_find_visible', text: `select ${columns} from connections c where ${visible('c')} and c.id = $3` };

const listVisible = {
  name: 'connections_list_visible',
  text: `select ${columns} from connections c where ${visible('c')} order by c.name, c.id limit $3 offset $4`,
};

export const connectionRepository = (database: Pick<Database, 'read'>): ConnectionRepository => ({
  all: () => database.read<ConnectionOf>(all, []),
  listVisible: ({ workspaceId, userId }, { limit, offset }) => database.read<Connection>(listVisible, [workspaceId, userId, limit, offset]),
  findVisible: ({ workspaceId, userId }, id) => findById<Connection>(database, findVisible, workspaceId, userId, id),
  find: (id) => findById<Connection>(database, find, id),
});
