import { prepared } from '../connection/database.ts';
import { columnsOf, jsonOf } from '../tables/columns.ts';
import { ConnectionTable, DatabaseTable } from '../tables/entities.ts';
import { isSeenBy } from './visibility.ts';

export const all = prepared('connections_all')`
select ${columnsOf(ConnectionTable, 'c')}, w.name as workspace, (
  select u.email from users u
  where u.workspace_id = c.workspace_id and u.removed_at is null and ${isSeenBy('u.id', 'c')} order by u.email limit 1
) as "viewerEmail", exists (
  select from agents a where a.workspace_id = c.workspace_id and a.removed_at is null and (
    a.system_of_record->>'connectionId' = c.id::text or exists (
      select from json_array_elements(a.tools) t where t->>'connection' = c.name and t->>'write' = 'true'))
) as "isWritten"
from connections c join workspaces w on w.id = c.workspace_id where c.removed_at is null order by w.name, c.name, c.id`;

/** A database is found together with its connection, by each query that the cache does not know. */
const visibleDatabases = `
select ${columnsOf(DatabaseTable, 'd')}, ${jsonOf(ConnectionTable, 'c')} as connection
from databases d join connections c on c.id = d.connection_id and c.removed_at is null
where d.workspace_id = $1 and ${isSeenBy('$2', 'd')}`;

export const listDatabases = prepared('databases_list_visible')`${visibleDatabases} order by d.name, d.id`;
export const findDatabase = prepared('databases_find_visible')`${visibleDatabases} and d.id = $3`;
