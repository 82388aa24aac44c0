import type { UserRepository } from '../../application/ports/storage.ts';
import type { User } from '../../domain/access.ts';
import { columnsOf } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { UserTable } from './entities.ts';
import { findById } from './ids.ts';

const columns = `select ${columnsOf(UserTable, 'u')}`;

const withWorkspace = `${columns}, w.name as workspace from users u join workspaces w on w.id = u.workspace_id where u.removed_at is null`;

const find = prepared('users_find')`${withWorkspace} and u.id = $1`;

const findByEmail = prepared(
  'users_find_by_email',
)`${columns} from users u where u.email = lower($1) and u.removed_at is null`;

const list = prepared('users_list')`${withWorkspace} order by u.email`;

type WorkspaceUser = User & { readonly workspace: string };

export const userRepository = (database: Pick<Database, 'read' | 'query'>): UserRepository => ({
  find: (id) => findById(database, find, [id], (user: WorkspaceUser) => user),
  async findByEmail(email) {
    const [found] = email.includes('\0') ? [] : await database.read<User>(findByEmail, [email]);
    return found ?? null;
  },
  list: () => database.query<WorkspaceUser>(list, []),
});
