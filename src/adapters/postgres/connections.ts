import type { ConnectionOf, ConnectionRepository } from '../../application/ports/storage.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Database } from './database.ts';
import { isId } from './ids.ts';

const fields = `
c.id, c.workspace_id as "workspaceId", c.name, c.type, c.sealed_url as "sealedUrl", c.visible_to as "visibleTo",
       c.created_at as "createdAt", c.updated_at as "updatedAt"`;

const columns = `select ${fields} from connections c where c.removed_at is null`;

const visible = `c.workspace_id = $1 and (c.visible_to is null or $2 = any (c.visible_to))`;

const all = {
  name: 'connections_all',
  text: `
select ${fields}, w.name as workspace, (
  select u.email from users u
  where u.workspace_id = c.workspace_id and u.removed_at is null and (c.visible_to is null or u.id = any (c.visible_to)) order by u.email limit 1
) as "viewerEmail"
from connections c join workspaces w on w.id = c.workspace_id where c.removed_at is null order by w.name, c.name, c.id`,
};

const find = { name: 'connections_find', text: `${columns} and c.id = $1` };
const findVisible = { name: 'connections_find_visible', text: `${columns} and ${visible} and c.id = $3` };
const listVisible = { name: 'connections_list_visible', text: `${columns} and ${visible} order by c.name, c.id limit $3 offset $4` };

export const connectionRepository = ({ read }: Pick<Database, 'read'>): ConnectionRepository => ({
  all: () => read<ConnectionOf>(all, []),

  listVisible: ({ workspaceId, userId }, { limit, offset }) => read<Connection>(listVisible, [workspaceId, userId, limit, offset]),

  async findVisible({ workspaceId, userId }, id) {
    if (!isId(id)) return null;
    const [found] = await read<Connection>(findVisible, [workspaceId, userId, id]);
    return found ?? null;
  },

  async find(id) {
    if (!isId(id)) return null;
    const [found] = await read<Connection>(find, [id]);
    return found ?? null;
  },
});
