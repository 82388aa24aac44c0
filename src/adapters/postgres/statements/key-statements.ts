import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { ApiKeyTable } from '../tables/entities.ts';

/** What a statement reads of the user `u` whose credential it is. */
export const userColumns = 'u.id as "userId", u.workspace_id as "workspaceId", u.email, u.role';

/** Whether a credential of the user `u` works at all. */
export const mayCome = 'u.removed_at is null and u.disabled_at is null';

/** Keys that come from each other are of one user: what is changed of the keys of a user is changed one after the other. */
export const lockUser = 'select from users where id = $1 for no key update';

/** `works`: at the time `$4`. */
export const lockOwner = `
select k.revoked_at is null and (k.expires_at is null or k.expires_at > $4) as works from api_keys k join users u on u.id = k.user_id
where k.id = $1 and ($2::uuid is null or u.id = $2) and ($3::uuid is null or u.workspace_id = $3) for no key update of u`;

/** The key `$1`, and every key that was made with it, or with one of those; if `$2`, with the keys that took the place of one of these by itself. */
export const lineage = `
with recursive lineage as (
  select id from api_keys where id = $1
  union select k.id from api_keys k join lineage on k.made_with = lineage.id or ($2 and k.replaces = lineage.id)
) select id from lineage`;

export const end = 'update api_keys set expires_at = least(expires_at, $2) where id = any($1::uuid[])';

export const revoke = `
update api_keys k set revoked_at = coalesce(k.revoked_at, now()) from api_keys before where k.id = any($1::uuid[]) and before.id = k.id
returning k.id, k.user_id as "userId", before.revoked_at is null as worked`;

export const findCaller = prepared('api_keys_find_caller')`
select k.id, k.scopes, k.expires_at as "expiresAt", coalesce(k.window_id, k.id) as "window", k.self_issued as "selfIssued", ${userColumns}
from api_keys k join users u on u.id = k.user_id
where k.hash = $1 and k.revoked_at is null and ${mayCome}`;

export const touch = prepared('api_keys_touch')`
update api_keys set last_used_at = date_trunc('minute', now())
where id = $1 and (last_used_at is null or last_used_at < date_trunc('minute', now()))`;

export const list = prepared('api_keys_list')`
select ${columnsOf(ApiKeyTable, 'k')}, u.email
from api_keys k join users u on u.id = k.user_id
where u.removed_at is null and ($1::uuid is null or u.id = $1) order by k.created_at desc, k.id desc`;
