import { prepared } from '../connection/database.ts';

export const list = prepared('holds_list')`
select d.id, w.name as workspace, d.name, d.hold_reason as reason, d.held_by as by, d.held_at as at
from documents d join workspaces w on w.id = d.workspace_id where d.held_at is not null order by d.held_at desc, d.id limit $1`;
