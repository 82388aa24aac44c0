import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { UserTable } from '../tables/entities.ts';

/** An invitation `i` holds while its inviter is an administrator and the key that they used works. */
export const holds = `i.expires_at > now() and (i.inviter_id is null or exists (
  select from users inviter left join api_keys k on k.id = i.made_with
  where inviter.id = i.inviter_id and inviter.removed_at is null and inviter.disabled_at is null and inviter.role = 'admin'
    and k.revoked_at is null and coalesce(k.expires_at > now(), true)
))`;

export const invite = prepared('invitations_save')`
insert into invitations (user_id, hash, expires_at, inviter_id, made_with) values ($1, $2, $3, $4, $5)
on conflict (user_id) do update set hash = excluded.hash, created_at = now(), expires_at = excluded.expires_at,
  inviter_id = excluded.inviter_id, made_with = excluded.made_with`;

export const findInvited = prepared('invitations_find')`
select ${columnsOf(UserTable, 'u')} from invitations i join users u on u.id = i.user_id
where i.hash = $1 and u.removed_at is null and u.disabled_at is null and ${holds}`;

/** Locks the user: a grant or session that is being saved either exists before the lock or waits until the new password is set. */
export const useUp = `
select u.id from invitations i join users u on u.id = i.user_id
where i.hash = $1 and u.removed_at is null and u.disabled_at is null and ${holds} for update of i, u`;

export const removeInvitation = 'delete from invitations where user_id = $1';

export const setPassword = `
update users u set password_hash = $1, password_version = password_version + 1 where u.id = $2
returning ${columnsOf(UserTable, 'u')}, u.password_version as "passwordVersion"`;

/** What signs a user in: the session of a browser, and a link that begins one. */
export const SIGN_INS = "('Session', 'SignInLink')";

/** Signs out every browser, and revokes what was granted to programs, under the old password. */
export const endAccess = [
  `delete from oauth_records where kind in ${SIGN_INS} and user_id = $1`,
  'delete from oauth_grants where user_id = $1',
];
