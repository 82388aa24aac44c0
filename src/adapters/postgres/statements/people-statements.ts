import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { UserTable } from '../tables/entities.ts';
import { holds } from './account-statements.ts';

const isBound = 'exists (select from identities b where b.user_id = u.id)';

/** Of the user `u`. */
const person = `${columnsOf(UserTable, 'u', ['workspaceId'])}, u.disabled_at is not null as disabled, u.last_seen_at as "lastSeenAt",
  case when ${isBound} then 'oidc' when u.password_hash is not null then 'password' else 'none' end as "signIn",
  case when ${isBound} or u.password_hash is not null then 'active'
    when exists (select from invitations i where i.user_id = u.id and ${holds}) then 'invited' else 'not_invited' end as status`;

export const list = prepared('people_list')`
select ${person} from users u where u.workspace_id = $1 and u.removed_at is null order by u.email`;

export const listAll = prepared('people_list_all')`
select ${person}, w.id as "workspaceId", w.name as workspace from users u join workspaces w on w.id = u.workspace_id where u.removed_at is null order by u.email`;

export const add = prepared('people_add')`
insert into users as u (id, workspace_id, email, name, role, created_at, from_file) values ($1, $2, $3, $4, $5, $6, false)
on conflict (email) where removed_at is null do nothing returning ${person}`;

/** Who administers a workspace is changed by one after the other: two administrators could disable each other else. */
export const lockWorkspace = 'select from workspaces where id = $1 for no key update';

/** A session or grant that is being saved either exists before the lock, or waits until the user is changed. */
export const lockUser = `
select name, role, disabled_at is not null as disabled from users where id = $1 and workspace_id = $2 and removed_at is null for update`;

/** The sessions, codes and tokens of a user who is disabled are of an earlier version: those too that are being saved at that moment. */
export const change = `
update users u set name = coalesce($2::text, name), role = coalesce($3::text, role),
  disabled_at = case when $4::boolean then coalesce(disabled_at, now()) when not $4::boolean then null else disabled_at end,
  password_version = password_version + case when $4::boolean and disabled_at is null then 1 else 0 end
where id = $1 returning ${person}`;

export const administrators = `
select from users where workspace_id = $1 and role = 'admin' and removed_at is null and disabled_at is null limit 1`;

export const seen = prepared('people_seen')`
update users set last_seen_at = date_trunc('minute', now())
where id = $1 and (last_seen_at is null or last_seen_at < date_trunc('minute', now()))`;
