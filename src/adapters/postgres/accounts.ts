import type { AccountRepository } from '../../application/ports/accounts.ts';
import type { User } from '../../domain/access.ts';
import type { Database } from './database.ts';
import { isId } from './ids.ts';

const columns = `u.id, u.workspace_id as "workspaceId", u.email, u.name, u.role, u.created_at as "createdAt"`;

const findByEmail = {
  name: 'accounts_find_by_email',
  text: `select ${columns}, u.password_hash as "passwordHash" from users u where u.email = $1 and u.removed_at is null`,
};

const find = { name: 'accounts_find', text: `select ${columns} from users u where u.id = $1 and u.removed_at is null` };

const invite = {
  name: 'invitations_save',
  text: `
insert into invitations (user_id, hash, expires_at) values ($1, $2, $3)
on conflict (user_id) do update set hash = excluded.hash, created_at = now(), expires_at = excluded.expires_at`,
};

const findInvited = {
  name: 'invitations_find',
  text: `
select ${columns} from invitations i join users u on u.id = i.user_id
where i.hash = $1 and i.expires_at > now() and u.removed_at is null`,
};

/** Whoever knew the old password is signed out; what was granted to programs stays. */
const accept = {
  name: 'invitations_accept',
  text: `
with used as (
  delete from invitations where hash = $1 and expires_at > now() returning user_id
), u as (
  update users set password_hash = $2 where id in (select user_id from used) and removed_at is null returning *
), ended as (
  delete from oauth_records where kind = 'Session' and user_id in (select id from u)
)
select ${columns} from u`,
};

type AccountRow = User & { readonly passwordHash: string | null };

export const accountRepository = (database: Pick<Database, 'read' | 'query'>): AccountRepository => ({
  async findByEmail(email) {
    const [row] = email.includes('\0') ? [] : await database.query<AccountRow>(findByEmail, [email]);
    if (!row) return null;
    const { passwordHash, ...user } = row;
    return { user, passwordHash };
  },
  find: async (userId) => (isId(userId) ? ((await database.read<User>(find, [userId]))[0] ?? null) : null),
  async invite({ userId, hash, expiresAt }) {
    await database.query(invite, [userId, hash, expiresAt]);
  },
  findInvited: async (hash) => (await database.query<User>(findInvited, [hash]))[0] ?? null,
  accept: async (hash, passwordHash) => (await database.query<User>(accept, [hash, passwordHash]))[0] ?? null,
});
