import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { UserTable } from '../tables/entities.ts';

const user = `${columnsOf(UserTable, 'u')}, u.password_version as "passwordVersion", u.disabled_at is not null as disabled`;

export const bound = `
select ${user} from identities i join users u on u.id = i.user_id
where i.issuer = $1 and i.subject = $2 and u.removed_at is null`;

export const byEmail = `select ${user} from users u where u.email = $1 and u.removed_at is null`;

/** Its workspace is locked before: who administers it is changed by one after the other. */
export const locked = `select ${user} from users u where u.id = $1 and u.removed_at is null for update`;

/** One that is bound already, or an identity that is, leaves no row. */
export const bind = `
insert into identities (user_id, issuer, subject) values ($1, $2, $3) on conflict do nothing returning user_id`;

export const setRole = 'update users set role = $2 where id = $1 and role <> $2';

/** By its name, or the only one. */
export const workspace = `
select id from workspaces where $1::text is null or name = $1 order by created_at limit 2`;

export const addUser = `
insert into users as u (id, workspace_id, email, name, role, created_at, from_file) values ($1, $2, $3, $4, $5, $6, false)
on conflict (email) where removed_at is null do nothing returning ${user}`;

export const note = 'insert into sign_ins (id, user_id, issuer, subject, session) values ($1, $2, $3, $4, $5)';

export const seen = "update users set last_seen_at = date_trunc('minute', now()) where id = $1";

/** Sessions, codes and tokens that are being saved at this moment are of an earlier version. Until a role is given again it is the least. */
export const shutOut = `
update users set role = 'viewer', password_hash = null, password_version = password_version + 1 where id = $1`;

export const revokeKeys = 'update api_keys set revoked_at = now() where user_id = $1 and revoked_at is null';

/** Sessions and grants go with their sign-in. */
export const end = prepared('sign_ins_end')`
delete from sign_ins where issuer = $1 and ($2::text is null or subject = $2) and ($3::text is null or session = $3) returning user_id as id`;

/** Those of which nothing is left. A session lasts a day, so a new one has what it is for by then. */
export const sweep = prepared('sign_ins_sweep')`
delete from sign_ins where id in (
  select s.id from sign_ins s where s.created_at < now() - interval '2 days'
    and not exists (select from oauth_records r where r.sign_in_id = s.id)
    and not exists (select from oauth_grants g where g.sign_in_id = s.id)
  order by s.created_at limit 500 for update skip locked
) returning 1`;
